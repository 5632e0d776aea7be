/** Changes that users make to their own data. The change and its audit entry are committed together. */
import type { UserId } from "@venue/domain/UserId"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit, type Deed } from "@venue/storage/access/Audit"
import { Effect } from "effect"

export const make = Effect.gen(function* () {
  const audit = yield* Audit
  const transaction = yield* Transaction
  /** Runs a change; writes no audit entry if `entryOf` returns undefined. */
  return <A, E, R>(
    userId: UserId,
    change: Effect.Effect<A, E, R>,
    entryOf: (changed: A) => Pick<Deed, "action" | "facts"> | undefined
  ) =>
    transaction.run(
      Effect.tap(change, (changed) => {
        const entry = entryOf(changed)
        return entry === undefined ? Effect.void : audit.record({ ...entry, actor: userId, subject: userId })
      })
    )
})
