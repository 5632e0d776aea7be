/** Prints the parts that market-data frames share: prices, levels, quantities and rates. */
import { text } from "@venue/domain/Decimal"
import { hourMillis } from "@venue/domain/Funding"
import { type Instrument, priceDecimals } from "@venue/domain/Instrument"
import * as Digits from "../Digits.ts"

/** Level of a book: price in ticks and total quantity in lots. */
export interface PriceLevel {
  readonly priceTicks: number
  readonly quantityLots: number
}

/** Returns a level's price and size as decimal text. */
export const levelText = (
  instrument: Instrument,
  { priceTicks, quantityLots }: PriceLevel
): readonly [string, string] => [price(instrument, priceTicks), Digits.units(quantityLots * instrument.lotE8)]

/** Prints levels as a JSON array of pairs: price and size. */
export const pairs = (instrument: Instrument, levels: ReadonlyArray<PriceLevel>): string =>
  `[${levels
    .map((level) => levelText(instrument, level))
    .map(([price, size]) => `["${price}","${size}"]`)
    .join(",")}]`

/** Prints the best level of each side; `undefined` for a side without orders. */
export const best = (instrument: Instrument, bid: PriceLevel | undefined, ask: PriceLevel | undefined): string =>
  `"bid":${pairs(instrument, bid === undefined ? [] : [bid])},"ask":${pairs(instrument, ask === undefined ? [] : [ask])}`

/** Prints a price with all decimals of the tick. */
export const price = (instrument: Instrument, ticks: number): string =>
  text(ticks * instrument.tickE8, priceDecimals(instrument))

/** Prints a quantity; also exact beyond the safe integers. */
export const quantity = ({ lotE8 }: Instrument, lots: bigint): string => Digits.bigUnits(lots * BigInt(lotE8))

/** Prints the members `time` and `symbol`. */
export const head = ({ symbol }: Instrument, atMillis: number): string =>
  `"time":"${Digits.instant(atMillis)}","symbol":"${symbol}"`

/** Rounds an hourly rate from 1e-12 to the nearest 1e-8 of the notional, the precision of the wire. */
export const publishedRateE8 = (rateE12: number): number => Math.round(rateE12 / 10_000)

/**
 * Prints an hourly rate (in 1e-12 of the notional), its annual rate after rounding, and the hour's remaining seconds.
 */
export const rate = (rateE12: number, atMillis: number): string => {
  const hourlyE8 = publishedRateE8(rateE12)
  const yearlyE4 = Math.round((hourlyE8 * hoursOfYear) / 10_000)
  const remaining = Math.ceil((hourMillis - (atMillis % hourMillis)) / 1_000)
  return `"funding_rate":"${Digits.units(hourlyE8)}","annualised_funding_rate":"${Digits.plain(
    yearlyE4 / 10_000
  )}","time_remaining":${remaining}`
}

const hoursOfYear = 8_760
