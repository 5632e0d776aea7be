import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { limit, market, story, told } from "./Story.ts"

story("sends ACK to maker and taker, then the fill, then FILLED with the fill's trade id", (venue) =>
  Effect.gen(function* () {
    const maker = yield* venue.trade(yield* venue.user("alice"))
    const taker = yield* venue.trade(yield* venue.user("bob"))
    yield* maker.send(limit("SELL", 2, 200.5, { client_order_id: "m 1" }))
    const { order_response: resting } = yield* maker.take("order_response")
    assert.deepInclude(resting, { status: "ACK", trade_id: null, quantity_remaining: 2, client_order_id: "m 1" })
    yield* taker.send(market("BUY", 2))
    yield* venue.settle
    const [ack, fill, filled] = yield* taker.drain
    assert.deepInclude(ack!.order_response, { status: "ACK", price: 0, type: "MARKET", time_in_force: "IOC" })
    // The taker pays 10 bps of 401, and the maker pays 2 bps.
    assert.deepInclude(fill!.fill_response, {
      price: 200.5,
      quantity: 2,
      side: "BUY",
      aggressor_side: "BUY",
      order_id: ack!.order_response!.order_id,
      fee: 0.401,
      remaining_quantity: 0,
      execution_type: "NEW",
      realised_pnl: 0
    })
    assert.deepInclude(filled!.order_response, {
      status: "FILLED",
      quantity_remaining: 0,
      trade_id: fill!.fill_response!.trade_id
    })
    const [makerFill, makerFilled] = yield* maker.drain
    assert.deepInclude(makerFill!.fill_response, {
      trade_id: fill!.fill_response!.trade_id,
      side: "SELL",
      aggressor_side: "BUY",
      fee: 0.0802,
      client_order_id: "m 1",
      order_price: 200.5
    })
    assert.deepInclude(makerFilled!.order_response, { status: "FILLED", order_id: resting.order_id, price: 200.5 })
  })
)

story("sends FILLED with a remainder for a partly filled GTC order, and keeps the order open", (venue) =>
  Effect.gen(function* () {
    const maker = yield* venue.trade(yield* venue.user("alice"))
    const taker = yield* venue.trade(yield* venue.user("bob"))
    yield* maker.send(limit("SELL", 3, 200))
    yield* taker.send(limit("BUY", 1, 200))
    yield* taker.send(limit("BUY", 5, 201))
    yield* venue.settle
    assert.deepEqual(told(yield* taker.drain), ["ACK", "fill_response", "FILLED", "ACK", "fill_response", "FILLED"])
    const frames = yield* maker.drain
    assert.deepEqual(told(frames), ["ACK", "fill_response", "FILLED", "fill_response", "FILLED"])
    assert.deepEqual(
      frames.flatMap(({ fill_response: fill }) => fill?.remaining_quantity ?? []),
      [2, 0]
    )
    yield* taker.send({ type: "get_user_orders", params: {} })
    const { all_orders_response: open } = yield* taker.take("all_orders_response")
    assert.deepInclude(open.orders[0], { status: "ACK", quantity: 5, quantity_remaining: 3, price: 201 })
  })
)

story(
  "rule 4.5: ends a LIMIT IOC order as IOC_PARTIALLY_FILLED after a fill, and as IOC_CANCELLED without a fill",
  (venue) =>
    Effect.gen(function* () {
      const maker = yield* venue.trade(yield* venue.user("alice"), [])
      const taker = yield* venue.trade(yield* venue.user("bob"))
      yield* maker.send(limit("SELL", 2, 200))
      yield* taker.send(limit("BUY", 5, 200, { order_time_in_force: "IOC" }))
      yield* taker.send(limit("BUY", 5, 200, { order_time_in_force: "IOC" }))
      yield* venue.settle
      const frames = yield* taker.drain
      assert.deepEqual(told(frames), ["ACK", "fill_response", "FILLED", "IOC_PARTIALLY_FILLED", "ACK", "IOC_CANCELLED"])
      assert.deepInclude(frames[3]!.order_response, { quantity: 5, quantity_remaining: 3, trade_id: null })
      assert.deepInclude(frames[5]!.order_response, { quantity: 5, quantity_remaining: 5, trade_id: null })
    })
)

