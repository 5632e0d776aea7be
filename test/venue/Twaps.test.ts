/** TWAPs as a trader sees them (rule 16). */
import type { Frame } from "@venue/api/trade/FrameSchema"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { TestVenue } from "@venue/testing/TestVenue"
import { aapl, cancel, friday, limit, say, story, told } from "./Story.ts"

const add = (params: object = {}) =>
  say("add_twap", {
    symbol: aapl,
    side: "BUY",
    total_quantity: 10,
    num_orders: 3,
    order_interval_secs: 30,
    reduce_only: false,
    ...params
  })

const begin = Effect.fnUntraced(function* (venue: TestVenue["Service"]) {
  const user = yield* venue.user("alice")
  const alice = yield* venue.trade(user)
  const bob = yield* venue.trade(yield* venue.user("bob"), [])
  return { user, alice, bob }
})

/** Returns status, filled quantity, average price and number of orders from each TWAP response. */
const progress = (frames: ReadonlyArray<Frame>) =>
  frames.flatMap(({ twap_response: twap }) =>
    twap === undefined
      ? []
      : [`${twap.status} ${twap.filled_quantity} @ ${twap.average_fill_price} in ${twap.filled_num_orders}`]
  )
const children = (frames: ReadonlyArray<Frame>) =>
  frames.flatMap(({ order_response: order }) => (order?.status === "ACK" ? [`${order.type} ${order.quantity}`] : []))

story(
  "rule 16.4: splits a TWAP of 10 into 3.333, and then 4.499 and 4.501 because only 1.000 of the first slice filled",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* begin(venue)
      yield* bob.send(limit("SELL", 1, 200))
      yield* venue.settle
      yield* alice.send(add({ client_twap_id: "unwind-12" }))
      const { twap_response: first } = yield* alice.take("twap_response")
      yield* venue.settle
      const began = yield* alice.drain
      assert.deepInclude(first, {
        client_twap_id: "unwind-12",
        status: "ACTIVE",
        symbol: aapl,
        side: "BUY",
        total_quantity: 10,
        filled_quantity: 0,
        average_fill_price: 0,
        total_num_orders: 3,
        filled_num_orders: 0,
        order_interval_secs: 30,
        reduce_only: false,
        worst_price: 0,
        start_time: (friday + 1) / 1_000,
        created_at: (friday + 1) / 1_000
      })
      assert.deepEqual(told(began), ["ACK", "fill_response", "FILLED", "IOC_PARTIALLY_FILLED", "twap_response"])
      assert.deepInclude(began[0]!.order_response, { type: "MARKET", time_in_force: "IOC", client_order_id: "" })
      yield* bob.send(limit("SELL", 50, 201))
      yield* TestClock.adjust("29999 millis")
      yield* venue.settle
      assert.deepEqual(yield* alice.drain, [])
      yield* TestClock.adjust(1)
      yield* venue.settle
      const second = yield* alice.drain
      yield* TestClock.adjust("30 seconds")
      yield* venue.settle
      const last = yield* alice.drain
      assert.deepEqual(children([...began, ...second, ...last]), ["MARKET 3.333", "MARKET 4.499", "MARKET 4.501"])
      assert.deepEqual(progress([...began, ...second, ...last]), [
        "ACTIVE 1 @ 200 in 1",
        "ACTIVE 5.499 @ 200.81814875 in 2",
        "ACTIVE 10 @ 200.9 in 3",
        "COMPLETED 10 @ 200.9 in 3"
      ])
      yield* TestClock.adjust("5 minutes")
      yield* venue.settle
      assert.deepEqual(yield* alice.drain, [])
    })
)

story("rule 16.7: a cancel by either id stops all later slices of a TWAP, and gets two response frames", (venue) =>
  Effect.gen(function* () {
    const { alice, bob } = yield* begin(venue)
    yield* bob.send(limit("SELL", 50, 200))
    yield* alice.sendAll([add({ client_twap_id: "mine" }), add({ client_twap_id: "mine" }), add()])
    yield* venue.settle
    const ids = (yield* alice.drain).flatMap(({ twap_response: twap }) =>
      twap !== undefined && twap.filled_quantity === 0 ? [twap.twap_id] : []
    )
    assert.lengthOf(ids, 3)
    yield* alice.send(cancel("mine", "client_twap_id"))
    yield* venue.settle
    const frames = yield* alice.drain
    assert.deepEqual(told(frames), ["twap_response", "CANCELLED", "twap_response", "CANCELLED"])
    assert.deepEqual(progress(frames), ["CANCELLED 3.333 @ 200 in 1", "CANCELLED 3.333 @ 200 in 1"])
    assert.deepInclude(frames[1]!.order_response, {
      order_id: ids[0]!,
      client_order_id: "mine",
      quantity: 10,
      quantity_remaining: 6.667,
      symbol: aapl,
      side: "BUY",
      trade_id: null
    })
    yield* alice.sendAll([cancel(ids[2]!, "twap_id"), cancel(ids[2]!, "twap_id"), cancel(ids[0]!, "twap_id")])
    yield* venue.settle
    assert.deepEqual(told(yield* alice.drain), ["twap_response", "CANCELLED", "NO_SUCH_ORDER", "NO_SUCH_ORDER"])
    yield* TestClock.adjust("10 minutes")
    yield* venue.settle
    assert.deepEqual(yield* alice.drain, [])
  })
)

