/** Handles the operator endpoints that list, appoint and dismiss operators. */
import { AdminApi } from "@venue/api/admin/Api"
import { appointedOperator, firstAdmin, operatorBody } from "@venue/api/admin/Appointments"
import { Operator } from "@venue/api/admin/Operator"
import { OperatorTokens } from "@venue/auth/access/OperatorTokens"
import { tokenDays } from "@venue/domain/Operator"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { byOperator } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "appointments",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* OperatorTokens
    const refusals = yield* apiProblems
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }

    return handlers
      .handle("list", () =>
        tokens.list.pipe(
          Effect.map((list) => ({ data: [firstAdmin, ...list.map(operatorBody)], count: list.length + 1 })),
          Effect.catchTags(unavailable)
        )
      )
      .handle(
        "appoint",
        Effect.fnUntraced(
          function* ({
            payload: {
              expires_in_days: days = tokenDays.usual,
              name,
              reason,
              roles,
              second_factor: needsFactor = false
            }
          }) {
            const by = yield* byOperator(reason)
            const { operator, token } = yield* tokens.appoint({ name, roles, days, needsFactor }, by)
            return appointedOperator(operator, token)
          },
          Effect.catchTags({
            ...unavailable,
            OperatorExists: ({ name }) => Effect.fail(refusals.operatorExists(name))
          })
        )
      )
      .handle(
        "renew",
        Effect.fnUntraced(
          function* ({
            payload: { expires_in_days: days = tokenDays.usual, name, reason, second_factor: needsFactor }
          }) {
            const { operator, token } = yield* tokens.renew({ name, days, needsFactor }, yield* Operator, reason)
            return appointedOperator(operator, token)
          },
          Effect.catchTags({
            ...unavailable,
            NoSuchOperator: ({ name }) => Effect.fail(refusals.notFound("appointed operator", name, inSettings)),
            RenewalForbidden: ({ needed }) =>
              Effect.flatMap(Operator, ({ roles }) => Effect.fail(refusals.roleNeeded(needed, roles)))
          })
        )
      )
      .handle(
        "dismiss",
        Effect.fnUntraced(
          function* ({ payload: { name, reason } }) {
            yield* tokens.dismiss(name, yield* byOperator(reason))
          },
          Effect.catchTags({
            ...unavailable,
            NoSuchOperator: ({ name }) =>
              Effect.fail(refusals.notFound("operator", name, "list the operators with GET /operators"))
          })
        )
      )
  })
)

const inSettings =
  "list the operators with GET /operators; the first admin's token is replaced in the setting VENUE_ADMIN_TOKEN"
