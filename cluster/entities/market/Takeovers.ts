/** The open takeovers of a market: what desks can do for them is kept until they are closed, half a second later. */
import type { AccountId } from "@venue/domain/AccountId"
import { type Stand, standMillis } from "@venue/domain/Liquidation"
import { Clock, Effect, type Scope } from "effect"
import * as Beat from "../../feed/Beat.ts"
import type { MarketLog } from "./MarketLog.ts"

export interface Takeovers {
  /** The latest of an account counts. */
  readonly stand: (stands: ReadonlyArray<Stand>) => void
}

/** Closes takeovers while the scope is open, also those that an earlier owner of the market opened. */
export const make = Effect.fnUntraced(function* (
  log: Pick<MarketLog, "observe" | "submit" | "takeovers">
): Effect.fn.Return<Takeovers, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const stands = new Map<AccountId, Stand>()
  /** Nothing is closed before then. */
  let notBeforeMillis = 0

  /** Of those that one decision has no room for, desks tell anew what they can do. */
  const close = (nowMillis: number) => {
    notBeforeMillis = nowMillis + standMillis
    log.submit([{ _tag: "CloseTakeovers", stands: [...stands.values()] }], () => {})
  }
  const look = Effect.sync(() => {
    const [oldest] = log.takeovers()
    const nowMillis = clock.currentTimeMillisUnsafe()
    if (oldest === undefined) stands.clear()
    else if (nowMillis >= Math.max(notBeforeMillis, oldest.atMillis + standMillis)) close(nowMillis)
    return oldest !== undefined
  })
  const beat = yield* Beat.make(lookMillis, look)
  log.observe({
    committed: ({ events }) => {
      if (events.some(({ _tag }) => _tag === "TakeoverOpened")) beat.start()
    },
    reclaimed: beat.start
  })
  beat.start()
  return {
    stand: (told) => {
      if (log.takeovers().length === 0) return
      for (const stand of told)
        if (stands.size < maxStands || stands.has(stand.accountId)) stands.set(stand.accountId, stand)
    }
  } satisfies Takeovers as Takeovers
})

/** While a takeover is open, the time is looked at this often. */
const lookMillis = 100
/** So many accounts are heard for one market; the rest are asked last. */
const maxStands = 65_536
