/** Prints market-data frames: each body is built once for all subscribers, and numbered for each connection. */
import { moneyScale } from "@venue/domain/Decimal"
import type { OffBook } from "@venue/domain/Execution"
import type { Instrument } from "@venue/domain/Instrument"
import type { Priced, Traded } from "@venue/domain/Market"
import type { PriceRange } from "@venue/domain/PriceBand"
import * as Digits from "../Digits.ts"
import { startOf } from "../rest/ChartRange.ts"
import type { Interval, SigFigs } from "./CommandSchema.ts"
import * as FrameText from "./FrameText.ts"
import type { PriceLevel } from "./FrameText.ts"
import type { Subscription } from "./Subscription.ts"

export type { PriceLevel } from "./FrameText.ts"
export { err, type ErrorCode, malformed, rateLimited } from "../ErrorFrame.ts"

/** Frame without its sequence number: the text before and after the number. */
export interface Body {
  readonly head: string
  readonly tail: string
}

/** Returns the frame for one connection; `sequence` numbers its data frames from 1. */
export const frame = (body: Body, sequence: number): string => `${body.head}${sequence}${body.tail}`

/** Prints a full snapshot of at most 20 levels per side; reads levels, best price first, only until it has enough. */
export const level2 = (
  instrument: Instrument,
  bids: Iterable<PriceLevel>,
  asks: Iterable<PriceLevel>,
  sigFigs: SigFigs,
  atMillis: number
): Body =>
  bodyOf(
    "level2",
    `,${FrameText.head(instrument, atMillis)},"bid":${FrameText.pairs(
      instrument,
      grouped(bids, sigFigs, Math.floor)
    )},"ask":${FrameText.pairs(instrument, grouped(asks, sigFigs, Math.ceil))},"sig_figs":${sigFigs}}`
  )

/** Prints the best price of each side; `undefined` for a side without orders. */
export const bbo = (
  instrument: Instrument,
  bid: PriceLevel | undefined,
  ask: PriceLevel | undefined,
  atMillis: number
): Body => bodyOf("bbo", `,${FrameText.head(instrument, atMillis)},${FrameText.best(instrument, bid, ask)}}`)

/** Prints a trade; `side` is the taker's side. */
export const trade = (
  instrument: Instrument,
  { atMillis, offBook, priceTicks, quantityLots, taker, tradeId }: Traded
): Body =>
  bodyOf(
    "trade",
    `,"trade_id":"${tradeId.text}",${FrameText.head(instrument, atMillis)},"size":"${Digits.units(
      quantityLots * instrument.lotE8
    )}","price":"${FrameText.price(instrument, priceTicks)}","side":"${
      taker.order.side === "BUY" ? "buy" : "sell"
    }","execution_type":"${offBook === undefined ? (taker.order.origin === "LIQUIDATION" ? "L" : "T") : offBookTypes[offBook]}"}`
  )

/** Codes for off-book trades; public data does not distinguish a takeover from a deleveraging. */
const offBookTypes: Readonly<Record<OffBook, string>> = { TAKEOVER: "A", DELEVERAGING: "A", SETTLEMENT: "S" }

/** Prints a mark price in 1e-8 USD, which need not be a multiple of the tick. */
export const markPrice = (instrument: Instrument, mark: number, atMillis: number): Body =>
  bodyOf("mark_price", `,${FrameText.head(instrument, atMillis)},"price":"${Digits.units(mark)}"}`)

/** Prints the underlier's oracle price, in 1e-8 USD. */
export const underlier = (instrument: Instrument, { atMillis, oracleE8, source }: Priced): Body =>
  bodyOf(
    "underlier",
    `,${FrameText.head(instrument, atMillis)},"price":"${Digits.units(oracleE8)}","source":"${
      source === "external" || source === "operator" ? "external" : "internal"
    }"}`
  )

/** Prints the current hour's funding rate, given in 1e-12 of the notional at the mark price. */
export const funding = (instrument: Instrument, rateE12: number, atMillis: number): Body =>
  bodyOf("funding", `,${FrameText.head(instrument, atMillis)},${FrameText.rate(rateE12, atMillis)}}`)

/** Prints the open interest, given in lots. */
export const openInterest = (instrument: Instrument, lots: number, atMillis: number): Body =>
  bodyOf(
    "open_interest",
    `,${FrameText.head(instrument, atMillis)},"open_interest":"${FrameText.quantity(instrument, BigInt(lots))}"}`
  )

/** Prints the range of accepted prices. */
export const minmaxPrice = (instrument: Instrument, { lowerTicks, upperTicks }: PriceRange, atMillis: number): Body =>
  bodyOf(
    "minmax_price",
    `,${FrameText.head(instrument, atMillis)},"min_price":"${FrameText.price(
      instrument,
      lowerTicks
    )}","max_price":"${FrameText.price(instrument, upperTicks)}"}`
  )

/**
 * Candle. Prices are in 1e-8 USD instead of ticks, because they are mark prices before the first trade. Notional in
 * 1e-6 USD.
 */
export interface Candle {
  readonly startMinute: number
  readonly openE8: number
  readonly highE8: number
  readonly lowE8: number
  readonly closeE8: number
  readonly notional: bigint
  readonly trades: number
}

/** Prints a candle; rounds the volume down to whole USD. */
export const candle = ({ symbol }: Instrument, interval: Interval, of: Candle): Body =>
  bodyOf(
    "candle",
    `,"symbol":"${symbol}","start":"${startOf(of.startMinute)}","resolution":"${interval}","open":"${Digits.units(
      of.openE8
    )}","high":"${Digits.units(of.highE8)}","low":"${Digits.units(of.lowE8)}","close":"${Digits.units(
      of.closeE8
    )}","usdVolume":${of.notional / BigInt(moneyScale)},"trades":${of.trades}}`
  )

/** Prints the confirmation of a subscription; like an error frame, it has no sequence number. */
export const confirmation = ({ _tag, channels, intervals, sigFigs, symbols }: Subscription): string =>
  JSON.stringify({
    type: _tag === "Subscribe" ? "subscribed" : "unsubscribed",
    channels,
    symbols,
    ...(channels.includes("level2") ? { sig_figs: sigFigs } : {}),
    ...(channels.includes("candle") ? { intervals } : {})
  })

/** Maximum number of levels per side of a snapshot. */
export const depth = 20

/** Returns a body from the frame's type and the text that follows the sequence number. */
export const bodyOf = (type: string, tail: string): Body => ({ head: `{"type":"${type}","sequence":`, tail })

/** Sums levels into groups of 1, 10 or 100 ticks, each at its worst price: bids are rounded down, and asks up. */
const grouped = (
  levels: Iterable<PriceLevel>,
  sigFigs: SigFigs,
  round: (groups: number) => number
): ReadonlyArray<PriceLevel> => {
  const group = 10 ** sigFigs
  const totals = new Map<number, number>()
  for (const { priceTicks, quantityLots } of levels) {
    const at = round(priceTicks / group) * group
    const total = totals.get(at)
    if (total === undefined && totals.size === depth) break
    totals.set(at, (total ?? 0) + quantityLots)
  }
  return Array.from(totals, ([priceTicks, quantityLots]) => ({ priceTicks, quantityLots }))
}
