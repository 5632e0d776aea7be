/** Tests of the price source file: valid contents, and contents that stop the start. */
import { defaults } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as PriceSettings from "@venue/providers/prices/PriceSettings"
import type { Contracts } from "@venue/providers/prices/PriceSource"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"

const http = {
  name: "vendor",
  kind: "http",
  url: "https://prices.example/v1",
  headers: { authorization: "Bearer secret" },
  fields: { items: "data", contract: "s", price: "p" },
  symbols: { "AAPL-USD": "AAPL" }
}
const stream = {
  name: "stream",
  kind: "websocket",
  url: "wss://stream.example/",
  greeting: [{ subscribe: ["NQ"] }],
  silence_seconds: 10,
  fields: { contract: "s", price: "p" },
  symbols: { "US100-USD": { future: "NQ" }, "CL-USD": { front_months: { "2026-11": "CLZ6" } } }
}
const read = (sources: unknown) =>
  PriceSettings.read(JSON.stringify({ sources }), (symbol) => defaults.instruments.has(symbol)).pipe(
    Effect.provide(FetchHttpClient.layer)
  )

it.effect("reads the contracts of each symbol per source", () =>
  Effect.gen(function* () {
    const {
      leastSources,
      sources: [first, second]
    } = yield* read([http, stream])
    assert.strictEqual(leastSources, 1)
    assert.strictEqual(first?.name, "vendor")
    assert.deepStrictEqual(first?.symbols, new Map([[MarketSymbol.make("AAPL-USD"), { spot: "AAPL" }]]))
    assert.deepStrictEqual(
      second?.symbols,
      new Map<MarketSymbol, Contracts>([
        [MarketSymbol.make("US100-USD"), { future: "NQ" }],
        [MarketSymbol.make("CL-USD"), { months: { "2026-11": "CLZ6" } }]
      ])
    )
    assert.deepStrictEqual(yield* read([]), { sources: [], leastSources: 1 })
  })
)

it.effect("refuses invalid settings with an error that contains no secret", () =>
  Effect.gen(function* () {
    const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
      [{ ...http, url: "ftp://prices.example" }, /url/],
      [{ ...http, kind: "wss" }, /kind/],
      [{ ...http, every_seconds: 0 }, /every_seconds/],
      [{ ...http, polls: 5 }, /polls/],
      [{ ...http, fields: { contract: "s" } }, /price/],
      [{ ...http, symbols: { "AAPL-USD": { months: {} } } }, /symbols/],
      [{ ...stream, silence_seconds: 6_000 }, /silence_seconds/],
      [{ ...http, url: "http://" }, /a URL that begins with http:\/\/ or https:\/\//],
      [{ ...stream, url: "wss://secret:x y" }, /a URL that begins with ws:\/\/ or wss:\/\//],
      [{ ...http, headers: { "api key": "secret" } }, /headers/],
      [{ ...http, headers: { authorization: "secret\n" } }, /headers/],
      [{ ...http, symbols: { "NOPE-USD": "X" } }, /NOPE-USD is not a listed symbol/]
    ]
    for (const [source, words] of wrong) {
      const { reason } = yield* Effect.flip(read([source]))
      assert.match(reason, words)
      assert.notInclude(reason, "secret")
      assert.notInclude(reason, "\n")
    }
    const notJson = PriceSettings.read("{", () => true).pipe(Effect.provide(FetchHttpClient.layer), Effect.flip)
    assert.isNotEmpty((yield* notJson).reason)
  })
)
