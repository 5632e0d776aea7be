/** Handles the operator endpoints that grant and withdraw API key permissions. */
import { AdminApi } from "@venue/api/admin/Api"
import type { KeyPermission } from "@venue/api/admin/Keys"
import { Hmac } from "@venue/auth/access/Hmac"
import { OperatorActions } from "@venue/auth/access/OperatorActions"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { byOperator } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const hmac = yield* Hmac
    const operatorActions = yield* OperatorActions
    const refusals = yield* apiProblems
    const decided = (decision: OperatorActions["Service"]["grantPermission"]) =>
      Effect.fnUntraced(
        function* ({ payload: { permission, public_key: publicKey, reason } }: RequestBody) {
          yield* decision(publicKey, permission, yield* byOperator(reason))
          hmac.forget(publicKey)
        },
        Effect.catchTags({
          UnknownApiKey: ({ publicKey }) =>
            Effect.fail(refusals.notFound("API key", publicKey, "send the public_key of an existing key")),
          DatabaseUnavailable: () => Effect.fail(refusals.draining())
        })
      )
    return handlers
      .handle("grant", decided(operatorActions.grantPermission))
      .handle("withdraw", decided(operatorActions.withdrawPermission))
  })
)

interface RequestBody {
  readonly payload: typeof KeyPermission.Type
}
