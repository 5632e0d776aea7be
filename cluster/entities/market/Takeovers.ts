/**
 * A market's open takeovers. Desks send stands, which state what their accounts can take over. The takeovers close
 * half a second later.
 */
import type { AccountId } from "@venue/domain/AccountId"
import { type Stand, standMillis } from "@venue/domain/Liquidation"
import { Clock, Effect, type Scope, identity } from "effect"
import * as Beat from "../../feed/Beat.ts"
import type { MarketLog } from "./MarketLog.ts"

export interface Takeovers {
  /** Stores the accounts' stands; a newer stand replaces an account's older one. */
  readonly stand: (stands: ReadonlyArray<Stand>) => void
}

/** Closes takeovers while the scope is open, including takeovers that an earlier owner of the market opened. */
export const make = Effect.fnUntraced(function* (
  log: Pick<MarketLog, "observe" | "submit" | "takeovers">
): Effect.fn.Return<Takeovers, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const stands = new Map<AccountId, Stand>()
  /** Earliest time at which takeovers can close next. */
  let notBeforeMillis = 0

  /** If one decision leaves takeovers open, desks send new stands before the next decision. */
  const close = (nowMillis: number) => {
    notBeforeMillis = nowMillis + standMillis
    log.submit([{ _tag: "CloseTakeovers", stands: [...stands.values()] }], () => {})
  }
  const check = Effect.sync(() => {
    const [oldest] = log.takeovers()
    const nowMillis = clock.currentTimeMillisUnsafe()
    if (oldest === undefined) stands.clear()
    else if (nowMillis >= Math.max(notBeforeMillis, oldest.atMillis + standMillis)) close(nowMillis)
    return oldest !== undefined
  })
  const beat = yield* Beat.make(checkMillis, check)
  log.observe({
    committed: ({ events }) => {
      if (events.some(({ _tag }) => _tag === "TakeoverOpened")) beat.start()
    },
    reclaimed: beat.start
  })
  beat.start()
  return identity<Takeovers>({
    stand: (received) => {
      if (log.takeovers().length === 0) return
      for (const stand of received)
        if (stands.size < maxStands || stands.has(stand.accountId)) stands.set(stand.accountId, stand)
    }
  })
})

/** Interval between checks for due takeovers while at least one takeover is open. */
const checkMillis = 100
/** Maximum number of stands per market. Accounts without a stored stand count as silent and are used last. */
const maxStands = 65_536
