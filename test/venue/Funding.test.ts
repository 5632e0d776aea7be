/** Funding on the whole venue at the full hour, even after market and trader owners reload. */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import * as Funding from "@venue/domain/Funding"
import { initialInstruments } from "@venue/domain/Instrument"
import { marketStream } from "@venue/domain/Market"
import { type Funded } from "@venue/domain/Funding"
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { Client } from "@venue/testing/Client"
import type { TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, friday, limit, say, story } from "./Story.ts"

/** Two minutes before a full hour, while the market is open. */
const beforeHour = friday + 58 * 60_000

/**
 * Ann is long 50 and Ben is short 50. Cid's deep orders are 40 bps above the external price of 200. The hourly rate
 * is a hundredth of what remains of this premium after subtracting the dead zone of 5 bps.
 */
const trading = Effect.fnUntraced(function* (venue: TestVenue["Service"]) {
  const [ann, ben] = [yield* venue.user("ann"), yield* venue.user("ben")]
  const maker = yield* venue.trade(yield* venue.user("cid", 1_000_000), [])
  const long = yield* venue.trade(ann, ["positions", "balances"])
  const short = yield* venue.trade(ben, ["positions", "balances"])
  yield* short.send(limit("SELL", 50, 200.9))
  yield* venue.settle
  yield* long.send(limit("BUY", 50, 200.9))
  yield* venue.settle
  yield* maker.sendAll([limit("BUY", 100, 200.8), limit("SELL", 100, 200.9)])
  yield* venue.settle
  return { ann, ben, long, short }
})

/** Returns the net funding in the last periodic updates of the position and of the account, in 1e-6 USD. */
const told = Effect.fnUntraced(function* (venue: TestVenue["Service"], client: Client) {
  yield* client.drain
  yield* TestClock.adjust("1 second")
  yield* venue.settle
  const frames = yield* client.drain
  const balance = frames.findLast((frame) => frame.balance_response !== undefined)!.balance_response!
  const position = frames.findLast((frame) => frame.position_response !== undefined)!.position_response!
  const equity = balance.deposit + balance.realised_pnl + balance.net_funding - balance.fees + balance.unrealised_pnl
  assert.closeTo(balance.available_balance, equity - balance.order_margin - balance.position_margin, 1e-6)
  assert.strictEqual(position.net_funding, balance.net_funding)
  return Math.round(balance.net_funding * 1e6)
})

/** Returns the completed hours in AAPL's log, oldest first. */
const hours = Effect.gen(function* () {
  const journal = yield* Journal
  const rows = yield* journal.read(marketStream(aapl), 0, 100_000)
  return rows.flatMap(({ events }) =>
    events.length === 0
      ? []
      : MarketRecord.decode(events).filter((event): event is Funded => event._tag === "Funded" && !event.skipped)
  )
})

/** Returns the payments for these hours on a constant position of `units`. */
const due = (units: number, paid: ReadonlyArray<Funded>): number => {
  const apple = initialInstruments.find(({ symbol }) => symbol === aapl)!
  return paid.reduce((sum, hour) => sum + Funding.payment(apple, units * 1_000, hour), 0)
}

/** Checks that one hour was paid: clients received the amounts in the log, and all payments sum to zero. */
const paidOnce = Effect.fnUntraced(function* (
  venue: TestVenue["Service"],
  { long, short }: { readonly long: Client; readonly short: Client }
) {
  const paid = yield* hours
  assert.lengthOf(paid, 1)
  assert.isAbove(paid[0]!.rateE12, 0)
  assert.deepEqual([yield* told(venue, long), yield* told(venue, short)], [due(50, paid), due(-50, paid)])
  const { cash, positions, reserveFund } = yield* (yield* MarketClient).totals(aapl)
  assert.deepEqual([positions, cash, due(50, paid) + due(-50, paid) + reserveFund], [0, 0, 0])
})

story(
  "rule 10.5, I32: transfers funding from long to short at the hour, and shows it in positions and balances",
  (venue) =>
    Effect.gen(function* () {
      const traders = yield* trading(venue)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* told(venue, traders.long), 0)
      yield* TestClock.adjust("1 minute")
      // A long of 50 pays 0.35 bps of its value at a mark between 200.4 and 200.8.
      assert.closeTo(yield* told(venue, traders.long), -351_050, 350)
      yield* paidOnce(venue, traders)
      yield* TestClock.adjust("50 minutes")
      yield* paidOnce(venue, traders)
    }),
  beforeHour
)

const nothing = { restore: () => true, replay: () => {} }

/** Claims the stream as another owner would. The current owner is fenced at its next row and reloads. */
const take = Effect.fnUntraced(function* (stream: string) {
  yield* (yield* Journal).claim(stream, nothing, Effect.succeed(true))
})

/** Claims a trader's stream and makes the trader's owner write a row at once. */
const takeTrader = Effect.fnUntraced(function* ({ userId }: TestUser, client: Client) {
  yield* take(traderStream(userId))
  yield* client.send(say("cancel_on_disconnect", { cancel_on_disconnect: true }))
})

/** Returns whether the first owner has claimed the stream again. */
const isHeldAgain = Effect.fnUntraced(function* (stream: string) {
  const rows = yield* (yield* Journal).read(stream, 0, 100_000)
  assert.strictEqual(rows.at(-1)?.epoch, 3)
})

for (const [when, millis] of [
  ["just before", -1],
  ["at", 0],
  ["just after", 1]
] as const) {
  story(
    `I32: a trader that is reloaded ${when} the hour pays or receives funding once`,
    (venue) =>
      Effect.gen(function* () {
        const traders = yield* trading(venue)
        yield* TestClock.adjust(120_000 + millis)
        yield* takeTrader(traders.ann, traders.long)
        yield* takeTrader(traders.ben, traders.short)
        yield* TestClock.adjust("10 seconds")
        yield* venue.settle
        yield* paidOnce(venue, traders)
        yield* isHeldAgain(traderStream(traders.ann.userId))
        yield* isHeldAgain(traderStream(traders.ben.userId))
      }),
    beforeHour
  )

  story(
    `I32: charges funding once if another owner claims the market's log ${when} the hour`,
    (venue) =>
      Effect.gen(function* () {
        const traders = yield* trading(venue)
        yield* TestClock.adjust(120_000 + millis)
        yield* take(marketStream(aapl))
        yield* TestClock.adjust("10 seconds")
        yield* venue.settle
        yield* paidOnce(venue, traders)
        yield* TestClock.adjust("10 minutes")
        yield* venue.settle
        yield* paidOnce(venue, traders)
        yield* isHeldAgain(marketStream(aapl))
      }),
    beforeHour
  )
}

story(
  "I32: charges funding once if the traders and the market are all reloaded at the hour",
  (venue) =>
    Effect.gen(function* () {
      const traders = yield* trading(venue)
      yield* TestClock.adjust(119_999)
      yield* take(marketStream(aapl))
      yield* takeTrader(traders.ann, traders.long)
      yield* TestClock.adjust(1)
      yield* takeTrader(traders.ben, traders.short)
      yield* TestClock.adjust("10 seconds")
      yield* venue.settle
      yield* paidOnce(venue, traders)
      for (const { userId } of [traders.ann, traders.ben]) yield* isHeldAgain(traderStream(userId))
      yield* isHeldAgain(marketStream(aapl))
    }),
  beforeHour
)
