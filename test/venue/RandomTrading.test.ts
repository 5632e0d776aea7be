import type { Client } from "@venue/testing/Client"
import type { FillResponse, OrderResponse, TradeFrame } from "@venue/testing/Frame"
import type { TestUser, TestVenue } from "@venue/testing/TestVenue"
import { Markets } from "@venue/cluster/Link"
import { assert } from "@effect/vitest"
import { Effect, Random } from "effect"
import { TestClock } from "effect/testing"
import { aapl, cancel, gold, limit, market, modify, say, story } from "./Story.ts"

const marks = { [aapl]: { usd: 200, tick: 0.01, lot: 0.1, least: 0.1 }, [gold]: { usd: 3400, tick: 0.1, lot: 0.01, least: 0.01 } }
type Symbol = keyof typeof marks
const symbols = [aapl, gold] as ReadonlyArray<Symbol>

interface Trader {
  readonly user: TestUser
  readonly accountId: string
  readonly client: Client
  readonly frames: Array<TradeFrame>
  /** Orders that may be open. */
  readonly open: Map<string, OrderResponse>
}

const rounded = (value: number, step: number) => Number((Math.round(value / step) * step).toFixed(4))
const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)

/** The next message of a trader: mostly orders near the price, some nonsense, and changes to what it has. */
const next = Effect.fnUntraced(function*({ open }: Trader) {
  const symbol = symbols[yield* Random.nextIntBetween(0, 1)]!
  const { least, lot, tick, usd } = marks[symbol]
  const side = (yield* Random.nextBoolean) ? "BUY" : "SELL"
  const quantity = rounded(least * (yield* Random.nextIntBetween(1, 60)), lot)
  const price = rounded(usd * (1 + (yield* Random.nextBetween(-0.004, 0.004))), tick)
  const mine = [...open.values()]
  const one = mine[yield* Random.nextIntBetween(0, Math.max(0, mine.length - 1))]
  const dice = yield* Random.nextIntBetween(0, 99)
  if (dice < 45) return limit(side, quantity, price, { symbol })
  if (dice < 55) return limit(side, quantity, price, { symbol, order_time_in_force: dice < 50 ? "IOC" : "FOK" })
  if (dice < 60) return limit(side, quantity, price, { symbol, order_type: "ALO" })
  if (dice < 70) return market(side, quantity, { symbol })
  if (dice < 75) return limit(side, quantity, price, { symbol, reduce_only: true })
  if (dice < 77) return limit(side, quantity * 10_000, price, { symbol })
  if (dice < 79) return say("close_position", { symbol })
  if (dice < 80) return say("cancel_all_orders", { symbol })
  if (one === undefined) return limit(side, quantity, price, { symbol })
  return dice < 90 ? cancel(one.order_id, "order_id", one.symbol) : modify(one, { price: rounded(one.price * 0.999, marks[one.symbol as Symbol].tick) })
})

const hear = Effect.fnUntraced(function*(trader: Trader) {
  for (const frame of yield* trader.client.drain) {
    trader.frames.push(frame)
    const order = frame.order_response
    if (order === undefined || order.order_id === "") continue
    if (order.status === "ACK" || order.status === "MODIFIED") trader.open.set(order.order_id, order)
    else if (order.status !== "FILLED" || order.quantity_remaining === 0) trader.open.delete(order.order_id)
  }
})

const trade = Effect.fnUntraced(function*(venue: TestVenue["Service"], rounds: number) {
  yield* venue.price(gold, 3400)
  const traders: Array<Trader> = []
  const join = Effect.fnUntraced(function*(user: TestUser, accountId: string) {
    const client = yield* venue.trade(user, ["order_responses", "fills", "balances", "positions"], { accountId })
    traders.push({ user, accountId, client, frames: [], open: new Map() })
  })
  for (const name of ["ann", "ben", "cid", "dot"]) {
    const user = yield* venue.user(name, 20_000)
    yield* join(user, user.userId)
    if (name === "ann") yield* join(user, yield* venue.subaccount(user, 5_000))
  }
  for (let round = 0; round < rounds; round++) {
    for (const trader of traders) {
      const messages: Array<object> = []
      for (let i = yield* Random.nextIntBetween(0, 3); i > 0; i--) messages.push(yield* next(trader))
      yield* trader.client.sendAll(messages)
    }
    yield* venue.settle
    for (const trader of traders) yield* hear(trader)
    if (round % 10 === 9) {
      yield* venue.price(aapl, rounded(200 * (1 + (yield* Random.nextBetween(-0.01, 0.01))), 0.01))
      yield* TestClock.adjust("1 second")
    }
  }
  yield* TestClock.adjust("2 seconds")
  yield* venue.settle
  for (const trader of traders) yield* hear(trader)
  return traders
})

