/**
 * The dead-man switches of a desk's traders (rule 4.21): one timer for all of them. That a switch has fired is in the journal
 * before anything is cancelled, so that an owner that was replaced and does not know it cancels nothing. Cancels have the
 * ids that every owner gives them, so that a market does them once.
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

/** The cancels of one account. */
interface Firing extends MarketCancels.MarketCancels {
  readonly firedMillis: number
}

/** They go on for as long as the scope is open. */
export const make = Effect.fnUntraced(function* (traders: Traders, times: Pick<OrderTimes, "after">) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const firings = new Map<AccountId, Firing>()

  const begin = (trader: Trader, { accountId, firedMillis }: Fired): Firing => {
    const lost = { connectionId: "", accountId, heardAtMillis: firedMillis }
    const cancels = MarketCancels.make(trader, lost, times, now, (symbol) => {
      const attempt = Math.floor((now() - firedMillis) / attemptMillis)
      const commandId = DeadManSwitch.cancelId(accountId, firedMillis, symbol, attempt)
      return { commandId, expiresAtMillis: firedMillis + (attempt + 1) * attemptMillis }
    })
    const firing = { ...cancels, firedMillis }
    firings.set(accountId, firing)
    return firing
  }
  /** Its journal has it. */
  const goOn = (trader: Trader, fired: Fired) => {
    const { accountId, firedMillis } = fired
    const before = firings.get(accountId)
    const isBegun = before?.trader === trader && before.firedMillis === firedMillis
    if (!(isBegun ? before : begin(trader, fired)).goOn()) return
    firings.delete(accountId)
    trader.change({ _tag: "EndFiring", accountId, firedMillis }, () => {})
  }
  const look = (trader: Trader): number => {
    if (Ledger.nextMillis(trader.ledger) <= now()) trader.change({ _tag: "FireDeadManSwitches" }, () => {})
    const fired = Ledger.fired(trader.ledger)
    if (fired.length === 0) return Ledger.nextMillis(trader.ledger)
    trader.whenRecorded((isRecorded) => {
      if (isRecorded) for (const one of fired) goOn(trader, one)
    })
    return Math.min(Ledger.nextMillis(trader.ledger), now() + lookAgainMillis)
  }
  yield* DueTraders.make(traders, {
    what: "dead-man switches",
    concerns: ({ ledger }) => Ledger.isAnyOn(ledger),
    look
  })
})

/** A cancel has so much time to come to its market, counted from the firing on so that every owner counts alike. */
const attemptMillis = 60_000
/** Whether all cancels are recorded is looked at this often. */
const lookAgainMillis = 500