story("rule 16.2: reports a TWAP with a later start as SCHEDULED, and lists the TWAP as open until it ends", (venue) =>
  Effect.gen(function* () {
    const { alice, bob } = yield* begin(venue)
    yield* bob.send(limit("SELL", 50, 200))
    yield* alice.send(add({ start_time: friday / 1_000 + 90.5, num_orders: 2 }))
    assert.strictEqual((yield* alice.take("twap_response")).twap_response.status, "SCHEDULED")
    const open = Effect.gen(function* () {
      yield* alice.send(say("get_user_orders", { symbol: aapl }))
      return (yield* alice.take("all_orders_response")).all_orders_response.twaps.map(
        ({ filled_quantity, status }) => `${status} ${filled_quantity}`
      )
    })
    assert.deepEqual(yield* open, ["SCHEDULED 0"])
    yield* TestClock.adjust("90498 millis")
    yield* venue.settle
    assert.deepEqual(yield* alice.drain, [])
    yield* TestClock.adjust(1)
    yield* venue.settle
    assert.deepEqual(progress(yield* alice.drain), ["ACTIVE 5 @ 200 in 1"])
    assert.deepEqual(yield* open, ["ACTIVE 5"])
    yield* alice.send(say("get_user_orders", { symbol: "GOLD-USD" }))
    assert.deepEqual((yield* alice.take("all_orders_response")).all_orders_response.twaps, [])
    yield* TestClock.adjust("30 seconds")
    yield* venue.settle
    assert.deepEqual(progress(yield* alice.drain), ["ACTIVE 10 @ 200 in 2", "COMPLETED 10 @ 200 in 2"])
    assert.deepEqual(yield* open, [])
  })
)

story(
  "rule 16.5: places a worst-price TWAP's slices as LIMIT IOC at the worst price, or at the band's edge if that is nearer",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* begin(venue)
      yield* bob.sendAll([limit("SELL", 1, 200), limit("SELL", 50, 201)])
      yield* alice.sendAll([add({ worst_price: 200.5 }), add({ worst_price: 250, total_quantity: 1 })])
      yield* venue.settle
      const orders = (yield* alice.drain).flatMap(({ order_response: order }) =>
        order === undefined
          ? []
          : [`${order.status} ${order.type} ${order.time_in_force} ${order.quantity} @ ${order.price}`]
      )
      assert.deepEqual(orders, [
        "ACK LIMIT IOC 3.333 @ 200.5",
        "FILLED LIMIT IOC 3.333 @ 200.5",
        "IOC_PARTIALLY_FILLED LIMIT IOC 3.333 @ 200.5",
        "ACK LIMIT IOC 0.333 @ 220",
        "FILLED LIMIT IOC 0.333 @ 220"
      ])
    })
)

story(
  "rule 16.3: skips a slice that cannot trade, and adds its quantity to later slices of up to three times the even size",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* begin(venue)
      const markets = yield* MarketClient
      yield* bob.send(limit("SELL", 50, 200))
      yield* venue.settle
      yield* markets.setTradingState(aapl, "CANCEL_ONLY")
      yield* alice.send(add())
      assert.strictEqual((yield* alice.take("err")).err.error_code, "InvalidParameter")
      yield* markets.setTradingState(aapl, "TRADING")
      yield* alice.send(add({ num_orders: 5 }))
      yield* venue.settle
      yield* alice.drain
      yield* markets.setTradingState(aapl, "CANCEL_ONLY")
      yield* TestClock.adjust("90 seconds")
      yield* venue.settle
      const skipped = yield* alice.drain
      assert.deepEqual(
        told(skipped),
        [...Array(3)].flatMap(() => ["REJECTED_MARKET_CLOSED", "twap_response"])
      )
      yield* markets.setTradingState(aapl, "TRADING")
      yield* TestClock.adjust("30 seconds")
      yield* venue.settle
      const last = yield* alice.drain
      assert.deepEqual(children(last), ["MARKET 6"])
      assert.deepEqual(progress(last), ["ACTIVE 8 @ 200 in 2", "COMPLETED 8 @ 200 in 2"])
    })
)

