/** User entity. Changes API keys one at a time, each with an audit entry. */
import type { ApiKeySummary } from "@venue/domain/ApiKey"
import type { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit, type Deed } from "@venue/storage/access/Audit"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Transaction } from "@venue/postgres/Transaction"
import { Effect, type Layer } from "effect"
import type { Sharding } from "effect/cluster"
import { Unavailable } from "../../protocol/Market.ts"
import { User } from "../../protocol/User.ts"

export const UserLayer: Layer.Layer<never, never, Sharding.Sharding | ApiKeys | Audit | Transaction> = User.toLayer(
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const audit = yield* Audit
    const transaction = yield* Transaction

    const record = (userId: UserId, action: string, facts: Deed["facts"]) =>
      audit.record({ action, actor: userId, subject: userId, facts })
    /** Creates a key once. A retried message returns the key from the first attempt. */
    const once = <E>(
      { publicKey, userId }: { readonly userId: UserId; readonly publicKey: string },
      make: Effect.Effect<ApiKeySummary, E | DatabaseUnavailable>
    ) =>
      Effect.flatMap(keys.ofUser(userId), (own) => {
        const made = own.find((key) => key.publicKey === publicKey)
        return made === undefined ? transaction.run(make) : Effect.succeed(made)
      })

    return User.of({
      CreateKey: ({ payload: { pair, userId, ...key } }) =>
        once(
          { userId, publicKey: pair.publicKey },
          Effect.tap(keys.create({ ...key, ...pair, userId }), ({ label, publicKey, scope }) =>
            record(userId, "api_key_created", { publicKey, label, scope })
          )
        ).pipe(Effect.catchTags(faultsOfMaking(userId))),
      RenameKey: ({ payload: { label, publicKey, userId } }) =>
        keys
          .rename(userId, publicKey, label)
          .pipe(
            Effect.andThen(record(userId, "api_key_renamed", { publicKey, label })),
            transaction.run,
            Effect.catchTags(faults(userId))
          ),
      RevokeKey: ({ payload: { publicKey, userId } }) =>
        Effect.flatMap(keys.revoke(userId, publicKey), (wasActive) =>
          wasActive ? record(userId, "api_key_revoked", { publicKey }) : Effect.void
        ).pipe(transaction.run, Effect.catchTags(faults(userId))),
      RotateKey: ({ payload: { next, publicKey, userId } }) =>
        once(
          { userId, publicKey: next.publicKey },
          Effect.tap(
            keys.rotate(userId, publicKey, next),
            record(userId, "api_key_rotated", { publicKey, nextPublicKey: next.publicKey })
          )
        ).pipe(Effect.catchTags(faultsOfMaking(userId)))
    })
  }),
  { maxIdleTime: "1 minute" }
)

const faults = (userId: UserId) => ({
  DatabaseUnavailable: () => Effect.fail(new Unavailable({ what: `user ${userId}` })),
  // The caller was authenticated as this user, so the user exists.
  UnknownUser: Effect.die
})

const faultsOfMaking = (userId: UserId) => ({
  ...faults(userId),
  // Public keys are random, so a collision is a bug.
  ApiKeyExists: Effect.die
})
