/**
 * Funding: what positions pay each other each hour, so that the book stays with the outside price (rule 10). Market and
 * trader book an hour with the same function, and so agree.
 */
import { Schema } from "effect"
import { mulDivDown } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"
import type { Funded, Level } from "./Market.ts"
import { fund, type Position } from "./Position.ts"
import type { Side } from "./Order.ts"

/** Payments are due at whole hours of UTC. */
export const hourMillis = 3_600_000

/** The premium is sampled at whole multiples of this. */
export const sampleMillis = 5_000

/** The samples of an hour so far: `weighted` is the sum of i times the i-th of them. */
export const Samples = Schema.Struct({ count: Schema.Number, weighted: Schema.Number })
export type Samples = typeof Samples.Type

export const noSamples: Samples = { count: 0, weighted: 0 }

/**
 * Gives the average price in 1e-8 USD at which the resting orders of a side, best level first, would take the impact
 * notional (rule 10.1): rounded down for bids and up for asks, which is towards no premium. It is undefined where they
 * have too little.
 */
export const impactPriceE8 = (
  instrument: Instrument,
  side: Side,
  levels: Iterable<Pick<Level, "priceTicks" | "quantityLots">>
): number | undefined => {
  const notional = impactNotional(instrument)
  const money = BigInt(instrument.tickLotMicros)
  let lots = 0n
  let left = notional
  for (const { priceTicks, quantityLots } of levels) {
    const price = BigInt(priceTicks)
    const value = price * BigInt(quantityLots) * money
    if (value < left) {
      lots += BigInt(quantityLots)
      left -= value
      continue
    }
    // The notional over the lots of whole levels and the part of this one: left / (price * money).
    const above = notional * price * BigInt(instrument.tickE8)
    const below = lots * price * money + left
    return Number(side === "BUY" ? above / below : (above + below - 1n) / below)
  }
  return undefined
}

/**
 * Gives the premium of the book over the outside price in 1e-10 of it, rounded towards zero (rule 10.2). A side without
 * an impact price counts as none; the whole outside price is the most there is.
 */
export const premiumE10 = (oracleE8: number, bidE8: number | undefined, askE8: number | undefined): number => {
  const above = Math.max(0, (bidE8 ?? 0) - oracleE8)
  const below = askE8 === undefined ? 0 : Math.max(0, oracleE8 - askE8)
  return share(above, oracleE8) - share(below, oracleE8)
}

/** Adds so many samples, all of this premium. */
export const sampled = ({ count, weighted }: Samples, premium: number, times: number): Samples => ({
  count: count + times,
  weighted: weighted + premium * (times * count + (times * (times + 1)) / 2)
})

/**
 * Gives the rate of an hour in 1e-12 of the value, rounded towards zero (rule 10.4): the average in which later samples
 * weigh more, less what of it is within the dead zone, and of that a hundredth. Without samples it is 0.
 */
export const rateE12 = ({ count, weighted }: Samples): number => {
  if (count === 0) return 0
  const average = Math.trunc(weighted / ((count * (count + 1)) / 2))
  // A hundredth of so many 1e-10 is as many 1e-12.
  return average - Math.min(Math.max(average, -deadZoneE10), deadZoneE10)
}

/**
 * Gives what a position receives for an hour, in 1e-6 USD, negative when it pays (rule 10.5). Who pays pays a fraction as
 * a whole one, and who receives receives it not at all.
 */
export const payment = (
  instrument: Instrument,
  quantityLots: number,
  { markE8, rateE12 }: Pick<Funded, "rateE12" | "markE8">
): number => {
  const exact = BigInt(quantityLots) * BigInt(instrument.lotE8) * BigInt(markE8) * BigInt(rateE12)
  return Number(exact > 0n ? -((exact + perMicro - 1n) / perMicro) : -exact / perMicro)
}

/** Books an hour on a position, and returns what it received, negative when it paid. */
export const book = (
  position: Position,
  instrument: Instrument,
  funded: Pick<Funded, "rateE12" | "markE8">
): number => {
  const received = payment(instrument, position.quantityLots, funded)
  fund(position, received)
  return received
}

/** In 1e-6 USD. */
function impactNotional({ category }: Instrument): bigint {
  return category === "FX" ? 100_000_000_000n : 10_000_000_000n
}

function share(differenceE8: number, oracleE8: number): number {
  return Math.min(whole, mulDivDown(differenceE8, whole, oracleE8))
}

/** All of the outside price, in 1e-10 of it. */
const whole = 10_000_000_000
/** Five basis points. */
const deadZoneE10 = 5_000_000
/** A lot in 1e-8, a price in 1e-8 and a rate in 1e-12, and money in 1e-6. */
const perMicro = 10n ** 22n
