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
  run: () => Effect.never
}

/** A market that the test opens and closes, and a source whose price the test sets. */
const watching = Effect.gen(function* () {
  const state: { isOpen: boolean; priceE8: number | undefined } = { isOpen: true, priceE8: 200e8 }
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
  const run = SourceWatch.run(
    [source],
    () => state.isOpen,
    () => state.priceE8
  )
  yield* Effect.forkScoped(Effect.provide(run, Logger.layer([logger])))
  yield* TestClock.adjust(1)
  return { lines, state }
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
