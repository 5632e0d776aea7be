/** Contract split: positions and prices are restated in new units, and all orders are cancelled (rule 19.2). */
import { nearestTicks } from "@venue/domain/Settlement"
import * as Oracle from "@venue/domain/Oracle"
import * as Position from "@venue/domain/Position"
import * as Split from "@venue/domain/Split"
import { cancelMarket } from "../orders/CancelMarket.ts"
import { type Events, type Market, mostEvents } from "../Market.ts"
import * as Participants from "../state/Participants.ts"
import * as Pricing from "../prices/Pricing.ts"
import * as Takeovers from "../risk/Takeovers.ts"

export const split = (market: Market, command: Split.SplitContract, atMillis: number, events: Events): void => {
  const { denominator, exDay, numerator } = command
  const planned = plan(market, command)
  if (planned === undefined || exDay <= market.lastSplitDay || planned.missing > 0) return
  market.timeMillis = atMillis
  const upTo = events.length + mostEvents
  Takeovers.abandon(market, atMillis, events)
  if (!cancelMarket(market, upTo, "SPLIT", events)) return
  const { fundLots, markE8, remainder } = planned
  const done: Split.ContractSplit = {
    _tag: "ContractSplit",
    exDay,
    numerator,
    denominator,
    markE8,
    fundLots,
    remainder,
    atMillis
  }
  apply(market, done)
  events.push(done)
  Pricing.retell(market, atMillis, events)
}

/** Returns the plan for a split, or undefined if the market is not halted or the new price would be invalid. */
export const plan = (
  { instrument, participants, prices, tradingState }: Market,
  ratio: Split.Ratio
):
  | { readonly markE8: number; readonly fundLots: number; readonly remainder: number; readonly missing: number }
  | undefined => {
  if (tradingState !== "HALTED" || prices === undefined || !Split.isRatio(ratio)) return undefined
  const markE8 = Split.priceE8(prices.freshMarkE8, ratio)
  if (markE8 < instrument.tickE8 || markE8 > Oracle.highestE8) return undefined
  let lots = 0
  let received = 0
  for (const { position } of participants.accounts) {
    const after = { ...position }
    received += Split.book(after, instrument, { ...ratio, markE8 })
    lots += after.quantityLots
  }
  const fundLots = 0 - lots
  const remainder = Split.valueOf(instrument, BigInt(fundLots), 1, markE8) - received
  return { markE8, fundLots, remainder, missing: Math.max(0, received - participants.totals.reserveFund) }
}

export const apply = (market: Market, event: Split.ContractSplit): void => {
  const { instrument, participants, prices } = market
  market.timeMillis = event.atMillis
  market.lastSplitDay = event.exDay
  market.lastSplitMillis = event.atMillis
  // Even without a trade, a split can leave an account with zero lots, so holders must be counted again.
  market.countedTrades = -1
  Participants.restateAll(participants, (position) => Split.book(position, instrument, event))
  buyOddLots(market, event)
  if (prices !== undefined) market.prices = inNewUnits(prices, event)
  market.oracleSamples = {
    ...market.oracleSamples,
    runs: market.oracleSamples.runs.map(([priceE8, count]) => [Split.priceE8(priceE8, event), count] as const)
  }
  if (market.lastPriceTicks > 0)
    market.lastPriceTicks = nearestTicks(instrument, Split.priceE8(market.lastPriceTicks * instrument.tickE8, event))
}

/**
 * Buys the odd lots with the reserve fund's money. The fund's account gets only the position; sale proceeds go to the
 * fund.
 */
function buyOddLots({ instrument, participants }: Market, { fundLots, markE8, remainder }: Split.ContractSplit): void {
  const { totals } = participants
  totals.reserveFund += remainder
  totals.cash += remainder
  if (fundLots === 0) return
  const account = Participants.account(participants, Split.fundAccountId, Split.fundUserId)
  const { cost, lots, side } = Split.oddLots(instrument, { fundLots, markE8 })
  Participants.fill(participants, account, side, lots, Math.abs(cost), 0)
  Position.fund(account.position, cost)
  totals.reserveFund -= cost
}

function inNewUnits<Prices extends NonNullable<Market["prices"]>>(prices: Prices, ratio: Split.Ratio): Prices {
  const ticks = (old: number) => Math.max(1, Split.priceE8(old, ratio))
  return {
    ...prices,
    oracleE8: Split.priceE8(prices.oracleE8, ratio),
    toldE8: Split.priceE8(prices.toldE8, ratio),
    markE8: Split.priceE8(prices.markE8, ratio),
    freshMarkE8: Split.priceE8(prices.freshMarkE8, ratio),
    premiumE8: Split.priceE8(prices.premiumE8, ratio),
    lowerTicks: ticks(prices.lowerTicks),
    upperTicks: ticks(prices.upperTicks),
    minPriceTicks: ticks(prices.minPriceTicks),
    maxPriceTicks: ticks(prices.maxPriceTicks)
  }
}
