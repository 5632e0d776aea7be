/** Price sources that a test controls, and a venue with them. */
import { Feed } from "@venue/cluster/feed/Feed"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Journal } from "@venue/journal/Journal"
import { type Contracts, type Listener, PriceSources, type PriceSource } from "@venue/providers/prices/PriceSource"
import type { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { Effect, Layer, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { friday } from "../../venue/Story.ts"

/** Price source whose quotes the test sends once the feed runs the source. */
export class TestSource {
  #listener: Listener | undefined
  readonly source: PriceSource

  constructor(
    name: string,
    contracts: ReadonlyArray<readonly [MarketSymbol, string | Contracts]>,
    options: Pick<PriceSource, "unchangedMillis"> = {}
  ) {
    this.source = {
      ...options,
      name,
      symbols: new Map(
        contracts.map(([symbol, named]) => [symbol, typeof named === "string" ? { spot: named } : named])
      ),
      run: (listener) =>
        Effect.suspend(() => {
          this.#listener = listener
          return Effect.never
        })
    }
  }

  /** Sends a quote; `quotedAtMillis` is the quote's own time, if any. */
  say(contract: string, usd: number, quotedAtMillis?: number): void {
    const time = quotedAtMillis === undefined ? {} : { quotedAtMillis }
    this.#listener!.tell({ contract, priceE8: Math.round(usd * 1e8), ...time })
  }
}

/** Creates a venue with these sources, on a Friday during trading hours. */
export const venueWith = <E>(
  sources: ReadonlyArray<PriceSource>,
  body: Effect.Effect<void, E, TestVenue | Feed | FuturesReference | Journal | Scope.Scope>,
  leastSources = 1
) =>
  TestClock.setTime(friday).pipe(
    Effect.andThen(
      Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        yield* body
      }).pipe(
        Effect.provide(
          layerMemory.pipe(Layer.provide(Layer.succeed(PriceSources)(Stream.succeed({ sources, leastSources }))))
        )
      )
    ),
    Effect.scoped
  )

/** Waits until a quote has reached its markets. */
export const pass = Effect.gen(function* () {
  yield* TestClock.adjust("250 millis")
  yield* (yield* TestVenue).settle
})
export const priced = (symbol: MarketSymbol) => Effect.map(Feed, ({ prices }) => prices.get(symbol))
/** Returns the oracle price in USD. */
export const price = (symbol: MarketSymbol) => Effect.map(priced(symbol), (found) => found && found.oracleE8 / 1e8)
