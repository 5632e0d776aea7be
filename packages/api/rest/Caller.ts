/** Who a REST request is for: what endpoints are told, and what they may say they need. */
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { Forbidden, TooManyRequests, Unauthorized, UnprocessableEntity } from "../Problem.ts"

/** The account acted on; it is the user's primary account unless the request names another. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly userId: string
    readonly accountId: string
  }
>()("@venue/api/rest/Caller") {}

/** The rule of an endpoint, as its annotation: the permission a key must hold. No rule means refusal. */
export class Needs extends Context.Service<
  Needs,
  "view_orders" | "view_positions" | "view_balance" | "execute_orders"
>()("@venue/api/rest/Needs") {}

/** Reads the HMAC headers or the bearer token of a request. It runs before anything else of the request is read. */
export class Authenticated extends HttpApiMiddleware.Service<Authenticated, { provides: Caller }>()(
  "@venue/api/rest/Authenticated",
  { error: [Unauthorized, Forbidden, UnprocessableEntity, TooManyRequests] }
) {}
