/** One market's day on the whole venue, from Friday's opening hours into the weekend, as its traders see it. */
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import type { FillResponse, Frame } from "@venue/api/trade/FrameSchema"
import type { Client } from "@venue/testing/Client"
import { layerMemory, type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect, identity } from "effect"
import { TestClock } from "effect/testing"
import { layerOver, RestClient } from "../gateway/rest/RestClient.ts"
import { aapl, friday, limit, market, say } from "./Story.ts"

/** External price for each hour. In the tenth hour it falls far below the stop. */
const prices = [
  200, 200.6, 201.1, 200.4, 201.5, 202.2, 201.8, 200.9, 199.8, 195.5, 196.2, 195.9, 196.4, 197.1, 196.8, 197.6, 197.2,
  196.9, 197.3, 198.2, 198.6, 198.1, 198.8, 199.2
]
/** Number of hours from the first price to midnight in New York, when the exchanges' week ends. */
const liveHours = 14

interface Trader {
  readonly user: TestUser
  readonly client: Client
  readonly deposit: number
  readonly frames: Array<Frame>
}

const settings = { ...defaults, instruments: new Map([[aapl, defaults.instruments.get(aapl)!]]) }

const join = Effect.fnUntraced(function* (name: string, deposit: number) {
  const venue = yield* TestVenue
  const user = yield* venue.user(name, deposit)
  return identity<Trader>({ user, client: yield* venue.trade(user), deposit, frames: [] })
})

/** Sends the messages and keeps the frames that the trader receives. */
const asked = Effect.fnUntraced(function* ({ client, frames }: Trader, ...messages: ReadonlyArray<object>) {
  const venue = yield* TestVenue
  yield* client.sendAll(messages)
  yield* venue.settle
  frames.push(...(yield* client.drain))
})

/** Adds an amount in USD to a price, rounded to whole ticks. */
const above = (price: number, usd: number): number => Math.round((price + usd) * 100) / 100

/**
 * Keeps the maker's bid 30 bps above the external price, so that long positions pay funding each hour. Offers rest
 * only until they are taken, because a mid price would move the mark every second of the day.
 */
const bid = (maker: Trader, price: number) =>
  asked(maker, say("cancel_all_orders", { symbol: aapl }), limit("BUY", 400, above(price, 0.6)))

/** Sells a quantity from one trader to the other. */
const sell = Effect.fnUntraced(function* (seller: Trader, buyer: Trader, quantity: number, price: number) {
  yield* asked(seller, limit("SELL", quantity, above(price, 0.8)))
  yield* asked(buyer, market("BUY", quantity))
})

const fillsOf = ({ frames }: Trader): ReadonlyArray<FillResponse> =>
  frames.flatMap(({ fill_response: fill }) => (fill === undefined ? [] : [fill]))

/** Opens the listeners only for one request, because they poll their desks every second. */
const openly = <A, E, R>(ask: Effect.Effect<A, E, R>) => Effect.scoped(Effect.provide(ask, layerOver))

const rest = Effect.fnUntraced(function* (trader: Trader, path: string) {
  const { get, signed } = yield* RestClient
  const { body, status } = yield* get(path, yield* signed(trader.user))
  assert.strictEqual(status, 200)
  return body
})
const balanceOf = (trader: Trader) => Effect.map(rest(trader, "/user/positions"), ({ balance }) => balance)

const micros = (usd: number): number => Math.round(usd * 1e6)
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

