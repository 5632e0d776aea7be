/** Handles the operator endpoints that list, appoint and dismiss operators. */
import { AdminApi } from "@venue/api/admin/Api"
import { operatorBody } from "@venue/api/admin/Appointments"
import { OperatorTokens } from "@venue/auth/access/OperatorTokens"
import { Effect, Redacted } from "effect"
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
          Effect.map((list) => ({ data: list.map(operatorBody), count: list.length })),
          Effect.catchTags(unavailable)
        )
      )
      .handle(
        "appoint",
        Effect.fnUntraced(
          function* ({ payload: { name, reason, roles } }) {
            const token = yield* tokens.appoint({ name, roles }, yield* byOperator(reason))
            return { name, roles, token: Redacted.value(token) }
          },
          Effect.catchTags({
            ...unavailable,
            OperatorExists: ({ name }) => Effect.fail(refusals.operatorExists(name))
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
