/**
 * A trader leaves the markets where nothing of it is but cash, after ten minutes without a command: it has no wake-up entry
 * for them, so that a desk that moves need not wake it. Looked at a few at a time, and nothing is done while none is due.
 */
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect, Latch } from "effect"
import type { Trader } from "./Trader.ts"
import type { Traders } from "./Traders.ts"

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const clock = yield* Clock.Clock
  const more = yield* Latch.make(false)
  /** Each is looked at then, the soonest first: all wait equally long. */
  const dueMillis = new Map<UserId, number>()
  const now = () => clock.currentTimeMillisUnsafe()

  const notice = ({ ledger, userId }: Trader) => {
    if (dueMillis.has(userId) || ledger.joined.size === ledger.left.size) return
    dueMillis.set(userId, now() + unusedMillis)
    more.openUnsafe()
  }
  const lookAtSome = () => {
    let count = 0
    for (const [userId, atMillis] of dueMillis) {
      if (atMillis > now() || count++ === maxStep) return
      dueMillis.delete(userId)
      const trader = traders.get(userId)
      trader?.leaveUnused(now() - unusedMillis)
      // Where it stays it is looked at again, behind all others.
      if (trader !== undefined) notice(trader)
    }
  }
  const step = Effect.gen(function* () {
    yield* more.close
    const [soonest] = dueMillis.values()
    if (soonest === undefined) return yield* more.await
    yield* Effect.sleep(Math.max(soonest - now(), pauseMillis))
    lookAtSome()
  })

  for (const trader of traders.all()) notice(trader)
  traders.watch(notice)
  yield* Effect.forkScoped(Effect.forever(step))
})

/** Long enough that who trades now and then does not come and go. */
const unusedMillis = 600_000
/** Traders of one step, and the pause between two. */
const maxStep = 16
const pauseMillis = 20
