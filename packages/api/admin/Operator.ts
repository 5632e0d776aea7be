/** Who uses the operator interface, and why. */
import { Context, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { TooManyRequests, Unauthorized } from "../Problem.ts"

/** Who acts, for the audit. */
export class Operator extends Context.Service<Operator, { readonly name: string }>()("@venue/api/admin/Operator") {}

export class OperatorOnly extends HttpApiMiddleware.Service<OperatorOnly, { provides: Operator }>()(
  "@venue/api/admin/OperatorOnly",
  { error: [Unauthorized, TooManyRequests], security: { operator: HttpApiSecurity.bearer } }
) {}

/** Why, in the operator's words. */
export const Reason = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(500))

/** Names, or `*` alone for every symbol. */
export const Symbols = Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(1_000))
