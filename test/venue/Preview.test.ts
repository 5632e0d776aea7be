/** Previews of orders on the trade socket: their figures, and the absence of side effects. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { type Client } from "@venue/testing/Client"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { marketStream } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal } from "@venue/journal/Journal"
import { traderStream } from "@venue/domain/Trader"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const aapl = MarketSymbol.make("AAPL-USD")
const limit = {
  symbol: aapl,
  side: "BUY",
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  quantity: 5,
  price: 200.5,
  client_order_id: "asked"
}

const previewed = (client: Client, params: object) =>
  Effect.andThen(
    client.send({ type: "preview_order", params }),
    Effect.map(client.take("preview_response"), ({ preview_response }) => preview_response)
  )

const scene = Effect.gen(function* () {
  const venue = yield* TestVenue
  yield* venue.price("AAPL-USD", 200)
  const maker = yield* venue.trade(yield* venue.user("maker"))
  yield* maker.send({
    type: "add_order",
    params: { ...limit, side: "SELL", quantity: 2, price: 200.1, client_order_id: "rest" }
  })
  yield* maker.take("order_response")
  const user = yield* venue.user("asker", 1_000)
  return { venue, maker, user, client: yield* venue.trade(user) }
})

it.effect("rule 4.19: previews the worked example to the last digit", () =>
  Effect.gen(function* () {
    const { client, user } = yield* scene
    assert.deepStrictEqual(yield* previewed(client, limit), {
      user_id: user.userId,
      symbol: "AAPL-USD",
      side: "BUY",
      type: "LIMIT",
      time_in_force: "GTC",
      price: 200.5,
      quantity: 5,
      reduce_only: false,
      client_order_id: "asked",
      status: "FILLED",
      refusal: null,
      mark_price: 200,
      min_price: 140,
      max_price: 214,
      worst_price: 200.5,
      filled_quantity: 2,
      average_price: 200.1,
      resting_quantity: 3,
      realised_pnl: 0,
      leverage: 10,
      order_margin: 102.75,
      available_balance: 1_000,
      available_balance_after: 897.25,
      required_fee: 1.0025,
      taker_fee_rate: 0.001,
      maker_fee_rate: 0.0002,
      fee: 0.4002,
      resting_fee: 0.1203,
      builder_reward: 0,
      venue_fee: 0.4002,
      reserve_fund_fee: 0,
      builder_fee_share_bps: 0,
      venue_fee_share_bps: 10_000
    })
  }).pipe(Effect.provide(layerMemory))
)

it.effect(
  "I54: predicts the result of an order placed afterwards, and neither writes a journal row nor uses up an id",
  () =>
    Effect.gen(function* () {
      const { client, user, venue } = yield* scene
      const journal = yield* Journal
      yield* venue.settle
      const rows = Effect.forEach([marketStream(aapl), traderStream(user.userId)], (stream) =>
        journal.read(stream, 0, 1_000)
      )
      const before = yield* rows
      const said = yield* previewed(client, limit)
      const refused = yield* previewed(client, { ...limit, quantity: 500 })
      assert.strictEqual(refused.refusal?.status, "FAILED_MARGIN_CHECK")
      const unlisted = yield* previewed(client, { ...limit, symbol: "XYZ-USD" })
      assert.strictEqual(unlisted.status, "BAD_SYMBOL")
      const flat = yield* previewed(client, { symbol: aapl, close_position: true, client_order_id: "flat" })
      assert.strictEqual(flat.status, "REJECTED")
      yield* venue.settle
      assert.deepStrictEqual(yield* rows, before)

      yield* client.send({ type: "add_order", params: limit })
      const { fill_response: fill } = yield* client.take("fill_response")
      assert.deepStrictEqual(
        [fill.quantity, fill.price, fill.fee],
        [said.filled_quantity, said.average_price, said.fee]
      )
    }).pipe(Effect.provide(layerMemory))
)

it.effect(
  "rule 4.19: responds to a preview with an error if the market does not respond, and processes later orders",
  () =>
    Effect.gen(function* () {
      const { client, venue } = yield* scene
      const { markets } = yield* LocalEntities
      const here = markets.get(aapl)!
      markets.set(aapl, { ...here, preview: () => Effect.never })
      yield* client.sendAll([
        { type: "preview_order", params: limit },
        { type: "add_order", params: limit }
      ])
      yield* venue.settle
      assert.deepStrictEqual(yield* client.drain, [])
      yield* TestClock.adjust("10 seconds")
      const { err } = yield* client.take("err")
      assert.deepStrictEqual(
        [err.error_code, err.message],
        ["ServerError", "market AAPL-USD did not respond; try again"]
      )
      assert.strictEqual((yield* client.take("fill_response")).fill_response.quantity, 2)
      markets.set(aapl, here)
      assert.strictEqual((yield* previewed(client, limit)).status, "ACK")
    }).pipe(Effect.provide(layerMemory))
)
