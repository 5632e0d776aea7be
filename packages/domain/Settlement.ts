/**
 * The end of a contract: every position is closed at one price, the average of the oracle price over the last half hour of
 * trade (rule 19.3). Prices in 1e-8 USD.
 */
import type { Instrument } from "./Instrument.ts"

/** Positions of a market that does not trade are closed for good. One that trades goes on. */
export interface Delist {
  readonly _tag: "Delist"
}

/** From here on positions are closed at this price, until nobody has one. */
export interface SettlementBegan {
  readonly _tag: "SettlementBegan"
  /** The average, rounded down. */
  readonly averageE8: number
  /** The average to the nearest tick. */
  readonly priceTicks: number
  readonly atMillis: number
}

/** The oracle price at each 5 s mark of the last half hour in which the market traded; replaced and never changed. */
export interface OracleSamples {
  /** A price and how often it was sampled without a break, the oldest first. */
  readonly runs: ReadonlyArray<readonly [priceE8: number, count: number]>
  /** The marks up to this one were looked at. */
  readonly lastMark: number
}

export const unsampled: OracleSamples = { runs: [], lastMark: 0 }

/** Takes the marks up to a time, at which this price was in force; `undefined` where none is to be sampled. */
export const sampled = (samples: OracleSamples, priceE8: number | undefined, atMillis: number): OracleSamples => {
  const lastMark = Math.floor(atMillis / sampleMillis)
  const count = Math.min(lastMark - samples.lastMark, mostSamples)
  if (count <= 0) return samples
  return { runs: priceE8 === undefined ? samples.runs : added(samples.runs, priceE8, count), lastMark }
}

/** Gives the average, rounded down, or the price that is given where nothing was sampled. */
export const average = ({ runs }: OracleSamples, otherwiseE8: number): number => {
  let sum = 0n
  let samples = 0n
  for (const [priceE8, count] of runs) {
    sum += BigInt(priceE8) * BigInt(count)
    samples += BigInt(count)
  }
  return samples === 0n ? otherwiseE8 : Number(sum / samples)
}

/** Gives the nearest whole number of ticks, of two equally near the higher, and one at least. */
export const nearestTicks = ({ tickE8 }: Instrument, priceE8: number): number =>
  Math.max(1, Math.floor(priceE8 / tickE8) + ((priceE8 % tickE8) * 2 >= tickE8 ? 1 : 0))

const sampleMillis = 5_000
/** Half an hour of them. */
const mostSamples = 360

function added(runs: OracleSamples["runs"], priceE8: number, count: number): OracleSamples["runs"] {
  const last = runs.at(-1)
  const longer =
    last?.[0] === priceE8
      ? runs.with(runs.length - 1, [priceE8, last[1] + count] as const)
      : [...runs, [priceE8, count] as const]
  let excess = longer.reduce((sum, [, each]) => sum + each, -mostSamples)
  let first = 0
  for (; excess > 0 && longer[first]![1] <= excess; first++) excess -= longer[first]![1]
  const kept = first === 0 ? longer : longer.slice(first)
  return excess > 0 ? kept.with(0, [kept[0]![0], kept[0]![1] - excess] as const) : kept
}
