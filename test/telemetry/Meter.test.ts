/** Series of metrics: counters, histograms and values that are read at a scrape. */
import { counter, gauge, histogram } from "@venue/telemetry/Definition"
import * as Nodes from "@venue/telemetry/catalogue/Nodes"
import * as Orders from "@venue/telemetry/catalogue/Orders"
import * as Storage from "@venue/telemetry/catalogue/Storage"
import * as Exposition from "@venue/telemetry/Exposition"
import * as Meter from "@venue/telemetry/Meter"
import { assert, it } from "@effect/vitest"
import { Effect, Metric, Scope, Exit } from "effect"
import * as PrometheusText from "./PrometheusText.ts"

/** Runs a test with a registry of its own. */
const alone = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(Effect.provideService(Metric.MetricRegistry, new Map()), Effect.provideService(Meter.Collectors, new Set()))

const scraped = Effect.map(Exposition.make, (text) => () => PrometheusText.parse(text()))

const valuesOf = (families: ReturnType<typeof PrometheusText.parse>, { name }: { readonly name: string }) =>
  families.get(name)?.samples.map(({ labels, value }) => [labels, value])

it.effect("keeps a counter for each combination of labels", () =>
  Effect.gen(function* () {
    const scrape = yield* scraped
    const add = yield* Meter.counters(Orders.orderRefusals)
    add({ symbol: "A", reason: "x" })
    add({ reason: "x", symbol: "A" }, 2)
    add({ symbol: "A", reason: "y" })
    assert.deepStrictEqual(valuesOf(scrape(), Orders.orderRefusals), [
      [{ symbol: "A", reason: "x" }, 3],
      [{ symbol: "A", reason: "y" }, 1]
    ])
  }).pipe(alone)
)

it.effect("shows a counter with fixed labels as 0 before the first addition", () =>
  Effect.gen(function* () {
    const scrape = yield* scraped
    yield* Meter.counter(Storage.flushesInDoubt, {})
    assert.deepStrictEqual(valuesOf(scrape(), Storage.flushesInDoubt), [[{}, 0]])
  }).pipe(alone)
)

it.effect("counts a value in every bucket whose bound it does not exceed", () =>
  Effect.gen(function* () {
    const scrape = yield* scraped
    const record = yield* Meter.histogram(Storage.flushRows, {})
    record(2)
    record(700)
    const samples = scrape().get(Storage.flushRows.name)!.samples
    const bucket = (le: string) => samples.find(({ labels }) => labels["le"] === le)!.value
    assert.deepStrictEqual([bucket("1"), bucket("2"), bucket("500"), bucket("+Inf")], [0, 1, 1, 2])
    assert.strictEqual(samples.find(({ name }) => name === "venue_journal_flush_rows_sum")!.value, 702)
  }).pipe(alone)
)

it.effect("reads a value at each scrape, and removes a series that the reading leaves out", () =>
  Effect.gen(function* () {
    const scrape = yield* scraped
    let waiting: ReadonlyArray<readonly [string, number]> = [["0", 5]]
    const scope = yield* Scope.make()
    yield* Meter.collect(Orders.deskCommandsWaiting, () => waiting.map(([desk, size]) => [{ desk }, size])).pipe(
      Scope.provide(scope)
    )
    assert.deepStrictEqual(valuesOf(scrape(), Orders.deskCommandsWaiting), [[{ desk: "0" }, 5]])
    waiting = [["1", 7]]
    assert.deepStrictEqual(valuesOf(scrape(), Orders.deskCommandsWaiting), [[{ desk: "1" }, 7]])
    yield* Scope.close(scope, Exit.void)
    assert.isUndefined(valuesOf(scrape(), Orders.deskCommandsWaiting))
  }).pipe(alone)
)

it.effect("counts a reading that throws, leaves out its metric, and answers the scrape", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const scrape = yield* scraped
      yield* Meter.collectOne(Storage.journalBytes, () => {
        throw new Error("unreadable")
      })
      yield* Meter.collectOne(Storage.databaseBytes, () => 1)
      const families = scrape()
      assert.isUndefined(families.get(Storage.journalBytes.name))
      assert.deepStrictEqual(valuesOf(families, Storage.databaseBytes), [[{}, 1]])
      assert.deepStrictEqual(valuesOf(families, Nodes.collectorFaults), [[{}, 1]])
    })
  ).pipe(alone)
)

it.effect("leaves out metrics that are not in the catalogue", () =>
  Effect.gen(function* () {
    const scrape = yield* scraped
    yield* Metric.update(Metric.counter("of_a_library"), 1)
    const add = yield* Meter.counter(counter("venue_of_no_catalogue_total", { nodes: [], help: "none" }), {})
    add()
    assert.deepStrictEqual([...scrape().keys()], [Nodes.collectorFaults.name])
  }).pipe(alone)
)

it("gives each kind of definition its type and its boundaries", () => {
  assert.strictEqual(gauge("venue_a", { nodes: [], help: "" }).type, "gauge")
  assert.deepStrictEqual(histogram("venue_a", { nodes: [], help: "", boundaries: [1] }).boundaries, [1])
})
