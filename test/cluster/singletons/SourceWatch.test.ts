/** Tests of log lines about sources that are silent during trading hours. */
import type { PriceSource } from "@venue/providers/prices/PriceSource"
import * as SourceWatch from "@venue/cluster/singletons/SourceWatch"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { aapl } from "../../venue/Story.ts"

const source: PriceSource = {
  name: "one",
  symbols: new Map([[aapl, { spot: "A" }]]),
  unchangedMillis: 180_000,
  fault: () => "status 401",
  run: () => Effect.never
}

/** A market that the test opens and closes, and a source whose price the test sets. */
const watching = Effect.gen(function* () {
  const state: { isOpen: boolean; priceE8: number | undefined } = { isOpen: true, priceE8: 200e8 }
  const lines: Array<string> = []
  const reports: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
  const run = SourceWatch.run(
    [source],
    () => state.isOpen,
    () => state.priceE8,
    {
      died: ({ name }, reason) => Effect.sync(() => void reports.push(`${name} died: ${reason}`)),
      works: ({ name }) => Effect.sync(() => void reports.push(`${name} works`))
    }
  )
  yield* Effect.forkScoped(Effect.provide(run, Logger.layer([logger])))
  yield* TestClock.adjust(1)
  return { lines, reports, state }
})

it.effect("one minute after the opening, logs a source that stopped while the market was closed", () =>
  Effect.gen(function* () {
    const { lines, state } = yield* watching
    yield* TestClock.adjust("1 minute")
    state.isOpen = false
    state.priceE8 = undefined
    yield* TestClock.adjust("8 hours")
    assert.deepStrictEqual(lines, [])
    state.isOpen = true
    yield* TestClock.adjust("55 seconds")
    assert.deepStrictEqual(lines, [])
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual(lines, [
      "price source one has sent no current price for AAPL-USD for 1 minute; the source is ignored for this symbol"
    ])
    state.priceE8 = 201e8
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(lines.slice(1), ["price source one sends current prices for AAPL-USD again"])
  }).pipe(Effect.scoped)
)

it.effect("counts how long a price has been unchanged only from the market's opening onwards", () =>
  Effect.gen(function* () {
    const { lines, state } = yield* watching
    yield* TestClock.adjust("2 minutes")
    state.isOpen = false
    yield* TestClock.adjust("8 hours")
    state.isOpen = true
    yield* TestClock.adjust("175 seconds")
    assert.deepStrictEqual(lines, [])
    yield* TestClock.adjust("15 seconds")
    assert.deepStrictEqual(lines, [
      "price source one: the price of AAPL-USD has not changed for 3 minutes of trading hours"
    ])
  }).pipe(Effect.scoped)
)

it.effect("reports a source as dead once all of its open markets lack a price for one minute, with its fault", () =>
  Effect.gen(function* () {
    const { reports, state } = yield* watching
    assert.deepStrictEqual(reports, ["one works"])
    state.priceE8 = undefined
    yield* TestClock.adjust("50 seconds")
    assert.deepStrictEqual(reports, ["one works"])
    yield* TestClock.adjust("15 seconds")
    assert.strictEqual(
      reports[1],
      "one died: No current price for any of its 1 symbols whose markets are open, for 1 minute or more. Latest failure: status 401"
    )
    state.isOpen = false
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(reports.at(-1), "one works")
  }).pipe(Effect.scoped)
)

it.effect("waits one minute before it reports a source that has sent no price", () =>
  Effect.gen(function* () {
    const reports: Array<string> = []
    const run = SourceWatch.run(
      [source],
      () => true,
      () => undefined,
      {
        died: () => Effect.sync(() => void reports.push("died")),
        works: () => Effect.sync(() => void reports.push("works"))
      }
    )
    yield* Effect.forkScoped(Effect.provide(run, Logger.layer([])))
    yield* TestClock.adjust("55 seconds")
    assert.deepStrictEqual(reports, [])
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(reports[0], "died")
  }).pipe(Effect.scoped)
)
