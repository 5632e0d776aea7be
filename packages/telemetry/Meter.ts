/**
 * Series of the catalogue's metrics, stored in the registry of `effect/Metric`. A series is made once and then updated
 * by a function call. A value that exists as state is read when the metrics are scraped.
 */
import { Context, Effect, Metric, Result, type Scope } from "effect"
import type { Definition, Labels } from "./Definition.ts"

/** Readings that run before each scrape. Each returns false if it failed. */
export const Collectors = Context.Reference<Set<() => boolean>>("@venue/telemetry/Collectors", {
  defaultValue: () => new Set()
})

/** Value of one series. */
export type Sample<Label extends string> = readonly [labels: Labels<Label>, value: number]

/** Adds to a counter, 1 by default. */
export type Add = (by?: number) => void

/** Returns a function that adds to a counter, which starts at 0 at once. */
export const counter = <Label extends string>(
  definition: Definition<Label, "counter">,
  labels: Labels<Label>
): Effect.Effect<Add> =>
  Effect.map(Effect.context<never>(), (context) => {
    const metric = counterOf(definition, labels)
    metric.valueUnsafe(context)
    return (by = 1) => metric.updateUnsafe(by, context)
  })

/** Returns a function that adds to the counter with these labels. */
export const counters = <Label extends string>(definition: Definition<Label, "counter">) =>
  Effect.map(Effect.context<never>(), (context) => {
    const series = byLabels(definition, (labels: Labels<Label>) => counterOf(definition, labels))
    return (labels: Labels<Label>, by = 1): void => series(labels).updateUnsafe(by, context)
  })

/** Returns a function that records a value in a histogram, which is empty at once. */
export const histogram = <Label extends string>(
  definition: Definition<Label, "histogram">,
  labels: Labels<Label>
): Effect.Effect<(value: number) => void> =>
  Effect.map(Effect.context<never>(), (context) => {
    const metric = histogramOf(definition, labels)
    metric.valueUnsafe(context)
    return (value) => metric.updateUnsafe(value, context)
  })

/** Returns a function that records a value in the histogram with these labels. */
export const histograms = <Label extends string>(definition: Definition<Label, "histogram">) =>
  Effect.map(Effect.context<never>(), (context) => {
    const series = byLabels(definition, (labels: Labels<Label>) => histogramOf(definition, labels))
    return (labels: Labels<Label>, value: number): void => series(labels).updateUnsafe(value, context)
  })

/**
 * Reads values at each scrape until the scope closes. A series that a later reading leaves out is removed. The reading
 * must not wait.
 */
export const collect = Effect.fnUntraced(function* <Label extends string>(
  definition: Definition<Label, "counter" | "gauge">,
  read: () => Iterable<Sample<Label>>
): Effect.fn.Return<void, never, Scope.Scope> {
  const context = yield* Effect.context<never>()
  const collectors = yield* Collectors
  const series = new Map<string, Collected>()
  const remove = (key: string) => {
    series.get(key)?.registration.remove()
    series.delete(key)
  }
  const refresh = () => {
    const samples = Result.try(() => [...read()])
    const left = new Set(series.keys())
    for (const [labels, value] of Result.isSuccess(samples) ? samples.success : []) {
      const key = keyOf(definition, labels)
      left.delete(key)
      const known = series.get(key)
      if (known === undefined) series.set(key, register(definition, labels, value, context))
      else known.value = value
    }
    left.forEach(remove)
    return Result.isSuccess(samples)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => collectors.add(refresh)),
    () =>
      Effect.sync(() => {
        collectors.delete(refresh)
        for (const key of series.keys()) remove(key)
      })
  )
})

/** Reads one value without labels at each scrape; undefined leaves the series out. */
export const collectOne = (definition: Definition<never, "counter" | "gauge">, read: () => number | undefined) =>
  collect(definition, () => {
    const value = read()
    return value === undefined ? [] : [[{}, value] as const]
  })

/** Returns the age of an event in seconds; +Inf for an event without a time. */
export const ageSeconds = (nowMillis: number, atMillis: number | null | undefined): number =>
  atMillis === null || atMillis === undefined ? Infinity : Math.max(0, nowMillis - atMillis) / 1_000

/** Returns 1 for true and 0 for false. */
export const flag = (is: boolean): number => (is ? 1 : 0)

interface Collected {
  value: number
  readonly registration: Metric.Registration
}

const register = <Label extends string>(
  definition: Definition<Label, "counter" | "gauge">,
  labels: Labels<Label>,
  value: number,
  context: Context.Context<never>
): Collected => {
  const collected = { value }
  const ignore = () => {}
  const registration =
    definition.type === "counter"
      ? Metric.registerUnsafe(counterOf(definition as Definition<Label, "counter">, labels), context, {
          get: () => ({ count: collected.value, incremental: true }),
          update: ignore,
          modify: ignore
        })
      : Metric.registerUnsafe(gaugeOf(definition, labels), context, {
          get: () => ({ value: collected.value }),
          update: ignore,
          modify: ignore
        })
  return Object.assign(collected, { registration })
}

const counterOf = <Label extends string>({ help, name }: Definition<Label, "counter">, labels: Labels<Label>) =>
  Metric.counter(name, { description: help, attributes: labels, incremental: true })

const gaugeOf = <Label extends string>({ help, name }: Definition<Label>, labels: Labels<Label>) =>
  Metric.gauge(name, { description: help, attributes: labels })

const histogramOf = <Label extends string>(
  { boundaries, help, name }: Definition<Label, "histogram">,
  labels: Labels<Label>
) => Metric.histogram(name, { description: help, attributes: labels, boundaries })

const keyOf = <Label extends string>({ labels: names }: Definition<Label>, labels: Labels<Label>): string =>
  names.map((name) => labels[name]).join("\n")

/** Remembers the series of each combination of labels, so that an update builds no new one. */
const byLabels = <Label extends string, A>(definition: Definition<Label>, make: (labels: Labels<Label>) => A) => {
  const made = new Map<string, A>()
  return (labels: Labels<Label>): A => {
    const key = keyOf(definition, labels)
    let series = made.get(key)
    if (series === undefined) made.set(key, (series = make(labels)))
    return series
  }
}