story("rule 16.6: cancels a TWAP whose order fails the margin check", (venue) =>
  Effect.gen(function* () {
    const { bob } = yield* begin(venue)
    const carol = yield* venue.trade(yield* venue.user("carol", 500))
    yield* bob.send(limit("SELL", 500, 200))
    yield* carol.send(add({ total_quantity: 20, num_orders: 2 }))
    yield* venue.settle
    const began = yield* carol.drain
    assert.deepEqual(progress(began), ["ACTIVE 0 @ 0 in 0", "ACTIVE 10 @ 200 in 1"])
    yield* TestClock.adjust("30 seconds")
    yield* venue.settle
    const ended = yield* carol.drain
    assert.deepEqual(told(ended), ["FAILED_MARGIN_CHECK", "twap_response", "twap_response"])
    assert.deepEqual(progress(ended), ["ACTIVE 10 @ 200 in 1", "CANCELLED 10 @ 200 in 1"])
  })
)

story("I33 rule 16.6: a reduce-only TWAP never reverses the position, and ends when the position is closed", (venue) =>
  Effect.gen(function* () {
    const { alice, bob } = yield* begin(venue)
    yield* bob.sendAll([limit("SELL", 5, 200), limit("BUY", 50, 199)])
    yield* alice.send(limit("BUY", 5, 200))
    yield* venue.settle
    yield* alice.drain
    yield* alice.send(add({ side: "SELL", total_quantity: 12, reduce_only: true }))
    yield* venue.settle
    assert.deepEqual(progress(yield* alice.drain), ["ACTIVE 0 @ 0 in 0", "ACTIVE 4 @ 199 in 1"])
    yield* TestClock.adjust("30 seconds")
    yield* venue.settle
    const last = yield* alice.drain
    assert.deepEqual(told(last), ["ACK", "MODIFIED", "fill_response", "FILLED", "twap_response", "twap_response"])
    assert.deepEqual(progress(last), ["ACTIVE 5 @ 199 in 2", "COMPLETED 5 @ 199 in 2"])
    yield* TestClock.adjust("5 minutes")
    yield* venue.settle
    assert.deepEqual(yield* alice.drain, [])
  })
)

story("rule 16.1: responds to an invalid TWAP with an error, and places no order", (venue) =>
  Effect.gen(function* () {
    const { alice } = yield* begin(venue)
    const wrong: ReadonlyArray<readonly [object, RegExp]> = [
      [{ symbol: "NOPE-USD" }, /listed, ACTIVE symbol with a price/],
      [{ symbol: "GOLD-USD" }, /listed, ACTIVE symbol with a price/],
      [{ num_orders: 1 }, /num_orders/],
      [{ order_interval_secs: 29 }, /order_interval_secs/],
      [{ total_quantity: 0.2999 }, /multiple of the lot size, 0.001 base units/],
      [{ total_quantity: 0.299 }, /at least 0.1/],
      [{ total_quantity: 300_001 }, /at most 100000/],
      [{ total_quantity: -10 }, /at least 0.1/],
      [{ worst_price: 200.001 }, /multiple of the tick size, 0.01/],
      [{ worst_price: -1 }, /worst_price/],
      [{ order_interval_secs: 20_000_000 }, /within 365 days/],
      [{ start_time: 1_900_000_000 }, /365 days/],
      [{ client_twap_id: "x".repeat(65) }, /client_twap_id/]
    ]
    for (const [params, message] of wrong) {
      yield* alice.send(add(params))
      const { err } = yield* alice.take("err")
      assert.strictEqual(err.error_code, "InvalidParameter", JSON.stringify(params))
      assert.match(err.message, message)
    }
    yield* alice.send(say("get_user_orders"))
    assert.deepEqual((yield* alice.take("all_orders_response")).all_orders_response.twaps, [])
  })
)

story("rule 6.9: allows an account at most fifty concurrent TWAPs", (venue) =>
  Effect.gen(function* () {
    const { alice } = yield* begin(venue)
    const later = add({ start_time: friday / 1_000 + 3_600 })
    yield* alice.sendAll(Array.from({ length: 51 }, () => later))
    yield* venue.settle
    const frames = yield* alice.drain
    assert.deepEqual(told(frames).filter((kind) => kind === "twap_response").length, 50)
    assert.match(frames.find(({ err }) => err !== undefined)!.err!.message, /50/)
    yield* alice.send(cancel(frames[0]!.twap_response!.twap_id, "twap_id"))
    yield* alice.send(later)
    yield* venue.settle
    assert.deepEqual(told(yield* alice.drain), ["twap_response", "CANCELLED", "twap_response"])
  })
)

