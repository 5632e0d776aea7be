/** Market maker against a stand-in for the venue, over real sockets. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as MarketMaker from "../../../apps/dev/MarketMaker.ts"
import { StandIn } from "./StandIn.ts"

const start = Effect.fnUntraced(function* (venue: StandIn) {
  const { urls } = venue
  yield* Effect.forkScoped(
    MarketMaker.run({
      restUrl: urls.rest,
      tradeUrl: urls.trade,
      marketDataUrl: urls.market_data,
      keys: { publicKey: "maker", secretKey: Redacted.make("secret of maker") },
      backoff: { firstMillis: 20, maxMillis: 40 }
    })
  )
})

const isQuoted = (venue: StandIn) => venue.ordersOf("maker").length === 12

it.live(
  "the market maker quotes both sides of every symbol, and follows the mark",
  () =>
    Effect.gen(function* () {
      const venue = yield* StandIn.start
      yield* start(venue)
      yield* venue.when(() => isQuoted(venue))
      venue.mark("AAPL-USD", 210)
      yield* venue.when(() =>
        venue
          .ordersOf("maker")
          .filter((order) => order.symbol === "AAPL-USD")
          .every(({ price }) => price > 205)
      )
      assert.isTrue(isQuoted(venue))
      assert.isTrue(venue.commands.some(({ type }) => type === "modify_order"))
    }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto)),
  900_000
)

it.live(
  "the market maker replaces a filled quote",
  () =>
    Effect.gen(function* () {
      const venue = yield* StandIn.start
      yield* start(venue)
      yield* venue.when(() => isQuoted(venue))
      const terms = {
        symbol: "AAPL-USD",
        side: "BUY",
        order_type: "LIMIT",
        order_time_in_force: "IOC",
        quantity: 40
      } as const
      venue.add("taker", { ...terms, price: 201, client_order_id: "t" })
      assert.isFalse(isQuoted(venue))
      yield* venue.when(
        () => isQuoted(venue) && venue.ordersOf("maker").every((order) => order.quantity_remaining === order.quantity)
      )
    }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto)),
  900_000
)

it.live(
  "after a restart of the venue, the market maker cancels its open orders and quotes again",
  () =>
    Effect.gen(function* () {
      const venue = yield* StandIn.start
      yield* start(venue)
      yield* venue.when(() => isQuoted(venue))
      const before = new Set(venue.open.keys())
      venue.drop()
      yield* venue.when(() => isQuoted(venue) && [...venue.open.keys()].every((id) => !before.has(id)))
    }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto)),
  900_000
)
