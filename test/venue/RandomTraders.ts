/** Traders who send random messages, with all frames that they received. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Client } from "@venue/testing/Client"
import type { Frame as TradeFrame, OrderResponse } from "@venue/api/trade/FrameSchema"
import type { TestUser, TestVenue } from "@venue/testing/TestVenue"
import { Effect, Random } from "effect"
import { TestClock } from "effect/testing"
import { aapl, cancel, gold, limit, market, modify, say } from "./Story.ts"

const marks = new Map([
  [aapl, { usd: 200, tick: 0.01, lot: 0.1, least: 0.1 }],
  [gold, { usd: 3400, tick: 0.1, lot: 0.01, least: 0.01 }]
])
export const symbols: ReadonlyArray<MarketSymbol> = [...marks.keys()]

export interface Trader {
  readonly user: TestUser
  readonly accountId: AccountId
  readonly client: Client
  readonly frames: Array<TradeFrame>
  /** Orders that might be open. */
  readonly open: Map<string, OrderResponse>
}

const rounded = (value: number, step: number) => Number((Math.round(value / step) * step).toFixed(4))

/**
 * Returns a trader's next message: mostly orders near the price, some invalid messages, and changes to the trader's
 * orders.
 */
const next = Effect.fnUntraced(function* ({ open }: Trader) {
  const symbol = symbols[yield* Random.nextIntBetween(0, 1)]!
  const { least, lot, tick, usd } = marks.get(symbol)!
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
  return dice < 90
    ? cancel(one.order_id, "order_id", MarketSymbol.make(one.symbol))
    : modify(one, { price: rounded(one.price * 0.999, marks.get(MarketSymbol.make(one.symbol))!.tick) })
})

const hear = Effect.fnUntraced(function* (trader: Trader) {
  for (const frame of yield* trader.client.drain) {
    trader.frames.push(frame)
    const order = frame.order_response
    if (order === undefined || order.order_id === "") continue
    if (order.status === "ACK" || order.status === "MODIFIED") trader.open.set(order.order_id, order)
    else if (order.status !== "FILLED" || order.quantity_remaining === 0) trader.open.delete(order.order_id)
  }
})

/** Trades for some rounds. The external price and the clock move unless `still` is set. */
export const trade = Effect.fnUntraced(function* (
  venue: TestVenue["Service"],
  { rounds, still = false, usd }: { readonly rounds: number; readonly usd: number; readonly still?: boolean }
) {
  yield* venue.price(gold, 3400)
  const traders: Array<Trader> = []
  const join = Effect.fnUntraced(function* (user: TestUser, accountId: AccountId) {
    const client = yield* venue.trade(user, ["order_responses", "fills", "balances", "positions"], { accountId })
    traders.push({ user, accountId, client, frames: [], open: new Map() })
  })
  for (const name of ["ann", "ben", "cid", "dot"]) {
    const user = yield* venue.user(name, usd)
    yield* join(user, primaryAccountOf(user.userId))
    if (name === "ann") yield* join(user, AccountId.make(yield* venue.subaccount(user, usd / 4)))
  }
  for (let round = 0; round < rounds; round++) {
    for (const trader of traders) {
      const messages: Array<object> = []
      for (let i = yield* Random.nextIntBetween(0, 3); i > 0; i--) messages.push(yield* next(trader))
      yield* trader.client.sendAll(messages)
    }
    yield* venue.settle
    for (const trader of traders) yield* hear(trader)
    if (still) {
      for (const { client } of traders) yield* client.send(say("subscribe", { channels: ["balances"] }))
    } else if (round % 10 === 9) {
      yield* venue.price(aapl, rounded(200 * (1 + (yield* Random.nextBetween(-0.01, 0.01))), 0.01))
      yield* TestClock.adjust("1 second")
    }
  }
  if (!still) yield* TestClock.adjust("2 seconds")
  yield* venue.settle
  for (const trader of traders) yield* hear(trader)
  return traders
})
