/** Opens an account as its desk does: writes the account's row with a journal row. */
import type { AccountId } from "@venue/domain/AccountId"
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { type Claimed, Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Effect } from "effect"

export const openAccount = Effect.fnUntraced(function* (userId: UserId, accountId: AccountId) {
  yield* recordAccount(yield* claimed(userId), userId, accountId)
})

export const claimed = Effect.fnUntraced(function* (userId: UserId) {
  const journal = yield* Journal
  return yield* journal.claim(traderStream(userId), { restore: () => true, replay: () => {} }, Effect.succeed(true))
})

/** Dies if another owner has taken over the stream. */
export const recordAccount = Effect.fnUntraced(function* (from: Claimed, userId: UserId, accountId: AccountId) {
  const journal = yield* Journal
  let isCollected = false
  yield* Effect.callback<void>((resume) => {
    const collect = () => {
      if (isCollected) return undefined
      isCollected = true
      const events = TraderRecord.encode([{ _tag: "AccountOpened", accountId }])
      return { events, alongside: [{ _tag: "AccountRow" as const, userId, accountId }] }
    }
    const lost = (why: string) => resume(Effect.die(why))
    journal.append({ stream: traderStream(userId), collect, committed: () => resume(Effect.void), lost }, from).wake()
  })
})
