/** Tests of the trade client, against a stub venue. */
import { assert, it } from "@effect/vitest"
import * as Credentials from "@venue/client/Credentials"
import * as TradeClient from "@venue/client/TradeClient"
import { Effect, Fiber, Option, Queue, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { StandIn } from "../apps/dev/StandIn.ts"

const connect = Effect.fnUntraced(function* (venue: StandIn, secret = "secret of alice") {
  return yield* TradeClient.make({
    url: venue.urls.trade,
    credentials: yield* Credentials.ofApiKey({ publicKey: "alice", secretKey: Redacted.make(secret) }),
    channels: ["order_responses", "fills"],
    backoff: { firstMillis: 10, maxMillis: 40 }
  })
})

const order: TradeClient.NewOrder = {
  symbol: "AAPL-USD",
  side: "BUY",
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  quantity: 1,
  price: 190,
  reduce_only: false,
  client_order_id: "mine"
}

it.live("the client signs in and subscribes before it emits Connected", () =>
  Effect.gen(function* () {
    const venue = yield* StandIn.start
    const client = yield* connect(venue)
    assert.deepStrictEqual((yield* Queue.take(client.events))._tag, "Connected")
    assert.deepStrictEqual(
      venue.commands.map(({ params }) => params.channels),
      [["order_responses", "fills"]]
    )
  }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))
)

it.live("matches the response to an order by client order id, and the response to a cancel by order id", () =>
  Effect.gen(function* () {
    const venue = yield* StandIn.start
    const client = yield* connect(venue)
    yield* Queue.take(client.events)
    const [other, placed] = yield* Effect.all(
      [client.place({ ...order, client_order_id: "other" }), client.place(order)],
      { concurrency: 2 }
    )
    assert.deepStrictEqual([other.client_order_id, placed.client_order_id, placed.status], ["other", "mine", "ACK"])
    const cancelled = yield* client.cancel({
      symbol: "AAPL-USD",
      order_id: placed.order_id,
      cancel_order_id_type: "order_id"
    })
    assert.deepStrictEqual([cancelled.order_id, cancelled.status], [placed.order_id, "CANCELLED"])
  }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))
)

it.live("fails with NotConnected if there is no connection", () =>
  Effect.gen(function* () {
    const venue = yield* StandIn.start
    const client = yield* connect(venue, "wrong")
    const event = yield* Queue.take(client.events)
    assert.deepStrictEqual(event, { _tag: "Disconnected", reason: "PermissionDenied" })
    assert.strictEqual((yield* Effect.flip(client.place(order)))._tag, "NotConnected")
  }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))
)

it.live("fails an in-flight command with Unanswered when the connection is lost", () =>
  Effect.gen(function* () {
    const venue = yield* StandIn.start
    const client = yield* connect(venue)
    yield* Queue.take(client.events)
    const lost = yield* Effect.forkChild(
      Effect.flip(client.ask({ type: "subscribe", params: { channels: ["fills"] } }, never))
    )
    yield* venue.when(() => venue.commands.length === 2)
    venue.drop()
    assert.strictEqual((yield* Fiber.join(lost))._tag, "Unanswered")
    const tags = [yield* nextChange(client), yield* nextChange(client)]
    assert.deepStrictEqual(tags, ["Disconnected", "Connected"])
  }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))
)

const never = () => Option.none<never>()

const nextChange = (client: TradeClient.TradeClient) =>
  Queue.take(client.events).pipe(
    Effect.map((event) => event._tag),
    Effect.repeat({ until: (tag) => tag === "Connected" || tag === "Disconnected" })
  )