story("rule 4.3: fills a MARKET order up to the band and cancels the remaining quantity", (venue) =>
  Effect.gen(function* () {
    const maker = yield* venue.trade(yield* venue.user("alice"), [])
    const taker = yield* venue.trade(yield* venue.user("bob"))
    yield* taker.send(market("SELL", 1))
    yield* venue.settle
    assert.deepEqual(told(yield* taker.drain), ["ACK", "IOC_CANCELLED"])
    // 220 is the band's upper edge at a mark of 200. A sell order above it is allowed to rest.
    yield* maker.send(limit("SELL", 1, 220))
    yield* maker.send(limit("SELL", 1, 220.01))
    yield* venue.settle
    yield* taker.send(market("BUY", 3))
    yield* venue.settle
    const frames = yield* taker.drain
    assert.deepEqual(told(frames), ["ACK", "fill_response", "FILLED", "IOC_PARTIALLY_FILLED"])
    assert.strictEqual(frames[1]!.fill_response!.price, 220)
  })
)

story(
  "rule 4.6: fills a FOK order completely or cancels it unfilled, and ignores the user's own resting orders",
  (venue) =>
    Effect.gen(function* () {
      const maker = yield* venue.trade(yield* venue.user("alice"))
      const taker = yield* venue.trade(yield* venue.user("bob"))
      yield* maker.send(limit("SELL", 2, 200))
      yield* taker.send(limit("SELL", 2, 201))
      yield* venue.settle
      yield* taker.drain
      yield* maker.drain
      yield* taker.send(limit("BUY", 4, 202, { order_time_in_force: "FOK" }))
      yield* venue.settle
      assert.deepEqual(told(yield* taker.drain), ["ACK", "CANCELLED"])
      assert.deepEqual(yield* maker.drain, [])
      yield* taker.send(limit("BUY", 2, 202, { order_time_in_force: "FOK" }))
      yield* venue.settle
      assert.deepEqual(told(yield* taker.drain), ["ACK", "fill_response", "FILLED"])
    })
)

story("rule 4.4: acknowledges and then cancels an ALO order that would cross, and rests one that would not", (venue) =>
  Effect.gen(function* () {
    const maker = yield* venue.trade(yield* venue.user("alice"))
    const taker = yield* venue.trade(yield* venue.user("bob"))
    yield* maker.send(limit("SELL", 2, 200))
    yield* taker.send(limit("BUY", 2, 200, { order_type: "ALO" }))
    yield* taker.send(limit("BUY", 2, 199.99, { order_type: "ALO" }))
    yield* venue.settle
    const frames = yield* taker.drain
    assert.deepEqual(told(frames), ["ACK", "CANCELLED", "ACK"])
    assert.deepInclude(frames[2]!.order_response, { type: "ALO", quantity_remaining: 2 })
    assert.deepEqual(told(yield* maker.drain), ["ACK"])
  })
)

story(
  "rule 4.9: ends the user's own resting orders as CANCELLED_STP, in any account, and keeps matching the taker",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.user("alice")
      const accountId = yield* venue.subaccount(alice)
      const primary = yield* venue.trade(alice)
      const sub = yield* venue.trade(alice, ["order_responses", "fills"], { accountId })
      const bob = yield* venue.trade(yield* venue.user("bob"))
      yield* primary.send(limit("SELL", 5, 200))
      yield* bob.send(limit("SELL", 4, 200.05))
      yield* venue.settle
      yield* sub.send(limit("BUY", 8, 200.1))
      yield* venue.settle
      const frames = yield* sub.drain
      assert.deepEqual(told(frames), ["ACK", "fill_response", "FILLED"])
      assert.deepInclude(frames[2]!.order_response, { user_id: accountId, quantity_remaining: 4 })
      assert.deepEqual(told(yield* primary.drain), ["ACK", "CANCELLED_STP"])
      assert.deepEqual(told(yield* bob.drain), ["ACK", "fill_response", "FILLED"])
    })
)

