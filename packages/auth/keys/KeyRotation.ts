/** Rotation of the token signing keys by an operator. Each change is audited with a reason. */
import { Audit, type Deed } from "@venue/storage/access/Audit"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { type Revocation, Revocations } from "@venue/storage/access/Revocations"
import { SigningKeyTable } from "@venue/storage/access/SigningKeyTable"
import { Transaction } from "@venue/postgres/Transaction"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { keptOf, ringOf } from "./KeptRing.ts"
import * as KeyRing from "./KeyRing.ts"
import type { Operator } from "../access/Operator.ts"
import { generate } from "./SigningKey.ts"
import { SigningKeys } from "./SigningKeys.ts"

/**
 * Each change is one transaction with its audit record and its announcement, which every node receives on commit.
 * After `DatabaseUnavailable` it is unknown whether the change was made.
 */
export class KeyRotation extends Context.Service<
  KeyRotation,
  {
    readonly ring: Effect.Effect<KeyRing.KeyRing>
    /** Creates and publishes a new standby key and returns the key's id. */
    readonly standby: (operator: Operator) => Effect.Effect<string, DatabaseUnavailable>
    readonly activate: (
      kid: string,
      urgency: KeyRing.Urgency,
      operator: Operator
    ) => Effect.Effect<void, KeyRing.UnknownKey | KeyRing.NotStandby | KeyRing.TooEarly | DatabaseUnavailable>
    /** Removes a key. In an emergency, every node also revokes the key's tokens and closes their connections. */
    readonly remove: (
      kid: string,
      urgency: KeyRing.Urgency,
      operator: Operator
    ) => Effect.Effect<void, KeyRing.UnknownKey | KeyRing.KeyInUse | KeyRing.TooEarly | DatabaseUnavailable>
  }
>()("@venue/auth/keys/KeyRotation") {
  static readonly layer: Layer.Layer<
    KeyRotation,
    never,
    Audit | Revocations | SigningKeys | SigningKeyTable | Transaction
  > = Layer.effect(
    KeyRotation,
    Effect.gen(function* () {
      const audit = yield* Audit
      const keys = yield* SigningKeys
      const revocations = yield* Revocations
      const table = yield* SigningKeyTable
      const transaction = yield* Transaction

      const record = (action: string, kid: string, { actor, reason }: Operator, facts: Deed["facts"] = {}) =>
        audit.record({ action, actor, subject: kid, facts: { kid, reason, ...facts } })

      /** Unusable keys in the table are a defect, because only other software can have written them. */
      const change = <E>(step: (ring: KeyRing.KeyRing, nowMillis: number) => Result.Result<KeyRing.KeyRing, E>) =>
        table.replace((kept) =>
          Effect.gen(function* () {
            const ring = yield* Effect.orDie(Effect.fromResult(ringOf(kept)))
            return keptOf(yield* Effect.fromResult(step(ring, yield* Clock.currentTimeMillis)))
          })
        )
      const announce = (kind: Revocation["kind"], kid: string) => revocations.announce({ kind, subject: kid })

      return KeyRotation.of({
        ring: keys.ring,
        standby: Effect.fn("KeyRotation.standby")(
          function* (operator: Operator) {
            const key = generate()
            yield* record("signing_key_published", key.kid, operator)
            yield* change((ring, now) => Result.succeed(KeyRing.stand(ring, key, now)))
            yield* announce("signing_keys", key.kid)
            return key.kid
          },
          transaction.run,
          Effect.tap(() => keys.reread)
        ),
        activate: Effect.fn("KeyRotation.activate")(
          function* (kid: string, urgency: KeyRing.Urgency, operator: Operator) {
            yield* record("signing_key_activated", kid, operator, { emergency: urgency.emergency })
            yield* change((ring, now) => KeyRing.activate(ring, kid, now, urgency))
            yield* announce("signing_keys", kid)
          },
          transaction.run,
          Effect.tap(() => keys.reread)
        ),
        remove: Effect.fn("KeyRotation.remove")(
          function* (kid: string, urgency: KeyRing.Urgency, operator: Operator) {
            yield* record("signing_key_removed", kid, operator, { emergency: urgency.emergency })
            yield* change((ring, now) => KeyRing.remove(ring, kid, now, urgency))
            yield* announce(urgency.emergency ? "signing_key" : "signing_keys", kid)
          },
          transaction.run,
          Effect.tap(() => keys.reread),
          // The first call's outcome might be unknown to the operator, so a repeated call announces the removal
          // again.
          (removed, kid, { emergency }) =>
            Effect.tapErrorTag(removed, "UnknownKey", () => (emergency ? announce("signing_key", kid) : Effect.void))
        )
      })
    })
  )
}