const fillsOf = ({ frames }: Trader): ReadonlyArray<FillResponse> => frames.flatMap((frame) => frame.fill_response ?? [])
/** What was told of orders that were accepted; a refusal does not say whether it is reduce-only. */
const facts = ({ frames }: Trader): ReadonlyArray<OrderResponse> =>
  frames.flatMap(({ order_response: order }) => order?.reduce_only === undefined ? [] : order)
const signed = ({ quantity, side }: FillResponse) => side === "BUY" ? quantity : -quantity

for (const seed of ["first", "second"]) {
  story(`I10, I21, I22, I25, I26, I27, I33: after hundreds of random commands all books agree (${seed})`, (venue) =>
    Effect.gen(function*() {
      const traders = yield* trade(venue, 60)
      const everyFill = traders.flatMap(fillsOf)
      assert.isAbove(everyFill.length, 200)

      for (const trader of traders) {
        const fills = fillsOf(trader)
        const balance = trader.frames.findLast((frame) => frame.balance_response !== undefined)!.balance_response!
        // I10: what the fills said is what the balance says.
        assert.closeTo(balance.fees, sum(fills.map((fill) => fill.fee)), 1e-6)
        assert.closeTo(balance.realised_pnl, sum(fills.map((fill) => fill.realised_pnl)), 1e-6)
        for (const symbol of symbols) {
          const position = trader.frames.findLast((frame) => frame.position_response?.symbol === symbol)?.position_response
          const held = sum(fills.filter((fill) => fill.symbol === symbol).map(signed))
          assert.closeTo(position?.position ?? 0, held, 1e-9)
        }
        const equity = balance.deposit + balance.realised_pnl + balance.unrealised_pnl - balance.fees
        assert.closeTo(balance.available_balance, equity - balance.order_margin - balance.position_margin, 1e-6)

        // I21: an order is filled no further than its quantity, and what is left is told as it shrinks.
        for (const [orderId, own] of Map.groupBy(fills, (fill) => fill.order_id)) {
          const last = facts(trader).findLast((order) => order.order_id === orderId)!
          assert.closeTo(sum(own.map((fill) => fill.quantity)), last.quantity - last.quantity_remaining, 1e-9)
          assert.isTrue(own.every((fill, at) => at === 0 || fill.remaining_quantity < own[at - 1]!.remaining_quantity))
        }
        // I22: nothing more happens to an order after its end.
        const ended = new Set<string>()
        for (const order of facts(trader)) {
          assert.isFalse(ended.has(order.order_id), JSON.stringify(order))
          if (order.status.includes("CANCELLED") || order.status === "IOC_PARTIALLY_FILLED" || order.quantity_remaining === 0) {
            ended.add(order.order_id)
          }
        }
        // What the venue lists as open is what the frames left open.
        yield* trader.client.send(say("get_user_orders"))
        const { all_orders_response: listed } = yield* trader.client.take("all_orders_response")
        assert.deepEqual(listed.orders.map((order) => order.order_id).toSorted(), [...trader.open.keys()].toSorted())
      }

      // I21: each trade has two sides of one size and price, of two users.
      for (const sides of Map.groupBy(everyFill, (fill) => fill.trade_id).values()) {
        assert.deepEqual(sides.map((fill) => fill.side).toSorted(), ["BUY", "SELL"])
        assert.strictEqual(sides[0]!.quantity, sides[1]!.quantity)
        assert.strictEqual(sides[0]!.price, sides[1]!.price)
        const users = sides.map((fill) => traders.find((trader) => trader.accountId === fill.user_id)!.user.userId)
        assert.notStrictEqual(users[0], users[1])
      }
      // I25, I26: over everybody positions and cash are zero.
      const markets = yield* Markets
      for (const symbol of symbols) {
        assert.deepInclude(yield* markets.totals(symbol), { positions: 0, cash: 0 })
        assert.closeTo(sum(everyFill.filter((fill) => fill.symbol === symbol).map(signed)), 0, 1e-9)
      }
      // I27: nobody's orders took more than there was.
      for (const trader of traders) {
        for (const { balance_response: balance } of trader.frames) {
          if (balance !== undefined) assert.isAtLeast(balance.available_balance + 1, 0)
        }
      }
    }).pipe(Random.withSeed(seed)))
}
