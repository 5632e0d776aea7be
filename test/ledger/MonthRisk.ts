/** Liquidation work of the desks in a month, and the reports that they send to takeovers (rule 9). */
import { standMillis, type Stand, type TakeoverOpened } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { isFresh } from "@venue/domain/Oracle"
import { type Account, refresh } from "@venue/ledger/Account"
import * as Ledger from "@venue/ledger/Ledger"
import * as Liquidation from "@venue/ledger/Liquidation"
import * as Engine from "@venue/matching/Engine"
import { assert } from "@effect/vitest"
import { id } from "../Id.ts"
import { type Month, type MonthMarket, type MonthTrader, tell } from "./Month.ts"
import * as Twin from "./Twin.ts"

/** Work that is due at a given time, between the commands of the streams. */
interface Due {
  readonly atMillis: number
  readonly act: () => void
}

export interface MonthRisk {
  /** Runs all work that is due by this time. */
  readonly pass: (atMillis: number) => void
  /** Checks every account, because marks, money or positions may have changed. */
  readonly look: (atMillis: number) => void
}

export const make = (month: Month): MonthRisk => {
  let due: Array<Due> = []
  const triedAtMillis = new Map<Account, number>()

  const later = (atMillis: number, act: () => void) => {
    due = [...due, { atMillis, act }].sort((a, b) => a.atMillis - b.atMillis)
  }
  const look = (atMillis: number) => {
    for (const trader of month.traders.values()) {
      for (const account of trader.trader.accounts.values()) lookAt(trader, account, atMillis)
    }
  }
  const lookAt = (trader: MonthTrader, account: Account, atMillis: number) => {
    refresh(account, month.prices)
    const { accountId } = account
    if (!Liquidation.isInLiquidation(account) || atMillis < (triedAtMillis.get(account) ?? 0) + everyMillis) return
    const next = Liquidation.measure(account, (symbol) => isOpen(month, symbol, atMillis))
    if (next === undefined) return
    assert.isTrue(Twin.isInLiquidation(trader.twin, accountId), `${accountId} has more than it must keep`)
    triedAtMillis.set(account, atMillis)
    const market = marketOf(month, next.exposure.instrument.symbol)
    const command = { ...next.measure, ...envelope(month, market, trader, account, atMillis) }
    endOrders(trader, account, market, atMillis)
    const act = (nowMillis: number) => {
      const events = tell(month, market, nowMillis, command)
      for (const event of events) if (event._tag === "TakeoverOpened") answer(market, event)
      if (events.some(({ _tag }) => _tag === "Traded")) again(trader, account, nowMillis + everyMillis)
    }
    // Some commands are delayed; the market ignores them if position or mark has changed by then.
    const lateMillis = month.chance.percent(25) ? month.chance.whole(1, 3_000) : 0
    if (lateMillis === 0) act(atMillis)
    else later(atMillis + lateMillis, () => act(atMillis + lateMillis))
  }
  const again = (trader: MonthTrader, account: Account, atMillis: number) =>
    later(atMillis, () => lookAt(trader, account, atMillis))
  /** Cancels the account's orders in other markets too. */
  const endOrders = ({ trader }: MonthTrader, account: Account, but: MonthMarket, atMillis: number) => {
    for (const symbol of Liquidation.ordered(account)) {
      if (symbol === but.symbol) continue
      const market = marketOf(month, symbol)
      const request = { commandId: id(`end-${++month.lastId}`), expiresAtMillis: atMillis + 5_000, symbol }
      const { accountId } = account
      const epoch = epochIn(market, trader.userId)
      const all = { _tag: "CancelAllOrders", ...request, accountId, cause: "LIQUIDATION" } as const
      tell(month, market, atMillis, Ledger.enter(trader, all, epoch))
    }
  }
  const answer = (market: MonthMarket, { accountId, atMillis, userId }: TakeoverOpened) =>
    later(atMillis + standMillis, () => {
      const events = tell(month, market, atMillis + standMillis, {
        _tag: "CloseTakeovers",
        stands: standsIn(month, market)
      })
      // The next command triggers a takeover of the quantity that no trader has taken.
      if (!events.some(({ _tag }) => _tag === "Traded")) return
      const trader = month.traders.get(userId)!
      again(trader, trader.trader.accounts.get(accountId)!, atMillis + everyMillis)
    })

  return {
    pass: (atMillis) => {
      while (due.length > 0 && due[0]!.atMillis <= atMillis) due.shift()!.act()
    },
    look
  }
}

/** Returns takeover reports for every account with a position or provider limit. Most reports arrive in time. */
function standsIn(month: Month, { symbol }: MonthMarket): ReadonlyArray<Stand> {
  const stands: Array<Stand> = []
  for (const [userId, { trader }] of month.traders) {
    for (const account of trader.accounts.values()) {
      const exposure = account.exposures.get(symbol)
      if (exposure === undefined || month.chance.percent(10)) continue
      refresh(account, month.prices)
      const stand = { userId, ...Liquidation.stand(account, exposure) }
      if (stand.provider !== null || exposure.position.quantityLots !== 0) stands.push(stand)
    }
  }
  return stands
}

function isOpen(month: Month, symbol: MarketSymbol, atMillis: number): boolean {
  const { engine, stream } = marketOf(month, symbol)
  const prices = month.prices.get(symbol)
  return (
    prices !== undefined && Engine.tradingState(engine) === "TRADING" && isFresh(stream.instrument, prices, atMillis)
  )
}

function envelope(
  month: Month,
  market: MonthMarket,
  { trader }: MonthTrader,
  { accountId }: Account,
  atMillis: number
) {
  const { userId } = trader
  const commandId = id(`measure-${++month.lastId}`)
  return { commandId, expiresAtMillis: atMillis + 5_000, traderEpoch: epochIn(market, userId), userId, accountId }
}

const marketOf = (month: Month, symbol: MarketSymbol): MonthMarket =>
  month.markets.find((market) => market.symbol === symbol)!

/** Returns the highest trader epoch that the market has recorded. */
function epochIn({ log }: MonthMarket, userId: string): number {
  const raised = log.findLast((event) => event._tag === "EpochRaised" && event.userId === userId)
  return raised?._tag === "EpochRaised" ? raised.traderEpoch : 1
}

/** Delay before a failed step is retried. */
const everyMillis = 1_000