story("I21, I23: fills at the best price first, then in time order, and fills each quantity once", (venue) =>
  Effect.gen(function* () {
    const names = ["ann", "ben", "cid"]
    const makers = yield* Effect.forEach(names, (name) => Effect.flatMap(venue.user(name), (user) => venue.trade(user)))
    const taker = yield* venue.trade(yield* venue.user("dot"))
    yield* makers[0]!.send(limit("SELL", 1, 200.02))
    yield* makers[1]!.send(limit("SELL", 2, 200.01))
    yield* makers[2]!.send(limit("SELL", 3, 200.01))
    yield* venue.settle
    yield* taker.send(limit("BUY", 5.5, 201))
    yield* venue.settle
    const fills = (yield* taker.drain).flatMap(({ fill_response: fill }) => fill ?? [])
    assert.deepEqual(
      fills.map(({ price, quantity }) => [price, quantity]),
      [
        [200.01, 2],
        [200.01, 3],
        [200.02, 0.5]
      ]
    )
    assert.strictEqual(new Set(fills.map((fill) => fill.trade_id)).size, 3)
    assert.deepEqual(
      fills.map((fill) => fill.remaining_quantity),
      [3.5, 0.5, 0]
    )
  })
)

story(
  "rule 4.10: echoes client_order_id byte for byte, and accepts two separate orders with the same client_order_id",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      const id = String.raw`"\ odd {id} ~` + "x".repeat(40)
      yield* client.send(limit("BUY", 1, 190, { client_order_id: id }))
      yield* client.send(limit("BUY", 1, 190, { client_order_id: id }))
      yield* venue.settle
      const acks = (yield* client.drain).map((frame) => frame.order_response!)
      assert.deepEqual(
        acks.map((ack) => [ack.status, ack.client_order_id]),
        [
          ["ACK", id],
          ["ACK", id]
        ]
      )
      assert.notStrictEqual(acks[0]!.order_id, acks[1]!.order_id)
      yield* client.send(limit("BUY", 1, 190))
      assert.strictEqual((yield* client.take("order_response")).order_response.client_order_id, "")
    })
)

story("I19: uses the builder code from the auth message, or from the upgrade request if auth contains none", (venue) =>
  Effect.gen(function* () {
    const [said, upgraded] = ["c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21", "0d9e3b6c-7f30-4b8a-8f64-c2a95d1e5a21"] as const
    const [inactive, unknown] = [
      "5b1f6f0e-7f30-4b8a-8f64-c2a95d1e5a21",
      "5b1f6f0e-7f30-4b8a-8f64-0d9e3b6c5a21"
    ] as const
    const codes = yield* BuilderCodes
    for (const builderCode of [said, upgraded, inactive]) {
      const { userId } = yield* venue.user(builderCode, 0)
      yield* codes.create({ builderCode, userId, venueBps: 7_000, builderBps: 3_000, active: false })
      yield* codes.setActive(builderCode, builderCode !== inactive)
    }
    const alice = yield* venue.user("alice")
    const place = Effect.fnUntraced(function* (upgrade: string, code: string | undefined) {
      const client = yield* venue.upgrade(upgrade)
      yield* client.send({ type: "auth", params: { hmac: yield* venue.sign(alice), builder_code: code } })
      yield* client.send({ type: "subscribe", params: { channels: ["order_responses"] } })
      yield* client.send(limit("BUY", 1, 190))
      const { order_response: ack } = yield* client.take("order_response")
      assert.strictEqual(ack.status, "ACK")
      assert.notInclude(JSON.stringify(ack), "c2a95d1e")
      yield* client.close
    })
    yield* place("", said)
    yield* place(upgraded, undefined)
    yield* place(upgraded, said)
    yield* place(upgraded, "")
    yield* place(upgraded.toUpperCase(), undefined)
    yield* place(upgraded, unknown)
    yield* place("no uuid", "no uuid")
    for (const code of ["", "no uuid", inactive, unknown]) yield* place(code, undefined)
    const journal = yield* Journal
    const rows = yield* journal.read("market/AAPL-USD", 0, 1_000)
    const carried = rows
      .flatMap((row) => (row.events.length === 0 ? [] : MarketRecord.decode(row.events)))
      .flatMap((event) => (event._tag === "Accepted" ? [event.order.builderCode] : []))
    assert.deepEqual(carried, [said, upgraded, said, "", upgraded, ...Array.from({ length: 6 }, () => "")])
  })
)
