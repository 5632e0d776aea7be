/** Authentication of operators, the role that each operation requires, and fields shared by operator requests. */
import { mayAct, type OperatorRole } from "@venue/domain/Operator"
import * as Text from "@venue/domain/Text"
import { Context, Schema } from "effect"
import { type HttpApiEndpoint, HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { Forbidden, ServiceUnavailable, TooManyRequests, Unauthorized } from "../Problem.ts"

/** Operator who sends the request; the audit log records the name. */
export class Operator extends Context.Service<
  Operator,
  { readonly name: string; readonly roles: ReadonlyArray<OperatorRole> }
>()("@venue/api/admin/Operator") {}

/** Middleware that authenticates an operator and checks the role of the operation. */
export class OperatorOnly extends HttpApiMiddleware.Service<OperatorOnly, { provides: Operator }>()(
  "@venue/api/admin/OperatorOnly",
  {
    error: [Unauthorized, Forbidden, TooManyRequests, ServiceUnavailable],
    security: { operator: HttpApiSecurity.bearer }
  }
) {}

/** Annotation with the role that an operation needs; default: `viewer` for GET, `admin` for other methods. */
export const NeededRole = Context.Reference<OperatorRole | undefined>("@venue/api/admin/NeededRole", {
  defaultValue: () => undefined
})

/** Annotation of operations that a token with an unproven second factor can call. */
export const AcceptsUnproven = Context.Reference<boolean>("@venue/api/admin/AcceptsUnproven", {
  defaultValue: () => false
})

/** Whether an operation needs a session, if the operator's token needs a second factor. */
export const needsProof = ({ annotations }: HttpApiEndpoint.Top): boolean => !Context.get(annotations, AcceptsUnproven)

/** Returns the role that an operation needs. */
export const neededFor = ({ annotations, method }: HttpApiEndpoint.Top): OperatorRole =>
  Context.get(annotations, NeededRole) ?? (method === "GET" ? "viewer" : "admin")

/** Whether one of the roles suffices for an operation. */
export const mayUse = (roles: ReadonlyArray<OperatorRole>, endpoint: HttpApiEndpoint.Top): boolean =>
  mayAct(roles, neededFor(endpoint))

/** Member `reason` of operator requests. */
export const Reason = Schema.String.annotate({
  description: "Reason for the audit log, 1 to 500 characters.",
  examples: ["Support request, ticket 4711"]
}).check(Text.atLeast(1), Text.atMost(500))

/** Member `symbols` of operator requests. */
export const Symbols = Schema.Array(Schema.String)
  .annotate({
    description: "Symbols of the markets, or only `*` for all markets.",
    examples: [["GOLD-USD"]]
  })
  .check(Schema.isMinLength(1), Schema.isMaxLength(1_000))
