/** Who uses the operator interface, and why. */
import { mayAct, type OperatorRole } from "@venue/domain/Operator"
import * as Text from "@venue/domain/Text"
import { Context, Schema } from "effect"
import { type HttpApiEndpoint, HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { Forbidden, ServiceUnavailable, TooManyRequests, Unauthorized } from "../Problem.ts"

/** Who acts, for the audit. */
export class Operator extends Context.Service<Operator, { readonly name: string }>()("@venue/api/admin/Operator") {}

export class OperatorOnly extends HttpApiMiddleware.Service<OperatorOnly, { provides: Operator }>()(
  "@venue/api/admin/OperatorOnly",
  {
    error: [Unauthorized, Forbidden, TooManyRequests, ServiceUnavailable],
    security: { operator: HttpApiSecurity.bearer }
  }
) {}

/** What an endpoint needs that says so; otherwise viewers may read, and nobody but an admin may change anything. */
export const NeededRole = Context.Reference<OperatorRole | undefined>("@venue/api/admin/NeededRole", {
  defaultValue: () => undefined
})

export const neededFor = ({ annotations, method }: HttpApiEndpoint.Top): OperatorRole =>
  Context.get(annotations, NeededRole) ?? (method === "GET" ? "viewer" : "admin")

export const mayUse = (roles: ReadonlyArray<OperatorRole>, endpoint: HttpApiEndpoint.Top): boolean =>
  mayAct(roles, neededFor(endpoint))

export const Reason = Schema.String.annotate({
  description: "Reason for the audit log, 1 to 500 characters.",
  examples: ["Request of the support, ticket 4711"]
}).check(Text.atLeast(1), Text.atMost(500))

/** Names, or `*` alone for every symbol. */
export const Symbols = Schema.Array(Schema.String)
  .annotate({
    description: "Symbols of markets, or `*` alone for all.",
    examples: [["GOLD-USD"]]
  })
  .check(Schema.isMinLength(1), Schema.isMaxLength(1_000))
