/** Simulated prices walk, stay near home, and yield to whoever sets one. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { begin, make, startPrices, step } from "../../apps/dev/SimulatedPrices.ts"

const home = startPrices.get(MarketSymbol.make("AAPL-USD"))!

it("a walk is whole, the same for the same seed, and never leaves five percent of its home", () => {
  for (const seed of [0, 1, 7, -3]) {
    let walk = begin(home, seed)
    let twin = begin(home, seed)
    const seen = new Set<number>()
    for (let i = 0; i < 50_000; i++) {
      walk = step(walk)
      twin = step(twin)
      seen.add(walk.price)
      if (!Number.isSafeInteger(walk.price) || Math.abs(walk.price - home) > home * 0.05) assert.fail(`${walk.price}`)
    }
    assert.deepStrictEqual(walk, twin)
    assert.isAbove(seen.size, 10_000)
  }
})

it("a walk moves less than two basis points a step", () => {
  let walk = begin(home, 5)
  for (let i = 0; i < 10_000; i++) {
    const next = step(walk)
    assert.isBelow(Math.abs(next.price - walk.price), home * 0.000_2)
    walk = next
  }
})

const collect = Effect.fnUntraced(function* (speed: number, from?: ReadonlyMap<MarketSymbol, number>) {
  const seen: Array<readonly [string, number]> = []
  const prices = yield* make({
    seed: 1,
    symbols: [MarketSymbol.make("AAPL-USD"), MarketSymbol.make("EUR-USD"), MarketSymbol.make("NOBODY-KNOWS")],
    speed,
    ...(from === undefined ? {} : { from }),
    sink: (symbol, price) => Effect.sync(() => void seen.push([symbol, price]))
  })
  yield* Effect.forkScoped(prices.run)
  yield* TestClock.adjust(0)
  return { prices, seen }
})

it.effect("every price is told at once and then once a step", () =>
  Effect.gen(function* () {
    const { seen } = yield* collect(2)
    assert.deepStrictEqual(
      seen.map(([symbol]) => symbol),
      ["AAPL-USD", "EUR-USD"]
    )
    yield* TestClock.adjust("1 second")
    assert.strictEqual(seen.length, 6)
  })
)

it.effect("a price that somebody sets is where the walk goes on", () =>
  Effect.gen(function* () {
    const { prices, seen } = yield* collect(1)
    yield* prices.reset(MarketSymbol.make("AAPL-USD"), 2 * home)
    yield* TestClock.adjust("100 seconds")
    const later = seen.filter(([symbol]) => symbol === "AAPL-USD").slice(1)
    assert.strictEqual(later.length, 100)
    for (const [, price] of later) assert.isBelow(Math.abs(price - 2 * home), 2 * home * 0.01)
  })
)

it.effect("a walk goes on from the price it is given at the start", () =>
  Effect.gen(function* () {
    const { seen } = yield* collect(1, new Map([[MarketSymbol.make("EUR-USD"), 123_000_000]]))
    assert.deepStrictEqual(seen[1], ["EUR-USD", 123_000_000])
  })
)
