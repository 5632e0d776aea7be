/** Handles the operator endpoints for the keys that sign tokens. */
import { AdminApi } from "@venue/api/admin/Api"
import { signingKeyBody } from "@venue/api/admin/SigningKeys"
import { KeyRotation } from "@venue/auth/keys/KeyRotation"
import type { Operator } from "@venue/auth/access/Operator"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { byOperator } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "signingKeys",
  Effect.fnUntraced(function* (handlers) {
    const rotation = yield* KeyRotation
    const refusals = yield* apiProblems
    const decide = <A, E>(reason: string, decision: (by: Operator) => Effect.Effect<A, E>) =>
      Effect.flatMap(byOperator(reason), decision)
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }
    const unknown = ({ kid }: { readonly kid: string }) =>
      Effect.fail(refusals.notFound("signing key", kid, "list the signing keys with GET /signing-keys"))
    const tooEarly = ({ readyAtMillis }: { readonly readyAtMillis: number }) =>
      Effect.fail(refusals.signingKeyTooEarly(readyAtMillis))

    return handlers
      .handle("list", () =>
        Effect.map(rotation.ring, (ring) => ({
          data: ring.map(({ key, sinceMillis, state }) => signingKeyBody(key.kid, state, sinceMillis)),
          count: ring.length
        }))
      )
      .handle("publish", ({ payload: { reason } }) =>
        decide(reason, rotation.standby).pipe(
          Effect.map((kid) => ({ kid })),
          Effect.catchTags(unavailable)
        )
      )
      .handle("activate", ({ payload: { emergency = false, kid, reason } }) =>
        decide(reason, (by) => rotation.activate(kid, { emergency }, by)).pipe(
          Effect.catchTags({
            ...unavailable,
            UnknownKey: unknown,
            NotStandby: ({ kid, state }) => Effect.fail(refusals.signingKeyNotStandby(kid, state)),
            TooEarly: tooEarly
          })
        )
      )
      .handle("remove", ({ payload: { emergency = false, kid, reason } }) =>
        decide(reason, (by) => rotation.remove(kid, { emergency }, by)).pipe(
          Effect.catchTags({
            ...unavailable,
            UnknownKey: unknown,
            KeyInUse: ({ kid }) => Effect.fail(refusals.signingKeyInUse(kid)),
            TooEarly: tooEarly
          })
        )
      )
  })
)
