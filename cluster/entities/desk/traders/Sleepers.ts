/** Traders that are not here yet: whoever is asked for comes first, then those that wake-up entries name. Claimed group by group. */
import type { UserId } from "@venue/domain/UserId"
import { Effect, Latch } from "effect"
import type { Trader } from "./Trader.ts"
import type { TraderClaims } from "./TraderClaims.ts"

export interface Sleepers {
  readonly isWaking: (userId: UserId) => boolean
  /** Calls back with the trader, or with undefined when it could not be loaded. */
  readonly wake: (userId: UserId, tell: (trader: Trader | undefined) => void) => void
  /** They are claimed behind all that are asked for. */
  readonly name: (userIds: Iterable<UserId>) => void
  /** So many of those that were named are not here yet. */
  readonly named: () => number
  /** Waits until each that was named has been claimed, or could not be. */
  readonly caughtUp: Effect.Effect<void>
}

export const make = (
  traders: ReadonlyMap<UserId, Trader>,
  load: TraderClaims["load"],
  /** One that was named could not be loaded. */
  missed: (userId: UserId) => void,
  run: (effect: Effect.Effect<void>) => void
): Sleepers => {
  let asked = new Map<UserId, Array<(trader: Trader | undefined) => void>>()
  const named = new Set<UserId>()
  const caughtUp = Latch.makeUnsafe(true)
  let isLoading = false

  const loadAll: Effect.Effect<void> = Effect.gen(function* () {
    while (asked.size + named.size > 0) {
      const asking = [...asked].slice(0, maxGroup)
      asked = new Map([...asked].slice(maxGroup))
      const group = new Set(asking.map(([userId]) => userId))
      for (const userId of named) if (group.size < maxGroup) group.add(userId)
      // Who was asked for again while being claimed is here by now; a second claim would fence the first.
      yield* load([...group].filter((userId) => !traders.has(userId)))
      for (const [userId, tells] of asking) for (const tell of tells) tell(traders.get(userId))
      for (const userId of group) if (named.delete(userId) && !traders.has(userId)) missed(userId)
      if (named.size === 0) caughtUp.openUnsafe()
    }
    isLoading = false
  })
  const start = () => {
    if (isLoading) return
    isLoading = true
    run(Effect.andThen(Effect.yieldNow, loadAll))
  }

  return {
    isWaking: (userId) => asked.has(userId),
    wake: (userId, tell) => {
      const tells = asked.get(userId)
      if (tells === undefined) asked.set(userId, [tell])
      else tells.push(tell)
      start()
    },
    name: (userIds) => {
      for (const userId of userIds) if (!traders.has(userId)) named.add(userId)
      if (named.size === 0) return
      caughtUp.closeUnsafe()
      start()
    },
    named: () => named.size,
    caughtUp: caughtUp.await
  }
}

/** Traders claimed by one pair of statements. */
const maxGroup = 256
