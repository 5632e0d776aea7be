/**
 * Fires the dead-man switches of a desk's traders (rule 4.21) on one timer. The journal records the firing before any
 * order is cancelled, so a fenced owner cancels nothing. Cancel ids are derived from the firing, so every owner sends
 * the same ids and a market executes each cancel once.
 */
import type { AccountId } from "@venue/domain/AccountId"
import * as DeadManSwitch from "@venue/domain/DeadManSwitch"
import * as Ledger from "@venue/ledger/DeadManSwitches"
import { Clock, Effect } from "effect"
import * as DueTraders from "../traders/DueTraders.ts"
import * as MarketCancels from "../orders/MarketCancels.ts"
import type { OrderTimes } from "../orders/OrderTimes.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

type Fired = ReturnType<typeof Ledger.fired>[number]

/** Cancels for one account whose switch has fired. */
interface Firing extends MarketCancels.MarketCancels {
  readonly firedMillis: number
}

export const make = Effect.fnUntraced(function* (traders: Traders, times: Pick<OrderTimes, "after">) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const firings = new Map<AccountId, Firing>()

  const begin = (trader: Trader, { accountId, firedMillis }: Fired): Firing => {
    const cutoff = { connectionId: "", accountId, atMillis: firedMillis }
    const cancels = MarketCancels.make(trader, cutoff, times, now, (symbol) => {
      const attempt = Math.floor((now() - firedMillis) / attemptMillis)
      const commandId = DeadManSwitch.cancelId(accountId, firedMillis, symbol, attempt)
      return { commandId, expiresAtMillis: firedMillis + (attempt + 1) * attemptMillis }
    })
    const firing = { ...cancels, firedMillis }
    firings.set(accountId, firing)
    return firing
  }
  /** Continues a firing that the journal has recorded. */
  const advance = (trader: Trader, fired: Fired) => {
    const { accountId, firedMillis } = fired
    const before = firings.get(accountId)
    const hasBegun = before?.trader === trader && before.firedMillis === firedMillis
    if (!(hasBegun ? before : begin(trader, fired)).advance()) return
    firings.delete(accountId)
    trader.change({ _tag: "EndFiring", accountId, firedMillis }, () => {})
  }
  const run = (trader: Trader): number => {
    if (Ledger.nextMillis(trader.ledger) <= now()) trader.change({ _tag: "FireDeadManSwitches" }, () => {})
    const fired = Ledger.fired(trader.ledger)
    if (fired.length === 0) return Ledger.nextMillis(trader.ledger)
    trader.whenRecorded((isRecorded) => {
      if (isRecorded) for (const firing of fired) advance(trader, firing)
    })
    return Math.min(Ledger.nextMillis(trader.ledger), now() + checkMillis)
  }
  yield* DueTraders.make(traders, {
    name: "dead-man switches",
    concerns: ({ ledger }) => Ledger.isAnyOn(ledger),
    run
  })
})

/** Lifetime of one cancel attempt. Attempts are counted from the firing, so that every owner derives the same ids. */
const attemptMillis = 60_000
/** Interval at which the desk checks whether all cancels are recorded. */
const checkMillis = 500
