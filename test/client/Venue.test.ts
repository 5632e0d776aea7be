/** Tests of the clients against a venue, over real sockets and HTTP. */
import * as Credentials from "@venue/client/Credentials"
import * as MarketDataClient from "@venue/client/MarketDataClient"
import * as RestClient from "@venue/client/RestClient"
import * as TradeClient from "@venue/client/TradeClient"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { observed } from "@venue/testing/Observers"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Option, Queue, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { layer, RestClient as Listening } from "../gateway/rest/RestClient.ts"
import { listen } from "./Listening.ts"

const keyOf = ({ publicKey, secretKey }: TestUser) =>
  Credentials.ofApiKey({ publicKey, secretKey: Redacted.make(secretKey) })

const connected = Effect.fnUntraced(function* (credentials: Credentials.Credentials, accountId?: string) {
  const gateway = yield* TradeGateway
  const url = yield* listen(observed("trade", (transport) => gateway.open(transport, "")))
  const client = yield* TradeClient.make({
    url,
    credentials,
    channels: ["order_responses", "fills"],
    ...(accountId === undefined ? {} : { accountId })
  })
  expect(yield* Queue.take(client.events)).toEqual({ _tag: "Connected" })
  return client
})

const order: TradeClient.NewOrder = {
  symbol: "AAPL-USD",
  side: "BUY",
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  quantity: 2,
  price: 199,
  client_order_id: "first"
}

const twap = {
  symbol: "AAPL-USD",
  side: "BUY",
  total_quantity: 10,
  num_orders: 3,
  order_interval_secs: 60,
  reduce_only: false
} as const

it.layer(layer, { timeout: "60 seconds" })("a venue", (it) => {
  it.effect("accepts, publishes and cancels an order placed with an API key", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      yield* venue.price("AAPL-USD", 200)
      const client = yield* connected(yield* keyOf(yield* venue.user("alice")))
      const answer = yield* client.place(order)
      expect(answer).toMatchObject({ status: "ACK", client_order_id: "first", quantity_remaining: 2 })

      const gateway = yield* MarketDataGateway
      const url = yield* listen(observed("market_data", (transport) => gateway.open(transport)))
      const { events } = yield* MarketDataClient.make({ url, channels: ["bbo"], symbols: ["AAPL-USD"] })
      expect(yield* Queue.takeN(events, 2)).toMatchObject([
        { _tag: "Connected" },
        { _tag: "Received", frame: { type: "bbo", sequence: 1, bid: [["199.00", "2"]], ask: [] } }
      ])

      const { order_id, symbol } = answer
      expect(yield* client.cancel({ symbol, order_id, cancel_order_id_type: "order_id" })).toMatchObject({
        order_id,
        status: "CANCELLED"
      })
      const late = { symbol, order_id, side: "BUY", order_type: "LIMIT", reduce_only: false } as const
      const unreadable = client.ask({ type: "modify_order", params: { ...late, take_profit: "soon" as never } }, never)
      expect(yield* Effect.flip(unreadable)).toMatchObject({ _tag: "CommandFailed", code: "InvalidJSONFormat" })
    }).pipe(Effect.scoped)
  )

  it.effect("arms, renews and disarms the dead-man switch", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      yield* venue.price("AAPL-USD", 200)
      const client = yield* connected(yield* keyOf(yield* venue.user("dora")))
      yield* client.place(order)
      const { cancel_at } = yield* client.cancelAllAfter(30)
      const renewed = yield* client.cancelAllAfter(40)
      expect(renewed).toEqual({ timeout_secs: 40, cancel_at: cancel_at! + 10 })
      expect(yield* client.cancelAllAfter(0)).toEqual({ timeout_secs: 0, cancel_at: null })
      const refused = yield* Effect.flip(client.cancelAllAfter(4))
      expect(refused).toMatchObject({ _tag: "CommandFailed", code: "InvalidParameter" })
    }).pipe(Effect.scoped)
  )

  it.effect("accepts two TWAPs, and cancels one by its id and one by its client id", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      yield* venue.price("AAPL-USD", 200)
      const client = yield* connected(yield* keyOf(yield* venue.user("carol")))
      const begin = (id: string) =>
        client.ask({ type: "add_twap", params: { ...twap, client_twap_id: id } }, ({ twap_response: response }) =>
          Option.filter(Option.fromNullishOr(response), ({ client_twap_id }) => client_twap_id === id)
        )
      const { status, symbol, twap_id: order_id } = yield* begin("first")
      expect(status).toBe("ACTIVE")
      const cancelled = { order_id, client_order_id: "first", status: "CANCELLED" }
      expect(yield* client.cancel({ symbol, order_id, cancel_order_id_type: "twap_id" })).toMatchObject(cancelled)
      yield* begin("second")
      const byClient = { symbol, order_id: "second", cancel_order_id_type: "client_twap_id" } as const
      expect(yield* client.cancel(byClient)).toMatchObject({ client_order_id: "second", status: "CANCELLED" })
    }).pipe(Effect.scoped)
  )

  it.effect("accepts an access token together with the account that the request names", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      yield* venue.price("AAPL-USD", 200)
      const alice = yield* venue.user("alice")
      const accountId = yield* venue.subaccount(alice)
      const token = Effect.map(venue.token(alice), Redacted.make)
      const client = yield* connected(Credentials.ofAccessToken(token), accountId)
      expect(yield* client.place(order)).toMatchObject({ status: "ACK", user_id: accountId })
    }).pipe(Effect.scoped)
  )

  it.effect("responds to signed REST requests, and refuses unsigned ones with status 401", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { restUrl: url } = yield* Listening
      const alice = yield* venue.user("alice")
      const accountId = yield* venue.subaccount(alice, 500)

      const anybody = yield* RestClient.make({ url })
      const { body } = yield* anybody.refdata.refdata({ query: { ticker: "AAPL-USD" } })
      expect(body.data).toMatchObject([{ symbol: "AAPL-USD", status: "ACTIVE" }])
      expect(yield* Effect.flip(anybody.positions.positions())).toMatchObject({ status: 401 })

      const rest = yield* RestClient.make({ url, credentials: yield* keyOf(alice) })
      expect(yield* rest.subaccounts.subaccounts()).toMatchObject({ account_ids: [accountId] })
      const stranger = yield* RestClient.make({ url, credentials: yield* keyOf({ ...alice, secretKey: "wrong" }) })
      expect(yield* Effect.flip(stranger.subaccounts.subaccounts())).toMatchObject({ status: 401 })
      const token = Effect.map(venue.token(alice), Redacted.make)
      const named = yield* RestClient.make({ url, credentials: Credentials.ofAccessToken(token), accountId })
      expect(yield* named.positions.positions()).toMatchObject({ balance: { deposit: 500 } })
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
  )
})

const never = () => Option.none<never>()
