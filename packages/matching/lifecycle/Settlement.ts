/** Settlement and delisting of a contract: cancels its orders, then closes its positions at one price (rule 19.3). */
import * as Settlement from "@venue/domain/Settlement"
import { isOver } from "@venue/domain/TradingState"
import { cancelMarket, sorted } from "../orders/CancelMarket.ts"
import { type Events, type Market, mostEvents } from "../Market.ts"
import * as OffBookTrade from "../risk/OffBookTrade.ts"
import type { Account } from "../state/Participants.ts"
import * as Pricing from "../prices/Pricing.ts"
import * as Takeovers from "../risk/Takeovers.ts"
import { ofTrade } from "../orders/TradeId.ts"
import * as TradingState from "./TradingState.ts"

/** Begins settlement. A market that never had a price has nothing to close and is delisted at once. */
export const begin = (market: Market, atMillis: number, events: Events): void => {
  const { instrument, prices, tradingState } = market
  if (tradingState === "TRADING" || isOver(tradingState)) return
  if (prices === undefined) return TradingState.record(market, "DELISTED", atMillis, events)
  TradingState.record(market, "IN_SETTLEMENT", atMillis, events)
  const averageE8 = Settlement.average(market.oracleSamples, prices.oracleE8)
  const priceTicks = Settlement.nearestTicks(instrument, averageE8)
  apply(market, priceTicks)
  events.push({ _tag: "SettlementBegan", averageE8, priceTicks, atMillis })
  Pricing.fix(market, priceTicks * instrument.tickE8, atMillis, events)
  Takeovers.abandon(market, atMillis, events)
  proceed(market, atMillis, events)
}

export const apply = (market: Market, priceTicks: number): void => {
  market.settlementTicks = priceTicks
}

/** Continues the settlement where the previous decision stopped because of its event limit. */
export const proceed = (market: Market, atMillis: number, events: Events): void => {
  if (market.tradingState !== "IN_SETTLEMENT") return
  market.timeMillis = atMillis
  const upTo = events.length + mostEvents
  cancelMarket(market, upTo, "DELISTING", events)
  close(market, upTo, events)
  if (events.length < upTo) TradingState.record(market, "DELISTED", atMillis, events)
}

/** Closes long positions against short positions in the order of their account ids, regardless of their users. */
function close(market: Market, upTo: number, events: Events): void {
  const holders = sorted(market.participants.accounts.filter(({ position }) => position.quantityLots !== 0))
  const longs = holders.filter(({ position }) => position.quantityLots > 0).values()
  const shorts = holders.filter(({ position }) => position.quantityLots < 0).values()
  let long = longs.next().value
  let short = shorts.next().value
  while (long !== undefined && short !== undefined && events.length < upTo) {
    trade(market, long, short, Math.min(long.position.quantityLots, -short.position.quantityLots), events)
    if (long.position.quantityLots === 0) long = longs.next().value
    if (short.position.quantityLots === 0) short = shorts.next().value
  }
}

/** Records a trade between two accounts. Each fill gets its own order, whose id is derived from the trade. */
function trade(market: Market, long: Account, short: Account, lots: number, events: Events): void {
  const tradeId = ofTrade(market.trades + 1, market.salt)
  OffBookTrade.trade(
    market,
    {
      offBook: "SETTLEMENT",
      priceTicks: market.settlementTicks,
      lots,
      taker: OffBookTrade.orderOf(market, long, tradeId, "SETTLEMENT", "SELL", lots),
      takerAccount: long,
      takerFee: 0,
      maker: OffBookTrade.orderOf(market, short, tradeId, "SETTLEMENT", "BUY", lots),
      makerAccount: short,
      makerFee: 0,
      makerMargin: 0
    },
    events
  )
}
