/** Values in Grafana's units, and the ticks of an axis. */

interface Scale {
  readonly factor: number
  readonly suffix: string
}

export interface Unit {
  readonly prefix: string
  /** Scales in rising order. A value is written in the largest scale that it reaches. */
  readonly scales: ReadonlyArray<Scale>
}

const scales = (...rows: ReadonlyArray<readonly [factor: number, suffix: string]>): ReadonlyArray<Scale> =>
  rows.map(([factor, suffix]) => ({ factor, suffix }))

const plain = scales([1, ""])
const thousands = (suffix: string) =>
  scales([1, suffix], [1e3, ` K${suffix}`], [1e6, ` M${suffix}`], [1e9, ` B${suffix}`])

/** The units that the dashboards use, by Grafana's identifier. */
const units: Readonly<Record<string, Unit>> = {
  none: { prefix: "", scales: plain },
  short: { prefix: "", scales: thousands("") },
  ops: { prefix: "", scales: thousands(" ops/s") },
  reqps: { prefix: "", scales: thousands(" req/s") },
  currencyUSD: { prefix: "$", scales: thousands("") },
  percentunit: { prefix: "", scales: scales([0.01, " %"]) },
  s: { prefix: "", scales: scales([1e-6, " µs"], [1e-3, " ms"], [1, " s"], [60, " min"], [3_600, " h"]) },
  bytes: { prefix: "", scales: scales([1, " B"], [2 ** 10, " KiB"], [2 ** 20, " MiB"], [2 ** 30, " GiB"]) },
  Bps: { prefix: "", scales: scales([1, " B/s"], [1e3, " kB/s"], [1e6, " MB/s"], [1e9, " GB/s"]) }
}

export const unitOf = (id: string): Unit => {
  const unit = units[id]
  if (unit === undefined) throw new Error(`unit "${id}": expected one of ${Object.keys(units).join(", ")}`)
  return unit
}

/** Writes the value in the scale that fits it, with three significant digits, or rounded to whole numbers. */
export const text = (unit: Unit, value: number, decimals?: number): string => {
  const { factor, suffix } = scaleOf(unit, Math.abs(value))
  const scaled = Math.abs(value) / factor
  const digits = decimals === 0 && factor === 1 ? Math.round(scaled) : Number(scaled.toPrecision(3))
  return `${value < 0 && digits > 0 ? "-" : ""}${unit.prefix}${digits}${suffix}`
}

const scaleOf = ({ scales }: Unit, size: number): Scale => {
  const usual = scales.find(({ factor }) => factor === 1) ?? scales[0]!
  return size === 0 ? usual : (scales.findLast(({ factor }) => size >= factor * 0.9995) ?? scales[0]!)
}

export interface Bounds {
  readonly min?: number
  readonly max?: number
  /** With 0, ticks are whole numbers. */
  readonly decimals?: number
}

export interface Axis {
  readonly low: number
  readonly high: number
  readonly ticks: ReadonlyArray<{ readonly value: number; readonly text: string }>
}

const wantedTicks = 4

/** Returns an axis that contains all values, with ticks at multiples of 1, 2 or 5 of the scale. */
export const axisOf = (unit: Unit, values: ReadonlyArray<number>, { decimals, max, min }: Bounds): Axis => {
  const least = min ?? values.reduce((a, b) => Math.min(a, b), Infinity)
  const most = max ?? values.reduce((a, b) => Math.max(a, b), -Infinity)
  const [from, to] = most > least ? [least, most] : [least - (min === undefined ? 1 : 0), least + 1]
  const { factor } = scaleOf(unit, Math.max(Math.abs(from), Math.abs(to)))
  const step = Math.max(niceStep((to - from) / wantedTicks / factor) * factor, decimals === 0 ? 1 : 0)
  const low = min ?? Math.floor(from / step + 1e-9) * step
  const high = max ?? Math.ceil(to / step - 1e-9) * step
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  // Multiplies instead of adding up, so that rounding errors do not grow.
  const ticks = Array.from({ length: count }, (_, at) => (first + at) * step)
  return { low, high, ticks: ticks.map((value) => ({ value, text: text(unit, value) })) }
}

const niceStep = (rough: number): number => {
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 5].find((multiple) => rough <= multiple * power * (1 + 1e-9)) ?? 10)
}

/** Returns the whole multiples of a usual interval within the range, at most seven. */
export const timesOf = (from: number, to: number): ReadonlyArray<{ readonly at: number; readonly text: string }> => {
  const step = [15, 30, 60, 120, 300, 600, 900, 1_800].find((seconds) => (to - from) / seconds <= 7) ?? 3_600
  const first = Math.ceil(from / step) * step
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, at) => first + at * step).map((at) => ({
    at,
    text: new Date(at * 1_000).toISOString().slice(...(step < 60 ? [11, 19] : [11, 16]))
  }))
}
