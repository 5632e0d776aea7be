/**
 * Traders that are not loaded yet, claimed in groups. Traders that a caller is waiting for come before those from
 * wake-up entries.
 */
import type { UserId } from "@venue/domain/UserId"
import { Effect, Latch } from "effect"
import type { Trader } from "./Trader.ts"
import type { TraderClaims } from "./TraderClaims.ts"

export interface Sleepers {
  /** Whether a caller is waiting for the trader. */
  readonly isWaking: (userId: UserId) => boolean
  /** Calls back with the trader, or with undefined if it could not be loaded. */
  readonly wake: (userId: UserId, done: (trader: Trader | undefined) => void) => void
  /** Queues traders behind those with a caller. */
  readonly enqueue: (userIds: Iterable<UserId>) => void
  /** Returns the number of queued traders that are not loaded yet. */
  readonly pendingCount: () => number
  /** Waits until every queued trader has been claimed or has failed. */
  readonly caughtUp: Effect.Effect<void>
}

export const make = (
  traders: ReadonlyMap<UserId, Trader>,
  load: TraderClaims["load"],
  /** Called for a queued trader that could not be loaded. */
  missed: (userId: UserId) => void,
  run: (effect: Effect.Effect<void>) => void
): Sleepers => {
  let requested = new Map<UserId, Array<(trader: Trader | undefined) => void>>()
  const queued = new Set<UserId>()
  const caughtUp = Latch.makeUnsafe(true)
  let isLoading = false

  const loadAll: Effect.Effect<void> = Effect.gen(function* () {
    while (requested.size + queued.size > 0) {
      const next = [...requested].slice(0, maxGroup)
      requested = new Map([...requested].slice(maxGroup))
      const group = new Set(next.map(([userId]) => userId))
      for (const userId of queued) if (group.size < maxGroup) group.add(userId)
      // A trader requested again during its claim is loaded by now, and a second claim would fence the first.
      yield* load([...group].filter((userId) => !traders.has(userId)))
      for (const [userId, callbacks] of next) for (const done of callbacks) done(traders.get(userId))
      for (const userId of group) if (queued.delete(userId) && !traders.has(userId)) missed(userId)
      if (queued.size === 0) caughtUp.openUnsafe()
    }
    isLoading = false
  })
  const start = () => {
    if (isLoading) return
    isLoading = true
    run(Effect.andThen(Effect.yieldNow, loadAll))
  }

  return {
    isWaking: (userId) => requested.has(userId),
    wake: (userId, done) => {
      const callbacks = requested.get(userId)
      if (callbacks === undefined) requested.set(userId, [done])
      else callbacks.push(done)
      start()
    },
    enqueue: (userIds) => {
      for (const userId of userIds) if (!traders.has(userId)) queued.add(userId)
      if (queued.size === 0) return
      caughtUp.closeUnsafe()
      start()
    },
    pendingCount: () => queued.size,
    caughtUp: caughtUp.await
  }
}

/** Maximum number of traders that one pair of statements claims. */
const maxGroup = 256
