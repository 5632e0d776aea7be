import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { initialInstruments } from "@venue/domain/Instrument"
import * as Engine from "@venue/matching/Engine"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { FillResponse, OrderResponse } from "@venue/api/trade/FrameSchema"
import { assert } from "@effect/vitest"
import { Effect, Random } from "effect"
import * as CheckerFilled from "../chaos/CheckerFilled.ts"
import { symbols, trade, type Trader } from "./RandomTraders.ts"
import { say, story } from "./Story.ts"

const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)
const fillsOf = ({ frames }: Trader): ReadonlyArray<FillResponse> =>
  frames.flatMap((frame) => frame.fill_response ?? [])
/** Returns the responses to accepted orders; a refusal has no `reduce_only`. */
const ordersOf = ({ frames }: Trader): ReadonlyArray<OrderResponse> =>
  frames.flatMap(({ order_response: order }) => (order?.reduce_only === undefined ? [] : order))
const signed = ({ quantity, side }: FillResponse) => (side === "BUY" ? quantity : -quantity)

for (const seed of ["first", "second"]) {
  story(
    `I10, I21, I22, I25, I26: orders, fills, positions and balances agree after hundreds of random commands (${seed})`,
    (venue) =>
      Effect.gen(function* () {
        const traders = yield* trade(venue, { rounds: 60, usd: 20_000 })
        const everyFill = traders.flatMap(fillsOf)
        assert.isAbove(everyFill.length, 200)

        for (const trader of traders) {
          const fills = fillsOf(trader)
          const balance = trader.frames.findLast((frame) => frame.balance_response !== undefined)!.balance_response!
          // I10: the fills add up to the balance.
          assert.closeTo(balance.fees, sum(fills.map((fill) => fill.fee)), 1e-6)
          assert.closeTo(balance.realised_pnl, sum(fills.map((fill) => fill.realised_pnl)), 1e-6)
          for (const symbol of symbols) {
            const position = trader.frames.findLast(
              (frame) => frame.position_response?.symbol === symbol
            )?.position_response
            const held = sum(fills.filter((fill) => fill.symbol === symbol).map(signed))
            assert.closeTo(position?.position ?? 0, held, 1e-9)
          }
          const equity = balance.deposit + balance.realised_pnl + balance.unrealised_pnl - balance.fees
          assert.closeTo(balance.available_balance, equity - balance.order_margin - balance.position_margin, 1e-6)

          // I21: an order never fills beyond its quantity, and its remaining quantity decreases with each fill.
          for (const [orderId, own] of Map.groupBy(fills, (fill) => fill.order_id)) {
            const last = ordersOf(trader).findLast((order) => order.order_id === orderId)!
            assert.closeTo(sum(own.map((fill) => fill.quantity)), last.quantity - last.quantity_remaining, 1e-9)
            assert.isTrue(
              own.every((fill, at) => at === 0 || fill.remaining_quantity < own[at - 1]!.remaining_quantity)
            )
          }
          // Rule 4.22: each fill has one FILLED frame, in the same order, with the remaining quantity after the whole
          // command.
          const judges = new Map<string, CheckerFilled.Judge>()
          const judgeOf = (orderId: string) => {
            const judge = judges.get(orderId) ?? CheckerFilled.judge()
            judges.set(orderId, judge)
            return judge
          }
          const isFilled = (order: OrderResponse | undefined) => order?.status === "FILLED"
          for (const { fill_response: fill, order_response: order } of trader.frames) {
            if (fill !== undefined) judgeOf(fill.order_id).fill(fill.trade_id)
            if (isFilled(order)) assert.isUndefined(judgeOf(order!.order_id).filled(order!), JSON.stringify(order))
          }
          assert.lengthOf(ordersOf(trader).filter(isFilled), fills.length)
          // I22: an order never changes after its end. Each fill by its last command has a frame with the same state.
          const ended = new Map<string, string>()
          for (const order of ordersOf(trader)) {
            const end = ended.get(order.order_id)
            assert.isTrue(end === undefined || (end === "FILLED" && order.status === "FILLED"), JSON.stringify(order))
            if (
              order.status.includes("CANCELLED") ||
              order.status === "IOC_PARTIALLY_FILLED" ||
              order.quantity_remaining === 0
            ) {
              ended.set(order.order_id, order.status)
            }
          }
          // The listed open orders equal the orders that are open according to the frames.
          yield* trader.client.send(say("get_user_orders"))
          const { all_orders_response: listed } = yield* trader.client.take("all_orders_response")
          assert.deepEqual(listed.orders.map((order) => order.order_id).toSorted(), [...trader.open.keys()].toSorted())
        }

        // I21: each trade has two sides with equal quantity and price, from two users.
        for (const sides of Map.groupBy(everyFill, (fill) => fill.trade_id).values()) {
          assert.deepEqual(sides.map((fill) => fill.side).toSorted(), ["BUY", "SELL"])
          assert.strictEqual(sides[0]!.quantity, sides[1]!.quantity)
          assert.strictEqual(sides[0]!.price, sides[1]!.price)
          const users = sides.map((fill) => traders.find((trader) => trader.accountId === fill.user_id)!.user.userId)
          assert.notStrictEqual(users[0], users[1])
        }
        // I25, I26: positions and cash of all accounts sum to zero.
        const markets = yield* MarketClient
        for (const symbol of symbols) {
          assert.deepInclude(yield* markets.totals(symbol), { positions: 0, cash: 0 })
          assert.closeTo(sum(everyFill.filter((fill) => fill.symbol === symbol).map(signed)), 0, 1e-9)
        }
      }).pipe(Random.withSeed(seed))
  )
}

