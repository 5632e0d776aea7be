/** How market data prints what several of its frames tell: prices, levels, quantities and rates. */
import { text } from "@venue/domain/Decimal"
import { hourMillis } from "@venue/domain/Funding"
import { type Instrument, priceDecimals } from "@venue/domain/Instrument"
import * as Digits from "../Digits.ts"

/** A total of one price: ticks and lots. */
export interface PriceLevel {
  readonly priceTicks: number
  readonly quantityLots: number
}

/** Price and size. */
export const levelText = (
  instrument: Instrument,
  { priceTicks, quantityLots }: PriceLevel
): readonly [string, string] => [price(instrument, priceTicks), Digits.units(quantityLots * instrument.lotE8)]

export const pairs = (instrument: Instrument, levels: ReadonlyArray<PriceLevel>): string =>
  `[${levels
    .map((level) => levelText(instrument, level))
    .map(([price, size]) => `["${price}","${size}"]`)
    .join(",")}]`

/** The best of each side; one without orders is `undefined`. */
export const best = (instrument: Instrument, bid: PriceLevel | undefined, ask: PriceLevel | undefined): string =>
  `"bid":${pairs(instrument, bid === undefined ? [] : [bid])},"ask":${pairs(instrument, ask === undefined ? [] : [ask])}`

/** With all decimals of the tick. */
export const price = (instrument: Instrument, ticks: number): string =>
  text(ticks * instrument.tickE8, priceDecimals(instrument))

/** Exact beyond what a number can count. */
export const quantity = ({ lotE8 }: Instrument, lots: bigint): string => Digits.bigUnits(lots * BigInt(lotE8))

/** When it is so, and of what. */
export const head = ({ symbol }: Instrument, atMillis: number): string =>
  `"time":"${Digits.instant(atMillis)}","symbol":"${symbol}"`

/** Gives the rate of an hour in 1e-8 of the value at the mark, as it is told: rounded to the nearest. */
export const toldRateE8 = (rateE12: number): number => Math.round(rateE12 / 10_000)

/** The rate of an hour, in 1e-12 of the value at the mark; the annual one is of it as it is told, and rounded as it is. */
export const rate = (rateE12: number, atMillis: number): string => {
  const hourlyE8 = toldRateE8(rateE12)
  const yearlyE4 = Math.round((hourlyE8 * hoursOfYear) / 10_000)
  const remaining = Math.ceil((hourMillis - (atMillis % hourMillis)) / 1_000)
  return `"funding_rate":"${Digits.units(hourlyE8)}","annualised_funding_rate":"${Digits.plain(
    yearlyE4 / 10_000
  )}","time_remaining":${remaining}`
}

const hoursOfYear = 8_760
