/** Series of a panel, from the answers of Prometheus to its queries. */
import type { Target } from "./Dashboard.ts"

/** An answer to `query_range`: times in seconds, values as text. */
export type Matrix = ReadonlyArray<{
  readonly metric: Readonly<Record<string, string>>
  readonly values: ReadonlyArray<readonly [seconds: number, value: string]>
}>

export interface Point {
  /** Unix time in seconds. */
  readonly at: number
  readonly value: number
}

export interface Series {
  readonly name: string
  /** Unbroken stretches, each in order of time. */
  readonly stretches: ReadonlyArray<ReadonlyArray<Point>>
}

/** Returns the series of one query by name. A series breaks where a step has no finite value. */
export const of = ({ legendFormat }: Target, matrix: Matrix, stepSeconds: number): ReadonlyArray<Series> =>
  matrix
    .map(({ metric, values }) => ({ name: nameOf(legendFormat, metric), stretches: stretchesOf(values, stepSeconds) }))
    .filter(({ stretches }) => stretches.length > 0)
    .toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }))

const nameOf = (legend: string, metric: Readonly<Record<string, string>>): string =>
  legend.replaceAll(/\{\{\s*([a-zA-Z_]\w*)\s*\}\}/g, (_, label: string) => metric[label] ?? "").trim()

const stretchesOf = (values: Matrix[number]["values"], stepSeconds: number): ReadonlyArray<ReadonlyArray<Point>> => {
  const stretches: Array<Array<Point>> = []
  let last = -Infinity
  for (const [at, text] of values) {
    // Prometheus writes infinities as "+Inf" and "-Inf", which `Number` reads as NaN.
    const value = Number(text)
    if (!Number.isFinite(value)) continue
    if (at - last > stepSeconds * 1.5) stretches.push([])
    stretches.at(-1)!.push({ at, value })
    last = at
  }
  return stretches
}

/** Returns the last value of a series. */
export const lastOf = ({ stretches }: Series): number => stretches.at(-1)!.at(-1)!.value

export const valuesOf = (all: ReadonlyArray<Series>): ReadonlyArray<number> =>
  all.flatMap(({ stretches }) => stretches.flatMap((points) => points.map(({ value }) => value)))
