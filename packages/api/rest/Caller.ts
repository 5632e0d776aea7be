/** Authentication of REST requests. */
import type { AccountId } from "@venue/domain/AccountId"
import type { UserId } from "@venue/domain/UserId"
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { Forbidden, ServiceUnavailable, TooManyRequests, Unauthorized, UnprocessableEntity } from "../Problem.ts"

/** Authenticated user, and the account to act on: the primary account unless the request specifies another account. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly userId: UserId
    readonly accountId: AccountId
    readonly permissions: ReadonlySet<string>
  }
>()("@venue/api/rest/Caller") {}

/**
 * Middleware that checks a request's HMAC headers or bearer token before any other part of the request is read. It
 * also checks that the credentials permit the endpoint's `<method> <path>`.
 */
export class Authenticated extends HttpApiMiddleware.Service<Authenticated, { provides: Caller }>()(
  "@venue/api/rest/Authenticated",
  { error: [Unauthorized, Forbidden, UnprocessableEntity, TooManyRequests, ServiceUnavailable] }
) {}