story(
  "confirms a TWAP to the connection that added it, and sends later frames to subscribers of order_responses",
  (venue) =>
    Effect.gen(function* () {
      const { bob, user } = yield* begin(venue)
      const [deaf, hearing] = [yield* venue.trade(user, []), yield* venue.trade(user, ["order_responses"])]
      yield* bob.send(limit("SELL", 50, 200))
      yield* deaf.send(add())
      yield* venue.settle
      assert.deepEqual(told(yield* deaf.drain), ["twap_response"])
      assert.deepEqual(told(yield* hearing.drain), ["twap_response", "ACK", "FILLED", "twap_response"])
    })
)

story("continues a TWAP after its connection closes and after cancel_all_orders", (venue) =>
  Effect.gen(function* () {
    const { alice, bob, user } = yield* begin(venue)
    yield* bob.send(limit("SELL", 50, 200))
    yield* alice.sendAll([say("cancel_on_disconnect", { cancel_on_disconnect: true }), add({ num_orders: 2 })])
    yield* venue.settle
    yield* alice.send(say("cancel_all_orders"))
    yield* venue.settle
    yield* alice.close
    const again = yield* venue.trade(user)
    yield* TestClock.adjust("30 seconds")
    yield* venue.settle
    assert.deepEqual(progress(yield* again.drain), ["ACTIVE 10 @ 200 in 2", "COMPLETED 10 @ 200 in 2"])
  })
)

story(
  "I19: credits TWAP orders to the adding connection's builder code, even after that connection has closed",
  (venue) =>
    Effect.gen(function* () {
      const { bob } = yield* begin(venue)
      const [bea, ann] = [yield* venue.user("bea"), yield* venue.user("ann")]
      const codes = yield* BuilderCodes
      const builderCode = "c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21"
      yield* codes.create({ builderCode, userId: bea.userId, venueBps: 6_000, builderBps: 3_000, active: false })
      yield* codes.setActive(builderCode, true)
      const owner = yield* venue.trade(bea, ["balances"])
      const client = yield* venue.trade(ann, [], { builderCode })
      yield* bob.send(limit("SELL", 100, 200))
      yield* client.send(add({ total_quantity: 100, num_orders: 2 }))
      yield* venue.settle
      yield* client.close
      for (const duration of ["30 seconds", "2 seconds"] as const) {
        yield* TestClock.adjust(duration)
        yield* venue.settle
      }
      const balance = (yield* owner.drain).findLast((frame) => frame.balance_response !== undefined)
      // The owner receives three tenths of two fees of 10 USD.
      assert.strictEqual(balance!.balance_response!.builder_rewards, 6)
    })
)

story("rule 9.3: cancels an account's TWAPs when the account is in liquidation", (venue) =>
  Effect.gen(function* () {
    const { bob } = yield* begin(venue)
    const carol = yield* venue.trade(yield* venue.user("carol", 1_200))
    yield* bob.sendAll([limit("SELL", 50, 200), limit("BUY", 1, 186)])
    yield* carol.send(limit("BUY", 50, 200))
    yield* venue.settle
    yield* carol.drain
    yield* carol.sendAll([
      add({ start_time: friday / 1_000 + 600 }),
      add({ side: "SELL", reduce_only: true, worst_price: 220 })
    ])
    yield* venue.settle
    yield* carol.drain
    yield* venue.price(aapl, 187)
    yield* TestClock.adjust("2 seconds")
    yield* venue.settle
    const ended = (yield* carol.drain).flatMap(({ twap_response: twap }) => (twap === undefined ? [] : [twap.status]))
    assert.deepEqual(ended, ["CANCELLED", "CANCELLED"])
    yield* carol.send(say("get_user_orders"))
    assert.deepEqual((yield* carol.take("all_orders_response")).all_orders_response.twaps, [])
  })
)
for (const ended of ["split", "delisted"] as const) {
  story(`rule 16.6: cancels running and scheduled TWAPs when their contract is ${ended}`, (venue) =>
    Effect.gen(function* () {
      const markets = yield* MarketClient
      const { alice, bob } = yield* begin(venue)
      yield* bob.send(limit("SELL", 50, 200))
      yield* alice.sendAll([add(), add({ start_time: friday / 1_000 + 3_600 })])
      yield* venue.settle
      yield* alice.drain
      yield* markets.setTradingState(aapl, "HALTED")
      if (ended === "delisted") yield* markets.delist(aapl)
      else yield* markets.splitContract(aapl, { exDay: 20_000, numerator: 4, denominator: 1 })
      yield* venue.settle
      yield* TestClock.adjust("3 seconds")
      yield* venue.settle

      assert.sameMembers([...progress(yield* alice.drain)], ["CANCELLED 3.333 @ 200 in 1", "CANCELLED 0 @ 0 in 0"])
      if (ended === "split") yield* markets.setTradingState(aapl, "TRADING")
      yield* TestClock.adjust("61 minutes")
      yield* venue.settle
      assert.deepEqual(progress(yield* alice.drain), [])
    })
  )
}
