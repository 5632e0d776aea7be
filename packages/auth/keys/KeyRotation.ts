/** An operator replaces the keys that sign tokens, each step with a reason that the audit keeps. */
import { Audit, type Deed } from "@venue/storage/access/Audit"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Revocations } from "@venue/storage/access/Revocations"
import { Transaction } from "@venue/postgres/Transaction"
import { Context, Effect, Layer } from "effect"
import type { SigningKeysUnusable } from "./KeyFile.ts"
import type { KeyInUse, KeyRing, NotStandby, TooEarly, UnknownKey, Urgency } from "./KeyRing.ts"
import type { Operator } from "../access/Operator.ts"
import { SigningKeys } from "./SigningKeys.ts"

type Unavailable = SigningKeysUnusable | DatabaseUnavailable

/** What cannot be recorded is not done; after `DatabaseUnavailable` of a step it may have been done all the same. */
export class KeyRotation extends Context.Service<
  KeyRotation,
  {
    readonly ring: Effect.Effect<KeyRing>
    /** Publishes a new key and returns its id. */
    readonly standby: (operator: Operator) => Effect.Effect<string, Unavailable>
    readonly activate: (
      kid: string,
      urgency: Urgency,
      operator: Operator
    ) => Effect.Effect<void, UnknownKey | NotStandby | TooEarly | Unavailable>
    /** In an emergency what the key signed is taken back on every node, connections that it opened included. */
    readonly remove: (
      kid: string,
      urgency: Urgency,
      operator: Operator
    ) => Effect.Effect<void, UnknownKey | KeyInUse | TooEarly | Unavailable>
  }
>()("@venue/auth/keys/KeyRotation") {
  static readonly layer: Layer.Layer<KeyRotation, never, Audit | Revocations | SigningKeys | Transaction> =
    Layer.effect(
      KeyRotation,
      Effect.gen(function* () {
        const audit = yield* Audit
        const keys = yield* SigningKeys
        const revocations = yield* Revocations
        const transaction = yield* Transaction

        const record = (action: string, kid: string, { actor, reason }: Operator, facts: Deed["facts"] = {}) =>
          audit.record({ action, actor, subject: kid, facts: { kid, reason, ...facts } })

        const announce = (kid: string) => revocations.announce({ kind: "signing_key", subject: kid })

        return KeyRotation.of({
          ring: keys.ring,
          standby: Effect.fn("KeyRotation.standby")((operator: Operator) =>
            Effect.tap(keys.standby, (kid) =>
              // On standby it has signed nothing, so it can go again.
              Effect.onError(record("signing_key_published", kid, operator), () => Effect.ignore(keys.remove(kid)))
            )
          ),
          // Written before it is done, and taken back when it is refused.
          activate: Effect.fn("KeyRotation.activate")(function* (kid: string, urgency: Urgency, operator: Operator) {
            yield* record("signing_key_activated", kid, operator, { emergency: urgency.emergency })
            yield* keys.activate(kid, urgency)
          }, transaction.run),
          remove: Effect.fn("KeyRotation.remove")(
            function* (kid: string, urgency: Urgency, operator: Operator) {
              yield* record("signing_key_removed", kid, operator, { emergency: urgency.emergency })
              yield* keys.remove(kid, urgency)
              if (urgency.emergency) yield* announce(kid)
            },
            transaction.run,
            // Whoever asks again may do so because it was removed and could not be announced.
            (removed, kid, { emergency }) =>
              Effect.tapErrorTag(removed, "UnknownKey", () => (emergency ? announce(kid) : Effect.void))
          )
        })
      })
    )
}
