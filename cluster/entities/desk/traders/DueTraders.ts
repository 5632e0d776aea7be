/** Traders for whom something is due at a time: one timer for all of them, which is set while there are any. */
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect, Latch, Result } from "effect"
import type { Trader } from "./Trader.ts"
import type { Traders } from "./Traders.ts"

export interface Work {
  /** It is told of in the log by this name. */
  readonly what: string
  readonly concerns: (trader: Trader) => boolean
  /** Does what is due, and answers when to look again; Infinity for not before something of the trader changes. */
  readonly look: (trader: Trader) => number
}

/** They are looked at whenever their journal has a new row or something of theirs moves, for as long as the scope is open. */
export const make = Effect.fnUntraced(function* (traders: Traders, { concerns, look, what }: Work) {
  const clock = yield* Clock.Clock
  const more = yield* Latch.make(false)
  const dueMillis = new Map<UserId, number>()

  const notice = (trader: Trader) => {
    if (!concerns(trader)) return
    dueMillis.set(trader.userId, -Infinity)
    more.openUnsafe()
  }
  /** A thrown error is a fault of ours: it costs its own trader a new start from the journal, and nobody else anything. */
  const lookAt = Effect.fnUntraced(function* (trader: Trader) {
    const looked = Result.try(() => look(trader))
    if (Result.isSuccess(looked)) return looked.success
    yield* Effect.logError(`the ${what} of user ${trader.userId} could not go on; it is loaded again`, looked.failure)
    traders.drop(trader.userId)
    return Infinity
  })
  const loop = Effect.gen(function* () {
    yield* more.close
    let nextMillis = Infinity
    for (const [userId, atMillis] of Array.from(dueMillis)) {
      let againMillis = atMillis
      if (atMillis <= clock.currentTimeMillisUnsafe()) {
        // Before it is looked at, so that what is noticed meanwhile counts.
        dueMillis.delete(userId)
        const trader = traders.get(userId)
        againMillis = trader === undefined ? Infinity : yield* lookAt(trader)
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

/** Timers know no longer times than some weeks. */
const longestSleepMillis = 86_400_000
