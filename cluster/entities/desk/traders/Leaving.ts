/**
 * Makes traders leave markets in which they hold only cash, ten minutes after their last command. A trader that has
 * left all markets has no wake-up entry, so a desk that moves does not load it.
 */
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect, Latch } from "effect"
import type { Trader } from "./Trader.ts"
import type { Traders } from "./Traders.ts"

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const clock = yield* Clock.Clock
  const more = yield* Latch.make(false)
  /** Time at which each trader is checked, in insertion order, because all traders wait equally long. */
  const dueMillis = new Map<UserId, number>()
  const now = () => clock.currentTimeMillisUnsafe()

  const notice = ({ ledger, userId }: Trader) => {
    if (dueMillis.has(userId) || ledger.joined.size === ledger.left.size) return
    dueMillis.set(userId, now() + unusedMillis)
    more.openUnsafe()
  }
  const checkDue = () => {
    let count = 0
    for (const [userId, atMillis] of dueMillis) {
      if (atMillis > now() || count++ === maxStep) return
      dueMillis.delete(userId)
      const trader = traders.get(userId)
      trader?.leaveUnused(now() - unusedMillis)
      // A trader that stays in a market is checked again later.
      if (trader !== undefined) notice(trader)
    }
  }
  const step = Effect.gen(function* () {
    yield* more.close
    const [earliest] = dueMillis.values()
    if (earliest === undefined) return yield* more.await
    yield* Effect.sleep(Math.max(earliest - now(), pauseMillis))
    checkDue()
  })

  for (const trader of traders.all()) notice(trader)
  traders.watch(notice)
  yield* Effect.forkScoped(Effect.forever(step))
})

/**
 * Time without commands after which a trader leaves a market. Long enough that an occasional trader does not keep
 * leaving and rejoining.
 */
const unusedMillis = 600_000
/** Maximum number of traders checked at once, and the pause between two checks. */
const maxStep = 16
const pauseMillis = 20
