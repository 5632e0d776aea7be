/** Who a REST request is for. */
import type { AccountId } from "@venue/domain/AccountId"
import type { UserId } from "@venue/domain/UserId"
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { Forbidden, ServiceUnavailable, TooManyRequests, Unauthorized, UnprocessableEntity } from "../Problem.ts"

/** The account acted on; it is the user's primary account unless the request names another. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly userId: UserId
    readonly accountId: AccountId
    /** What the credentials permit, by name. */
    readonly permissions: ReadonlySet<string>
  }
>()("@venue/api/rest/Caller") {}

/**
 * Reads the HMAC headers or the bearer token of a request, before anything else of the request is read, and asks whether
 * they permit `<method> <path>` of the endpoint.
 */
export class Authenticated extends HttpApiMiddleware.Service<Authenticated, { provides: Caller }>()(
  "@venue/api/rest/Authenticated",
  { error: [Unauthorized, Forbidden, UnprocessableEntity, TooManyRequests, ServiceUnavailable] }
) {}
