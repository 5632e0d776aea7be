/** Takes in the traders of a desk that left something behind, though nobody asks for them. */
import type { UserId } from "@venue/domain/UserId"
import { Journal, type WakeUp } from "@venue/journal/Journal"
import { Effect, Schedule } from "effect"
import type { Traders } from "./Traders.ts"

/**
 * Answers once those are here whose orders may have to be cancelled though nobody asks: the gateway of an armed connection
 * may be gone, and a dead-man switch may be due. The others come behind that.
 */
export const wake = Effect.fnUntraced(function* (traders: Traders, deskId: string) {
  const journal = yield* Journal
  const entries = yield* journal.wakeUps(deskId).pipe(Effect.retry(Schedule.spaced("200 millis")), Effect.orDie)
  traders.unprojected(usersOf(entries.filter(({ reason }) => reason === "unprojected")))
  yield* wakeOrKeep(traders, usersOf(entries.filter(({ reason }) => reason === "armed" || reason === "switch")))
  traders.name(usersOf(entries))
})

const usersOf = (entries: ReadonlyArray<WakeUp>): ReadonlySet<UserId> => new Set(entries.map(({ userId }) => userId))

const wakeOrKeep = (traders: Traders, userIds: ReadonlySet<UserId>) =>
  Effect.forEach(
    userIds,
    (userId) => Effect.catch(traders.wake(userId), () => Effect.sync(() => traders.keep(userId))),
    {
      discard: true,
      concurrency: "unbounded"
    }
  )
