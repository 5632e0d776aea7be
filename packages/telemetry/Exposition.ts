/** The metrics of this process as Prometheus text. */
import { Context, Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as Catalogue from "./Catalogue.ts"
import * as Nodes from "./catalogue/Nodes.ts"
import * as Meter from "./Meter.ts"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** Path at which every process serves its metrics. */
export const path = "/metrics"

/** Returns a function that reads all values and formats them. A reading that fails leaves out its own metric. */
export const make = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const collectors = yield* Meter.Collectors
  const faults = yield* Meter.counter(Nodes.collectorFaults, {})
  return (): string => {
    for (const collect of collectors) if (!collect()) faults()
    const registry = Context.get(context, Metric.MetricRegistry)
    // Libraries add metrics of their own to the registry.
    const ours = new Map([...registry].filter(([, { id }]) => Catalogue.names.has(id)))
    return PrometheusMetrics.formatUnsafe(Context.add(context, Metric.MetricRegistry, ours))
  }
})
