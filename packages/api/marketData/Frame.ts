/** Every frame the market-data socket sends: built once for all who hear it, numbered for each. */
import { text } from "@venue/domain/Decimal"
import { type ExecutionType, executionTypeOf } from "@venue/domain/Execution"
import { type Instrument, priceDecimals } from "@venue/domain/Instrument"
import { hourMillis } from "@venue/domain/Funding"
import type { Priced, Traded } from "@venue/domain/Market"
import type { PriceRange } from "@venue/domain/PriceBand"
import * as Digits from "../Digits.ts"
import type { SigFigs } from "./CommandSchema.ts"
import type { Subscription } from "./Subscription.ts"

export { err, type ErrorCode, malformed, rateLimited } from "../ErrorFrame.ts"

/** A message without its number: what stands before it and what after. */
export interface Body {
  readonly head: string
  readonly tail: string
}

/** A total of one price: ticks and lots. */
export interface PriceLevel {
  readonly priceTicks: number
  readonly quantityLots: number
}

/** The message as one connection gets it. `sequence` counts that connection's data messages from 1. */
export const frame = (body: Body, sequence: number): string => `${body.head}${sequence}${body.tail}`

/** Best price first on both sides, of which no more are taken than it tells: a whole snapshot of at most 20 levels a side. */
export const level2 = (
  instrument: Instrument,
  bids: Iterable<PriceLevel>,
  asks: Iterable<PriceLevel>,
  sigFigs: SigFigs,
  atMillis: number
): Body =>
  bodyOf(
    "level2",
    `,"time":"${Digits.instant(atMillis)}","symbol":"${instrument.symbol}","bid":${pairs(
      instrument,
      grouped(bids, sigFigs, Math.floor)
    )},"ask":${pairs(instrument, grouped(asks, sigFigs, Math.ceil))},"sig_figs":${sigFigs}}`
  )

/** A side without orders is `undefined`. */
export const bbo = (
  instrument: Instrument,
  bid: PriceLevel | undefined,
  ask: PriceLevel | undefined,
  atMillis: number
): Body =>
  bodyOf(
    "bbo",
    `,"time":"${Digits.instant(atMillis)}","symbol":"${instrument.symbol}","bid":${pairs(
      instrument,
      bid === undefined ? [] : [bid]
    )},"ask":${pairs(instrument, ask === undefined ? [] : [ask])}}`
  )

/** `side` is the aggressor's. */
export const trade = (instrument: Instrument, traded: Traded): Body =>
  bodyOf(
    "trade",
    `,"trade_id":"${traded.tradeId.text}","time":"${Digits.instant(
      traded.atMillis
    )}","symbol":"${instrument.symbol}","size":"${Digits.units(traded.quantityLots * instrument.lotE8)}","price":"${priceText(
      instrument,
      traded.priceTicks
    )}","side":"${traded.taker.order.side === "BUY" ? "buy" : "sell"}","execution_type":"${executionTypes[executionTypeOf(traded.offBook, traded.taker.order)]}"}`
  )

const executionTypes: Record<ExecutionType, string> = { NEW: "T", LIQUIDATION: "L", ADL: "A", SETTLEMENT: "S" }

/** The mark is in 1e-8 USD and need not be a whole number of ticks. */
export const markPrice = (instrument: Instrument, mark: number, atMillis: number): Body =>
  bodyOf(
    "mark_price",
    `,"time":"${Digits.instant(atMillis)}","symbol":"${instrument.symbol}","price":"${Digits.units(mark)}"}`
  )

export const underlier = (instrument: Instrument, { atMillis, oracleE8, source }: Priced): Body =>
  bodyOf(
    "underlier",
    `,"time":"${Digits.instant(atMillis)}","symbol":"${instrument.symbol}","price":"${Digits.units(oracleE8)}","source":"${
      source === "external" || source === "operator" ? "external" : "internal"
    }"}`
  )

/** The rate of an hour as it is told: in 1e-12 of the value at the mark. */
export const funding = (instrument: Instrument, rateE12: number, atMillis: number): Body =>
  bodyOf("funding", `,"time":"${Digits.instant(atMillis)}","symbol":"${instrument.symbol}",${rate(rateE12, atMillis)}}`)

export const openInterest = (instrument: Instrument, lots: number, atMillis: number): Body =>
  bodyOf(
    "open_interest",
    `,"time":"${Digits.instant(atMillis)}","symbol":"${instrument.symbol}","open_interest":"${quantity(instrument, BigInt(lots))}"}`
  )

export const minmaxPrice = (instrument: Instrument, { lowerTicks, upperTicks }: PriceRange, atMillis: number): Body =>
  bodyOf(
    "minmax_price",
    `,"time":"${Digits.instant(atMillis)}","symbol":"${instrument.symbol}","min_price":"${priceText(
      instrument,
      lowerTicks
    )}","max_price":"${priceText(instrument, upperTicks)}"}`
  )

/** Not numbered, as errors are not. */
export const confirmation = ({ _tag, channels, sigFigs, symbols }: Subscription): string =>
  JSON.stringify({
    type: _tag === "Subscribe" ? "subscribed" : "unsubscribed",
    channels,
    symbols,
    ...(channels.includes("level2") ? { sig_figs: sigFigs } : {})
  })

/** Levels a side of a snapshot. */
export const depth = 20

const bodyOf = (type: string, tail: string): Body => ({ head: `{"type":"${type}","sequence":`, tail })

/** Both rates are rounded to the nearest; the annual one is of the hourly one as it is told. */
const rate = (rateE12: number, atMillis: number): string => {
  const hourlyE8 = Math.round(rateE12 / 10_000)
  const yearlyE4 = Math.round((hourlyE8 * hoursOfYear) / 10_000)
  const remaining = Math.ceil((hourMillis - (atMillis % hourMillis)) / 1_000)
  return `"funding_rate":"${Digits.units(hourlyE8)}","annualised_funding_rate":"${Digits.plain(
    yearlyE4 / 10_000
  )}","time_remaining":${remaining}`
}

const hoursOfYear = 8_760

/** Exact beyond what a number can count. */
const quantity = ({ lotE8 }: Instrument, lots: bigint): string => Digits.bigUnits(lots * BigInt(lotE8))

const pairs = (instrument: Instrument, levels: ReadonlyArray<PriceLevel>): string =>
  `[${levels
    .map(
      ({ priceTicks: price, quantityLots: quantity }) =>
        `["${priceText(instrument, price)}","${Digits.units(quantity * instrument.lotE8)}"]`
    )
    .join(",")}]`

/** With all decimals of the tick. */
const priceText = (instrument: Instrument, ticks: number): string =>
  text(ticks * instrument.tickE8, priceDecimals(instrument))

/** Groups of 10 or 100 ticks, away from the middle: the total of each stands at a price no better than any in it. */
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
