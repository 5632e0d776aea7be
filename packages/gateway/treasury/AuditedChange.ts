/** A user changes what is theirs; the change and its entry in the audit are one commit. */
import type { UserId } from "@venue/domain/UserId"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit, type Deed } from "@venue/storage/access/Audit"
import { Effect } from "effect"

export const make = Effect.gen(function* () {
  const audit = yield* Audit
  const transaction = yield* Transaction
  /** There is no entry where nothing was changed. */
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
