/** Test of the price feed on several nodes. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type PriceSource, PriceSources } from "@venue/providers/prices/PriceSource"
import { Feed } from "@venue/cluster/feed/Feed"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope, Stream } from "effect"
import { freshDatabase } from "../../Postgres.ts"
import { freePort, gateway, runner } from "../VenueNodes.ts"

const apple = MarketSymbol.make("AAPL-USD")

it.live(
  "runs the price feed on exactly one node, and moves the feed to another node when that node leaves",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const running = new Set<string>()
      let most = 0
      const sourceOf = (node: string): PriceSource => ({
        name: node,
        symbols: new Map([[apple, { spot: "AAPL" }]]),
        run: ({ tell }) =>
          Effect.gen(function* () {
            running.add(node)
            most = Math.max(most, running.size)
            while (true) {
              tell({ contract: "AAPL", priceE8: 20_000_000_000 })
              yield* Effect.sleep("50 millis")
            }
          }).pipe(Effect.ensuring(Effect.sync(() => running.delete(node))))
      })
      const start = Effect.fnUntraced(function* (node: string) {
        const scope = yield* Scope.make()
        const port = yield* Effect.promise(freePort)
        yield* Layer.buildWithScope(
          Layer.provide(
            runner(url, port),
            Layer.succeed(PriceSources)(Stream.succeed({ sources: [sourceOf(node)], leastSources: 1 }))
          ),
          scope
        )
        return scope
      })
      const scopes = new Map([["first", yield* start("first")]])
      scopes.set("second", yield* start("second"))
      const { prices } = Context.get(yield* Layer.build(gateway(url)), Feed)
      const becomes = (isSo: () => boolean) =>
        Effect.repeat(Effect.sleep("20 millis"), { until: isSo }).pipe(Effect.timeout("10 minutes"))
      // The first price is accepted on any day; later prices only during trading hours.
      let owner = ""
      yield* becomes(() => {
        // For a short time no node runs the price feed, while it moves to the new node.
        owner = [...running][0] ?? ""
        return prices.has(apple) && owner !== ""
      })
      yield* Scope.close(scopes.get(owner)!, Exit.void)
      assert.isFalse(running.has(owner))
      yield* becomes(() => running.size > 0)
      assert.lengthOf([...running], 1)
      assert.notStrictEqual([...running][0], owner)
      assert.strictEqual(most, 1)
      for (const [node, scope] of scopes) if (node !== owner) yield* Scope.close(scope, Exit.void)
    }).pipe(Effect.scoped),
  900_000
)
