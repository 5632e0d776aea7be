/** Timed work for a desk's traders. One timer serves all of them and runs only while some work is due. */
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect, Latch, Result } from "effect"
import type { Trader } from "./Trader.ts"
import type { Traders } from "./Traders.ts"

export interface Work {
  /** Name of the work in log lines. */
  readonly name: string
  /** Whether the trader has this kind of work. */
  readonly concerns: (trader: Trader) => boolean
  /** Does the due work. Returns when to run next, in milliseconds, or Infinity to wait for the trader to change. */
  readonly run: (trader: Trader) => number
}

/** Runs the work when it is due, and whenever a trader gets a journal row or changes. */
export const make = Effect.fnUntraced(function* (traders: Traders, { concerns, name, run }: Work) {
  const clock = yield* Clock.Clock
  const more = yield* Latch.make(false)
  const dueMillis = new Map<UserId, number>()

  const notice = (trader: Trader) => {
    if (!concerns(trader)) return
    dueMillis.set(trader.userId, -Infinity)
    more.openUnsafe()
  }
  /** A thrown error might have corrupted the trader, so it is reloaded from the journal. Others continue. */
  const runFor = Effect.fnUntraced(function* (trader: Trader) {
    const next = Result.try(() => run(trader))
    if (Result.isSuccess(next)) return next.success
    yield* Effect.logError(
      `user ${trader.userId}: the task "${name}" threw an error; the trader is reloaded`,
      next.failure
    )
    traders.drop(trader.userId)
    return Infinity
  })
  const loop = Effect.gen(function* () {
    yield* more.close
    let nextMillis = Infinity
    for (const [userId, atMillis] of Array.from(dueMillis)) {
      let againMillis = atMillis
      if (atMillis <= clock.currentTimeMillisUnsafe()) {
        // Deleted before the work, so that a change during the work is not lost.
        dueMillis.delete(userId)
        const trader = traders.get(userId)
        againMillis = trader === undefined ? Infinity : yield* runFor(trader)
        if (againMillis !== Infinity && !dueMillis.has(userId)) dueMillis.set(userId, againMillis)
      }
      nextMillis = Math.min(nextMillis, againMillis)
    }
    if (nextMillis === Infinity) return yield* more.await
    const waitMillis = Math.min(nextMillis - clock.currentTimeMillisUnsafe(), longestSleepMillis)
    if (waitMillis > 0) yield* Effect.raceFirst(more.await, Effect.sleep(waitMillis))
  })

  traders.watch(notice)
  traders.watchMoves(notice)
  for (const trader of traders.all()) notice(trader)
  yield* Effect.forkScoped(Effect.forever(loop))
})

/** One day, because timers support a few weeks at most. */
const longestSleepMillis = 86_400_000
