/** Simulated prices: random walks near a start price, superseded by an operator's price. */
import type { Priced } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Print } from "@venue/providers/prices/PriceSource"
import { begin, make, startPrices, stepped } from "@venue/simulation/prices/SimulatedPrices"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { pricedAt } from "../../ledger/Scene.ts"

const aapl = MarketSymbol.make("AAPL-USD")
const eur = MarketSymbol.make("EUR-USD")
const home = startPrices.get(aapl)!

it("a random walk consists of integers, is reproducible, and stays within 5 % of its starting price", () => {
  for (const seed of [0, 1, 7, -3]) {
    let walk = begin(home, seed)
    let twin = begin(home, seed)
    const seen = new Set<number>()
    for (let i = 0; i < 50_000; i++) {
      walk = stepped(walk)
      twin = stepped(twin)
      seen.add(walk.price)
      if (!Number.isSafeInteger(walk.price) || Math.abs(walk.price - home) > home * 0.05) assert.fail(`${walk.price}`)
    }
    assert.deepStrictEqual(walk, twin)
    assert.isAbove(seen.size, 10_000)
  }
})

it("a random walk moves less than 2 basis points per step", () => {
  let walk = begin(home, 5)
  for (let i = 0; i < 10_000; i++) {
    const next = stepped(walk)
    assert.isBelow(Math.abs(next.price - walk.price), home * 0.000_2)
    walk = next
  }
})

/** Collects the prices that a listener receives. `inForce` holds the prices that the listener reports as current. */
const hear = Effect.fnUntraced(function* (speed: number, inForce = new Map<MarketSymbol, Priced>()) {
  const seen: Array<readonly [string, number]> = []
  const symbols = [aapl, eur, MarketSymbol.make("NOBODY-KNOWS")]
  const source = make({ seed: 1, symbols, speed })
  const tell = ({ contract, priceE8 }: Print) => void seen.push([contract, priceE8])
  yield* Effect.forkScoped(source.run({ tell, inForce: (symbol) => inForce.get(symbol) }))
  yield* TestClock.adjust(0)
  return { inForce, seen, source }
})
const priced = (symbol: MarketSymbol, usd: number, sent: Partial<Priced>): Priced => ({
  ...pricedAt(symbol, usd),
  ...sent
})

it.effect("sends every price immediately, and then once per step", () =>
  Effect.gen(function* () {
    const { seen, source } = yield* hear(2)
    assert.deepStrictEqual([...source.symbols.keys()], [aapl, eur])
    assert.deepStrictEqual(
      seen.map(([symbol]) => symbol),
      ["AAPL-USD", "EUR-USD"]
    )
    yield* TestClock.adjust("1 second")
    assert.strictEqual(seen.length, 6)
  })
)

it.effect("each price that an operator sets restarts the random walk at that price exactly once", () =>
  Effect.gen(function* () {
    const { inForce, seen } = yield* hear(1)
    inForce.set(aapl, priced(aapl, 400, { source: "operator", toldAtMillis: 7 }))
    yield* TestClock.adjust("100 seconds")
    const later = seen.filter(([symbol]) => symbol === "AAPL-USD").slice(1)
    assert.strictEqual(later.length, 100)
    for (const [, price] of later) assert.isBelow(Math.abs(price - 2 * home), 2 * home * 0.01)
    assert.isAbove(new Set(later.map(([, price]) => price)).size, 50)
    inForce.set(aapl, priced(aapl, 200, { source: "external", toldAtMillis: 9 }))
    yield* TestClock.adjust("1 second")
    assert.closeTo(seen.findLast(([symbol]) => symbol === "AAPL-USD")![1], 2 * home, 2 * home * 0.01)
    inForce.set(aapl, priced(aapl, 100, { source: "operator", toldAtMillis: 11 }))
    yield* TestClock.adjust("1 second")
    assert.strictEqual(seen.findLast(([symbol]) => symbol === "AAPL-USD")![1], home / 2)
  })
)

it.effect("a random walk starts at the current price", () =>
  Effect.gen(function* () {
    const { seen } = yield* hear(1, new Map([[eur, priced(eur, 1.23, { source: "stale" })]]))
    assert.deepStrictEqual(seen[1], ["EUR-USD", 123_000_000])
  })
)
