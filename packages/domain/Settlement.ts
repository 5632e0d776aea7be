/**
 * Settlement of a contract: closes every position at one price, the average oracle price of the last half hour of
 * trading (rule 19.3). Prices in 1e-8 USD.
 */
import type { Instrument } from "./Instrument.ts"

/** Delists a market that is not trading and closes its positions permanently. Has no effect on a trading market. */
export interface Delist {
  readonly _tag: "Delist"
}

/** Settlement began: the following decisions close all positions at `priceTicks`. */
export interface SettlementBegan {
  readonly _tag: "SettlementBegan"
  /** Average oracle price, rounded down. */
  readonly averageE8: number
  /** Average oracle price, rounded to the nearest tick. */
  readonly priceTicks: number
  readonly atMillis: number
}

/** Oracle prices of the last half hour of trading, sampled every 5 s. Immutable. */
export interface OracleSamples {
  /** Runs of equal prices with their lengths, oldest first. */
  readonly runs: ReadonlyArray<readonly [priceE8: number, count: number]>
  /** Number of the newest processed sampling time: its Unix time divided by 5 s. */
  readonly lastMark: number
}

/** Samples of a market that has not traded. */
export const unsampled: OracleSamples = { runs: [], lastMark: 0 }

/**
 * Adds a sample of the current price for each sampling time up to `atMillis`. If the price is undefined, these times
 * are skipped.
 */
export const sampled = (samples: OracleSamples, priceE8: number | undefined, atMillis: number): OracleSamples => {
  const lastMark = Math.floor(atMillis / sampleMillis)
  const count = Math.min(lastMark - samples.lastMark, maxSamples)
  if (count <= 0) return samples
  return { runs: priceE8 === undefined ? samples.runs : added(samples.runs, priceE8, count), lastMark }
}

/** Returns the average, rounded down, or `otherwiseE8` without samples. */
export const average = ({ runs }: OracleSamples, otherwiseE8: number): number => {
  let sum = 0n
  let samples = 0n
  for (const [priceE8, count] of runs) {
    sum += BigInt(priceE8) * BigInt(count)
    samples += BigInt(count)
  }
  return samples === 0n ? otherwiseE8 : Number(sum / samples)
}

/** Returns the nearest whole number of ticks, at least 1; a tie rounds up. */
export const nearestTicks = ({ tickE8 }: Instrument, priceE8: number): number =>
  Math.max(1, Math.floor(priceE8 / tickE8) + ((priceE8 % tickE8) * 2 >= tickE8 ? 1 : 0))

const sampleMillis = 5_000
/** Samples in half an hour. */
const maxSamples = 360

function added(runs: OracleSamples["runs"], priceE8: number, count: number): OracleSamples["runs"] {
  const last = runs.at(-1)
  const longer =
    last?.[0] === priceE8
      ? runs.with(runs.length - 1, [priceE8, last[1] + count] as const)
      : [...runs, [priceE8, count] as const]
  let excess = longer.reduce((sum, [, each]) => sum + each, -maxSamples)
  let first = 0
  for (; excess > 0 && longer[first]![1] <= excess; first++) excess -= longer[first]![1]
  const kept = first === 0 ? longer : longer.slice(first)
  return excess > 0 ? kept.with(0, [kept[0]![0], kept[0]![1] - excess] as const) : kept
}
