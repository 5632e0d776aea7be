/** Scenes and checks that the liquidation tests share. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream, type MarketEvent } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { Client } from "@venue/testing/Client"
import type { TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, limit, say } from "./Story.ts"

export interface Person {
  readonly user: TestUser
  readonly client: Client
}

export const person = Effect.fnUntraced(function* (venue: TestVenue["Service"], name: string, usd: number) {
  const user = yield* venue.user(name, usd)
  const client = yield* venue.trade(user)
  return { user, client } satisfies Person
})

export const deal = Effect.fnUntraced(function* (
  venue: TestVenue["Service"],
  buyer: Person,
  seller: Person,
  units: number,
  price: number,
  symbol: MarketSymbol = aapl
) {
  yield* seller.client.send(limit("SELL", units, price, { symbol }))
  yield* venue.settle
  yield* buyer.client.send(limit("BUY", units, price, { symbol }))
  yield* venue.settle
  yield* buyer.client.drain
  yield* seller.client.drain
})

/** Alice has bought 50 AAPL at 200 from Bob for a fee of 10. With the default deposits, she has 1,100 USD left. */
export const fifty = Effect.fnUntraced(function* (venue: TestVenue["Service"], bobs = 100_000, alices = 1_110) {
  const alice = yield* person(venue, "alice", alices)
  const bob = yield* person(venue, "bob", bobs)
  yield* deal(venue, alice, bob, 50, 200)
  return { alice, bob }
})

const summaryOf = Effect.fnUntraced(function* ({ user: { userId } }: Person) {
  const desks = yield* DeskClient
  return yield* desks.summary({ userId, accountId: primaryAccountOf(userId), cost: noCost })
})

/** Returns the position in units. */
export const heldBy = (who: Person, symbol: MarketSymbol = aapl) =>
  Effect.map(summaryOf(who), ({ holdings }) => {
    const found = holdings.find((holding) => holding.symbol === symbol)
    return (found?.quantityLots ?? 0) / 1_000
  })

/** Returns a person's equity in USD. */
export const equityOf = (who: Person) => Effect.map(summaryOf(who), ({ balance }) => Number(balance.equity) / 1e6)

/** Checks that the market's positions and cash sum to zero. Returns its reserve fund in USD. */
export const fundOf = Effect.fnUntraced(function* (symbol: MarketSymbol = aapl) {
  const { cash, positions, reserveFund } = yield* (yield* MarketClient).totals(symbol)
  assert.deepEqual([positions, cash], [0, 0])
  return reserveFund / 1e6
})

export const provide = Effect.fnUntraced(function* ({ user: { userId } }: Person, symbol: MarketSymbol = aapl) {
  const accountId = primaryAccountOf(userId)
  const asked = { userId, cost: noCost, accountId, symbols: [symbol], limit: 100_000_000_000 }
  yield* (yield* DeskClient).ask(userId, (desk) => desk.AppointProvider(asked))
})

export const topUp = Effect.fnUntraced(function* (usd: number, symbol: MarketSymbol = aapl) {
  const asked = { topUpId: `fund-${usd}`, amount: usd * 1_000_000, reason: "test" }
  yield* (yield* MarketClient).topUpFund(symbol, asked)
})

export const logOf = Effect.fnUntraced(function* (symbol: MarketSymbol = aapl) {
  const rows = yield* (yield* Journal).read(marketStream(symbol), 0, 100_000)
  return rows.flatMap((row): ReadonlyArray<MarketEvent> =>
    row.events.length === 0 ? [] : MarketRecord.decode(row.events)
  )
})

const nothing = { restore: () => true, replay: () => {} }

/** Claims the stream as another owner would. The current owner is fenced at its next row and reloads. */
export const take = Effect.fnUntraced(function* (stream: string) {
  yield* (yield* Journal).claim(stream, nothing, Effect.succeed(true))
})

/** Claims a trader's stream and makes the trader's owner write a row at once. */
export const takeTrader = Effect.fnUntraced(function* ({ client, user }: Person) {
  yield* take(`trader/${user.userId}`)
  yield* client.send(say("cancel_on_disconnect", { cancel_on_disconnect: true }))
})

/** Returns a short description of each fill that a person received. */
export const fillsOf = ({ client }: Person) =>
  Effect.map(client.drain, (frames) =>
    frames.flatMap(({ fill_response: fill }) =>
      fill === undefined ? [] : [`${fill.execution_type} ${fill.side} ${fill.quantity} at ${fill.price}`]
    )
  )