story("I27: the available balance never falls below zero while marks are constant, except by fees", (venue) =>
  Effect.gen(function* () {
    const traders = yield* trade(venue, { rounds: 60, usd: 400, still: true })
    assert.isAbove(traders.flatMap(fillsOf).length, 100)
    assert.isTrue(
      traders.some(({ frames }) => frames.some((frame) => frame.order_response?.status === "FAILED_MARGIN_CHECK"))
    )
    let least = Infinity
    for (const { frames } of traders) {
      for (const { balance_response: balance } of frames) {
        if (balance === undefined) continue
        least = Math.min(least, balance.available_balance / balance.deposit)
        assert.isAtLeast(balance.available_balance + balance.fees, 0)
      }
    }
    // Almost all available margin was used.
    assert.isBelow(least, 0.2)
  }).pipe(Random.withSeed("margin"))
)

story(
  "I2, I6, I24: replaying a market's log, which has no gaps, gives the book and totals that the venue shows",
  (venue) =>
    Effect.gen(function* () {
      yield* trade(venue, { rounds: 40, usd: 5_000 })
      const journal = yield* Journal
      const markets = yield* MarketClient
      for (const symbol of symbols) {
        const rows = yield* journal.read(`market/${symbol}`, 0, 100_000)
        assert.deepEqual(
          rows.map((row) => row.seq),
          rows.map((_, at) => at + 1)
        )
        const engine = Engine.make(
          initialInstruments.find((instrument) => instrument.symbol === symbol)!,
          { maxOpenOrders: 200 }
        )
        for (const row of rows) {
          if (row.events.length > 0) for (const event of MarketRecord.decode(row.events)) Engine.apply(engine, event)
          const { askTicks, bidTicks } = Engine.best(engine)
          assert.isTrue(bidTicks === undefined || askTicks === undefined || bidTicks < askTicks)
        }
        const { levels, prices } = yield* markets.depth(symbol)
        assert.deepEqual(Engine.depth(engine), levels as Array<(typeof levels)[number]>)
        assert.deepEqual(Engine.prices(engine) as object, prices as object)
        const { cash, positions } = Engine.totals(engine)
        assert.deepInclude(yield* markets.totals(symbol), { cash, positions })
      }
    }).pipe(Random.withSeed("log"))
)

story("sends no optional key as null, and sends every id as a version 4 UUID", (venue) =>
  Effect.gen(function* () {
    const traders = yield* trade(venue, { rounds: 20, usd: 5_000 })
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    for (const frame of traders.flatMap(({ frames }) => frames)) {
      assert.isTrue(Object.values(frame).every((body) => body !== null))
      const { fill_response: fill, order_response: order, position_response: position } = frame
      const ids = [order?.trade_id, order?.order_id, fill?.trade_id, fill?.order_id, position?.id].filter((id) => id)
      for (const id of ids) assert.match(id!, uuid)
      const numbers = { ...order, ...fill, ...position } as Record<string, unknown>
      for (const key of [
        "quantity",
        "price",
        "fee",
        "update_time",
        "position",
        "average_price",
        "quantity_remaining"
      ]) {
        if (key in numbers) assert.strictEqual(typeof numbers[key], "number", key)
      }
    }
  }).pipe(Random.withSeed("wire"))
)
