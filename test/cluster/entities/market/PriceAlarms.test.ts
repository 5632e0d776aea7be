/** Tests of the log lines about stale and rejected prices. */
import { make } from "@venue/cluster/entities/market/PriceAlarms"
import type { Priced } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { pricedAt } from "../../../ledger/Scene.ts"

const aapl = MarketSymbol.make("AAPL-USD")

/** Returns the log lines that these prices cause at this interval. */
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

it.effect("I29: logs missing prices once as an error, and logs their return once", () =>
  Effect.gen(function* () {
    const lines = yield* said(
      { source: "external" },
      { source: "stale" },
      { source: "stale" },
      { source: "external" },
      { source: "external" }
    )
    assert.lengthOf(lines, 2)
    assert.match(lines[0]!, /^Error .*AAPL-USD: no external price/)
    assert.match(lines[1]!, /^Warn .*arrive again/)
  })
)

it.effect("logs the third consecutive rejected price as an error", () =>
  Effect.gen(function* () {
    const rejections = [0, 1, 2, 3, 3, 0, 1].map((count) => ({ source: "external" as const, rejections: count }))
    const lines = yield* said(...rejections)
    assert.lengthOf(lines, 1)
    assert.match(lines[0]!, /far from the last/)
  })
)

it.effect("logs no missing price at the opening or after an operator's price", () =>
  Effect.gen(function* () {
    const sources = ["internal", "stale", "operator", "internal"] as const
    assert.lengthOf(yield* said(...sources.map((source) => ({ source }))), 0)
  })
)

it.effect(
  "I29: logs an error if no price arrives in the first minute of trading hours or after a new owner starts",
  () =>
    Effect.gen(function* () {
      for (const before of [[{ source: "internal" }], []] as const) {
        const late = yield* saidEach(60_000, [...before, { source: "stale" }])
        assert.lengthOf(late, 1)
        assert.match(late[0]!, /^Error .*AAPL-USD: no external price/)
        const soon = yield* saidEach(59_999, [...before, { source: "stale" }, { source: "external" }])
        assert.deepStrictEqual(soon, [])
      }
    })
)
