/** What is said of prices that are stale or not believed. */
import { make } from "@venue/cluster/entities/market/PriceAlarms"
import type { Priced } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { pricedAt } from "../../../ledger/Scene.ts"

const aapl = MarketSymbol.make("AAPL-USD")

/** The lines that these prices, so long one after the other, make the market say. */
const saidEach = (apartMillis: number, prices: ReadonlyArray<Partial<Priced>>) => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => void lines.push(`${logLevel} ${message}`))
  return Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const alarm = make(aapl, run)
    for (const price of prices) {
      alarm([{ ...pricedAt(aapl, 200), ...price }])
      yield* TestClock.adjust(apartMillis)
    }
    return lines
  }).pipe(Effect.provide(Logger.layer([logger])))
}
const said = (...prices: ReadonlyArray<Partial<Priced>>) => saidEach(1, prices)

it.effect("I29: prices that stop coming are an error line, once, and so is their return a line", () =>
  Effect.gen(function* () {
    const lines = yield* said(
      { source: "external" },
      { source: "stale" },
      { source: "stale" },
      { source: "external" },
      { source: "external" }
    )
    assert.lengthOf(lines, 2)
    assert.match(lines[0]!, /^Error .*AAPL-USD: no outside price/)
    assert.match(lines[1]!, /^Warn .*arrive again/)
  })
)

it.effect("the third price in a row that is not believed is an error line", () =>
  Effect.gen(function* () {
    const rejections = [0, 1, 2, 3, 3, 0, 1].map((count) => ({ source: "external" as const, rejections: count }))
    const lines = yield* said(...rejections)
    assert.lengthOf(lines, 1)
    assert.match(lines[0]!, /far from the last/)
  })
)

it.effect("the beginning of the hours and a word of the operator are no alarm", () =>
  Effect.gen(function* () {
    const sources = ["internal", "stale", "operator", "internal"] as const
    assert.lengthOf(yield* said(...sources.map((source) => ({ source }))), 0)
  })
)

it.effect("I29: a price that does not come in the first minute of its hours, or of a new owner, is an error line", () =>
  Effect.gen(function* () {
    for (const before of [[{ source: "internal" }], []] as const) {
      const late = yield* saidEach(60_000, [...before, { source: "stale" }])
      assert.lengthOf(late, 1)
      assert.match(late[0]!, /^Error .*AAPL-USD: no outside price/)
      const soon = yield* saidEach(59_999, [...before, { source: "stale" }, { source: "external" }])
      assert.deepStrictEqual(soon, [])
    }
  })
)