/** Checks that frames, REST and the venue's own proof agree, and that the sum of all money is unchanged. */
const addsUp = Effect.fnUntraced(function* (traders: ReadonlyArray<Trader>) {
  const { admin } = yield* RestClient
  let [lots, equity, paid] = [0, 0, 0]
  for (const trader of traders) {
    const fills = fillsOf(trader)
    const { balance, positions } = yield* rest(trader, "/user/positions")
    const position = positions.find(({ symbol }: { readonly symbol: string }) => symbol === aapl)
    const held = sum(fills.map(({ quantity, side }) => Math.round(quantity * 1_000) * (side === "BUY" ? 1 : -1)))
    assert.strictEqual(Math.round((position?.position ?? 0) * 1_000), held)
    const realised = sum(fills.map((fill) => micros(fill.realised_pnl)))
    assert.strictEqual(micros(balance.realised_pnl), realised)
    assert.strictEqual(balance.deposit, trader.deposit)
    const margin = micros(balance.order_margin + balance.position_margin)
    const fees = sum(fills.map(({ fee }) => micros(fee)))
    const cash = micros(trader.deposit) + realised + micros(balance.net_funding) - fees
    assert.strictEqual(micros(balance.available_balance) + margin, cash + micros(balance.unrealised_pnl))
    const listed = yield* rest(trader, "/user/trade?limit=100")
    assert.sameMembers(
      listed.data.map(({ id }: { readonly id: string }) => id),
      fills.map(({ trade_id }) => trade_id)
    )
    lots += held
    equity += micros(balance.available_balance) + margin
    paid += fees
  }
  const proof = (yield* admin("GET", "/proof")).body
  assert.isTrue(proof.balanced)
  const reserve = micros(proof.reserve_funds[0].amount)
  assert.strictEqual(lots, 0)
  // Each position's value is rounded down, so one micro-dollar per trader might be missing.
  assert.closeTo(equity + paid + reserve, micros(sum(traders.map(({ deposit }) => deposit))), traders.length)
})

it.effect(
  "I10 I25 I26 I32: the public interfaces show balanced accounts over a day with trades, funding, a stop and new fee tiers",
  () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      yield* venue.price(aapl, prices[0]!)
      const [ann, ben, cid, dot] = yield* Effect.all([
        join("ann", 100_000),
        join("ben", 100_000),
        join("cid", 1_000_000),
        join("dot", 50_000)
      ])
      yield* sell(ben, ann, 1_200, 200)
      yield* asked(ann, limit("SELL", 300, 197, { order_type: "STOP_LOSS" }))

      const funding: Array<number> = []
      for (const [hour, price] of prices.entries()) {
        // Advances ten minutes now, and the rest of the hour at the end of the loop.
        yield* TestClock.adjust("10 minutes")
        yield* bid(cid, price)
        yield* venue.price(aapl, price)
        yield* hour % 3 === 0 ? asked(dot, market("SELL", 5 + hour)) : sell(ben, dot, 5 + hour, price)
        if (hour < 4) yield* asked(ann, market("SELL", 100))
        if (hour < 4) yield* sell(cid, ann, 100, price)
        yield* TestClock.adjust("50 minutes")
        yield* venue.settle
        yield* Effect.forEach([ann, ben, cid, dot], (trader) => asked(trader))
        funding.push((yield* openly(balanceOf(ann))).net_funding)
      }

      const paidHours = funding.map((now, hour) => now !== (funding[hour - 1] ?? 0))
      assert.deepEqual(
        paidHours,
        prices.map((_, hour) => hour < liveHours)
      )
      const stopped = fillsOf(ann).filter(({ order_type }) => order_type === "STOP_MARKET")
      assert.deepEqual(
        stopped.map(({ price, quantity, timestamp }) => [price, quantity, Math.floor(timestamp)]),
        [[196.1, 300, friday / 1_000 + 9 * 3_600 + 600]]
      )
      // A taker pays 10 bps, or 8 bps for orders placed after midnight. The stop was placed before midnight.
      yield* asked(ann, market("SELL", 10))
      // The tables are written only while the clock advances.
      yield* TestClock.adjust("10 seconds")
      yield* asked(cid)
      const rates = fillsOf(ann).map(({ fee, price, quantity }) => Math.round((fee * 1e5) / (price * quantity)) / 10)
      assert.deepEqual([...new Set(rates)], [10, 8])
      assert.strictEqual(rates.filter((rate) => rate === 8).length, 1)
      yield* openly(addsUp([ann, ben, cid, dot]))
    }).pipe(Effect.provide(layerMemory), Effect.provideService(VenueSettings, settings), Effect.scoped, (day) =>
      Effect.andThen(TestClock.setTime(friday), day)
    )
)
