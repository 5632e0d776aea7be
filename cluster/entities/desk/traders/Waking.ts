/** At a desk's start, loads the traders that have wake-up entries. */
import type { UserId } from "@venue/domain/UserId"
import { Journal, type WakeUp } from "@venue/journal/Journal"
import { Effect, Schedule } from "effect"
import type { Traders } from "./Traders.ts"

/**
 * Returns once traders with an armed connection or a dead-man switch are loaded, because their orders might have to
 * be cancelled immediately. Other traders are loaded in the background.
 */
export const wake = Effect.fnUntraced(function* (traders: Traders, deskId: string) {
  const journal = yield* Journal
  const entries = yield* journal.wakeUps(deskId).pipe(Effect.retry(Schedule.spaced("200 millis")), Effect.orDie)
  traders.unprojected(usersOf(entries.filter(({ reason }) => reason === "unprojected")))
  yield* wakeOrKeep(traders, usersOf(entries.filter(({ reason }) => reason === "armed" || reason === "switch")))
  traders.enqueue(usersOf(entries))
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
