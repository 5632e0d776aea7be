/** Metrics of this process: event loop, memory, garbage collection, CPU time, open files. */
import * as Nodes from "@venue/telemetry/catalogue/Nodes"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect, Result } from "effect"
import { readdirSync } from "node:fs"
import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks"

export interface ProcessIdentity {
  readonly name: string
  readonly kind: "runner" | "gateway" | "auditor" | "wallet"
  readonly release: string
  readonly isReady: () => boolean
}

/** Provides the values until the scope closes. */
export const collect = Effect.fnUntraced(function* ({ isReady, kind, name, release }: ProcessIdentity) {
  const startedAtMillis = (yield* Clock.currentTimeMillis) - process.uptime() * 1_000
  yield* Meter.collect(Nodes.info, () => [[{ node: name, kind, release }, 1]])
  yield* Meter.collectOne(Nodes.ready, () => Meter.flag(isReady()))
  yield* Meter.collectOne(Nodes.startTime, () => Math.round(startedAtMillis / 1_000))
  yield* Meter.collect(Nodes.memory, () => {
    const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
    return [
      [{ area: "resident" }, rss],
      [{ area: "heap_used" }, heapUsed],
      [{ area: "heap_total" }, heapTotal],
      [{ area: "external" }, external]
    ]
  })
  yield* Meter.collect(Nodes.cpuSeconds, () => {
    const { system, user } = process.cpuUsage()
    return [
      [{ mode: "user" }, user / 1e6],
      [{ mode: "system" }, system / 1e6]
    ]
  })
  yield* Meter.collectOne(Nodes.openFiles, openFiles)
  yield* collectEventLoop
  yield* collectGarbage
})

/** The histogram starts anew at each scrape, so that a value covers one scrape interval. */
const collectEventLoop = Effect.gen(function* () {
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: sampleMillis })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  /** The histogram contains the interval of its timer, which is not a delay. */
  const seconds = (nanos: number) => Math.max(0, nanos / 1e6 - sampleMillis) / 1_000
  yield* Meter.collect(Nodes.eventLoopDelay, () => {
    const samples = [
      [{ quantile: "0.5" }, seconds(delay.percentile(50))],
      [{ quantile: "0.99" }, seconds(delay.percentile(99))],
      [{ quantile: "1" }, seconds(delay.count === 0 ? 0 : delay.max)]
    ] as const
    delay.reset()
    return samples
  })
})

const sampleMillis = 20

const collectGarbage = Effect.gen(function* () {
  const totals = new Map(Object.keys(kinds).map((kind) => [kind, 0]))
  const kindOf = new Map(Object.entries(kinds).map(([kind, code]) => [code, kind]))
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const observer = new PerformanceObserver((list) => {
        for (const { detail, duration } of list.getEntries() as unknown as ReadonlyArray<GarbageCollection>) {
          const kind = kindOf.get(detail.kind)
          if (kind !== undefined) totals.set(kind, totals.get(kind)! + duration / 1_000)
        }
      })
      observer.observe({ entryTypes: ["gc"] })
      return observer
    }),
    (observer) => Effect.sync(() => observer.disconnect())
  )
  yield* Meter.collect(Nodes.collectionSeconds, () => Array.from(totals, ([kind, total]) => [{ kind }, total] as const))
})

/** Entry of type `gc`, whose `detail` Node's types omit. */
interface GarbageCollection {
  readonly duration: number
  readonly detail: { readonly kind: number }
}

const kinds: Readonly<Record<string, number>> = {
  minor: constants.NODE_PERFORMANCE_GC_MINOR,
  major: constants.NODE_PERFORMANCE_GC_MAJOR,
  incremental: constants.NODE_PERFORMANCE_GC_INCREMENTAL,
  weak: constants.NODE_PERFORMANCE_GC_WEAKCB
}

/** Linux and macOS list a process's own descriptors. Listing them opens one more. */
const openFiles = (): number | undefined =>
  ["/proc/self/fd", "/dev/fd"].map((folder) => Result.try(() => readdirSync(folder).length - 1)).find(Result.isSuccess)
    ?.success
