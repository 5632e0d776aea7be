/** Naive twin (reference implementation) of the charts: each query processes all events from the first one. */
import type { MarketEvent, Traded } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"

type Events = ReadonlyArray<MarketEvent>
const of = <Tag extends MarketEvent["_tag"]>(events: Events, tag: Tag) =>
  events.filter((event): event is Extract<MarketEvent, { _tag: Tag }> => event._tag === tag)
const within = <Event extends MarketEvent>(events: ReadonlyArray<Event>, from: number, before: number) =>
  events.filter(({ atMillis }) => minuteOf(atMillis) >= from && minuteOf(atMillis) < before)

const trades = (events: Events) => of(events, "Traded").filter(({ offBook }) => offBook === undefined)
const total = (trades: ReadonlyArray<Traded>, amount: (trade: Traded) => number) =>
  trades.reduce((sum, trade) => sum + BigInt(amount(trade)), 0n)

const candleOf = (trades: ReadonlyArray<Traded>) => {
  const prices = trades.map(({ priceTicks }) => priceTicks)
  const bought = trades.filter(({ taker }) => taker.order.side === "BUY")
  return {
    openTicks: prices[0]!,
    highTicks: Math.max(...prices),
    lowTicks: Math.min(...prices),
    closeTicks: prices.at(-1)!,
    volumeLots: total(trades, ({ quantityLots }) => quantityLots),
    notional: total(trades, ({ notional }) => notional),
    trades: trades.length,
    takerBuyLots: total(bought, ({ quantityLots }) => quantityLots),
    takerBuyNotional: total(bought, ({ notional }) => notional)
  }
}

export const candles = (events: Events, starts: ReadonlyArray<number>, minutes: number) =>
  starts.flatMap((startMinute) => {
    const inWindow = within(trades(events), startMinute, startMinute + minutes)
    return inWindow.length === 0 ? [] : [{ startMinute, ...candleOf(inWindow) }]
  })

const minuteCandle = (events: Events, symbol: MarketSymbol, minute: number) => ({
  symbol,
  minute,
  ...candleOf(within(trades(events), minute, minute + 1))
})

export const candleBefore = (events: Events, symbol: MarketSymbol, beforeMinute: number) => {
  const last = within(trades(events), 0, beforeMinute).at(-1)
  return last === undefined ? undefined : minuteCandle(events, symbol, minuteOf(last.atMillis))
}

export const recent = (events: Events, symbol: MarketSymbol, afterMinute: number) =>
  [...new Set(within(trades(events), afterMinute + 1, Infinity).map(({ atMillis }) => minuteOf(atMillis)))].map(
    (minute) => minuteCandle(events, symbol, minute)
  )

const middlesOf = (events: Events) =>
  of(events, "Priced").flatMap(({ askTicks, bidTicks }) => (bidTicks * askTicks === 0 ? [] : [bidTicks + askTicks]))

export const prices = (events: Events, starts: ReadonlyArray<number>, minutes: number) =>
  starts.flatMap((startMinute) => {
    const inWindow = within(of(events, "Priced"), startMinute, startMinute + minutes)
    const [first, last] = [inWindow[0], inWindow.at(-1)]
    if (first === undefined || last === undefined) return []
    const oracles = inWindow.map(({ oracleE8 }) => oracleE8)
    const middles = middlesOf(inWindow)
    return [
      {
        startMinute,
        oracleOpenE8: first.oracleE8,
        oracleHighE8: Math.max(...oracles),
        oracleLowE8: Math.min(...oracles),
        oracleCloseE8: last.oracleE8,
        markOpenE8: first.markE8,
        markCloseE8: last.markE8,
        middleOpenHalfTicks: middles[0] ?? 0,
        middleCloseHalfTicks: middles.at(-1) ?? 0,
        openInterestOpenLots: first.openInterestLots,
        openInterestCloseLots: last.openInterestLots
      }
    ]
  })

export const pricesBefore = (events: Events, beforeMinute: number) => {
  const inWindow = within(of(events, "Priced"), 0, beforeMinute)
  const last = inWindow.at(-1)
  if (last === undefined) return undefined
  const { markE8, openInterestLots, oracleE8 } = last
  return { oracleE8, markE8, middleHalfTicks: middlesOf(inWindow).at(-1) ?? 0, openInterestLots }
}

export const marksFrom = (events: Events, minute: number) => {
  const marks = new Map(of(events, "Priced").map(({ atMillis, markE8 }) => [minuteOf(atMillis), markE8]))
  const before = [...marks.keys()].findLast((one) => one <= minute) ?? -Infinity
  return [...marks].flatMap(([one, markE8]) => (one >= before ? [{ minute: one, markE8 }] : []))
}

export const firstMinute = (events: Events) => {
  const first = of(events, "Priced")[0]
  return first && minuteOf(first.atMillis)
}

export const lastMinute = (events: Events) => {
  const last = of(events, "Priced").at(-1)
  return last && minuteOf(last.atMillis)
}

export const openInterestAt = (events: Events, minute: number) =>
  within(of(events, "Priced"), 0, minute).at(-1)?.openInterestLots

export const fundingAt = (events: Events, minute: number) => {
  const funded = within(of(events, "Funded"), 0, minute + 1).at(-1)
  return funded && [funded.rateE12, funded.skipped]
}

/** Holders are counted at the start of a minute, so this minute's count is included. */
export const holdersAt = (events: Events, minute: number) => {
  const counted = within(of(events, "HoldersCounted"), 0, minute + 1).at(-1)
  return counted && [counted.longUsers, counted.shortUsers]
}
