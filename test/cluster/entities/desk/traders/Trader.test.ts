/** Tests of a trader and its markets: joining, syncing and queueing. */
import type { Trader } from "@venue/cluster/entities/desk/traders/Trader"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import type { Feed } from "@venue/cluster/feed/Feed"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { traderStream } from "@venue/domain/Trader"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent } from "@venue/domain/Market"
import type { OrderRequest } from "@venue/domain/Order"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Ledger from "@venue/ledger/Ledger"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, two, userId, venue } from "../../../Neighbours.ts"

type Near = ReturnType<typeof neighbours>

const desk = (
  name: string,
  tell: (near: Near) => Effect.Effect<void, unknown, Feed | MarketClient | Journal | ReadTables | Scope.Scope>
) =>
  it.effect(name, () => {
    const near = neighbours()
    return tell(near).pipe(
      Effect.provide(
        Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
          Layer.provideMerge(venue)
        )
      )
    )
  })

const traderOf = Effect.fnUntraced(function* () {
  const traders = yield* Traders.make(Effect.succeed(true))
  return yield* traders.wake(userId)
})

const cancel = (n: number, { symbol }: Instrument): OrderRequest => ({
  _tag: "CancelOrder",
  commandId: idOf(n),
  expiresAtMillis: 60_000,
  accountId: primaryAccountOf(userId),
  symbol,
  orderId: idOf(99).text,
  byClientOrderId: false
})

const place = (n: number, { symbol }: Instrument): OrderRequest => ({
  _tag: "PlaceOrder",
  commandId: idOf(n),
  expiresAtMillis: 60_000,
  accountId: primaryAccountOf(userId),
  symbol,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: 100,
  quantity: 1,
  reduceOnly: false,
  clientOrderId: "",
  builderCode: ""
})

const sent = ({ submitted }: Near) => submitted.map(({ command }) => command.commandId.d)

/** Makes an earlier owner of the trader join these markets. */
const joined = Effect.fnUntraced(function* (near: Near, instruments: ReadonlyArray<Instrument>) {
  yield* Effect.scoped(
    Effect.gen(function* () {
      const trader = yield* traderOf()
      instruments.forEach((instrument, at) => trader.enter(cancel(50 + at, instrument)))
      yield* turns
    })
  )
  near.submitted.length = 0
})

desk("records the join before sending a command to the market", (near) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    near.answers(one)
    const trader = yield* traderOf()
    assert.isTrue(trader.enter(cancel(1, one)))
    assert.deepEqual(sent(near), [])
    yield* turns
    const rows = yield* journal.read(traderStream(userId), 0, 10)
    assert.deepEqual(
      rows.flatMap(({ events }) => (events.length === 0 ? [] : TraderRecord.decode(events))),
      [{ _tag: "Joined", symbol: one.symbol }]
    )
    assert.deepEqual(sent(near), [1])
  })
)

desk("requests a second view of a market if the first view is behind the feed", (near) =>
  Effect.gen(function* () {
    near.heads.set(one.symbol, 7)
    near.views.set(one.symbol, 6)
    const trader = yield* traderOf()
    trader.enter(cancel(1, one))
    yield* turns
    assert.deepEqual(near.asked, [one.symbol])
    assert.isFalse(trader.isLive())
    near.views.set(one.symbol, 8)
    yield* TestClock.adjust("100 millis")
    yield* turns
    assert.isTrue(trader.isLive())
    assert.deepEqual(trader.watermarks(), [{ symbol: one.symbol, seq: 8 }])
  })
)

desk("adopts no view of a market before the feed has started, because rows in between would be lost", (near) =>
  Effect.gen(function* () {
    near.views.set(one.symbol, 5)
    const trader = yield* traderOf()
    trader.enter(cancel(1, one))
    yield* turns
    assert.deepEqual(near.asked, [])
    near.heads.set(one.symbol, 9)
    near.views.set(one.symbol, 9)
    yield* TestClock.adjust("100 millis")
    yield* turns
    assert.isTrue(trader.isLive())
  })
)

desk(
  "I27: queues orders that add risk while a joined market is syncing, and keeps each symbol's sequence of orders",
  (near) =>
    Effect.gen(function* () {
      near.answers(one)
      near.answers(two)
      yield* joined(near, [one, two])
      near.views.delete(two.symbol)
      const trader = yield* traderOf()
      yield* turns
      trader.enter(cancel(1, one))
      trader.enter(place(2, one))
      trader.enter(cancel(3, one))
      trader.enter(cancel(4, two))
      yield* turns
      assert.deepEqual(sent(near), [1])
      near.answers(two)
      yield* TestClock.adjust("100 millis")
      yield* turns
      assert.deepEqual(near.submitted.filter(({ symbol }) => symbol === one.symbol).length, 3)
      assert.sameOrderedMembers(
        sent(near).filter((n) => n < 4),
        [1, 2, 3]
      )
      assert.include(sent(near), 4)
    })
)

desk("I20: does not resend a command that the market recorded for a previous owner", (near) =>
  Effect.gen(function* () {
    near.answers(one)
    yield* joined(near, [one])
    near.recorded.set(one.symbol, [idOf(1).text])
    const trader = yield* traderOf()
    yield* turns
    assert.isTrue(trader.enter(cancel(1, one)))
    // The former owner's copy arrived after the view, so the log reports its outcome.
    near.tell(one, 2, primaryAccountOf(userId), {
      _tag: "Done",
      commandId: idOf(2),
      expiresAtMillis: 60_000,
      userId,
      accountId: primaryAccountOf(userId),
      atMillis: 1
    })
    assert.isTrue(trader.enter(cancel(2, one)))
    assert.isTrue(trader.enter(cancel(3, one)))
    assert.deepEqual(sent(near), [3])
    assert.strictEqual(trader.ledger.inFlight.size, 1)
  })
)

/** At 0.2 bps of 50 units at 204, a long pays 0.204 USD. */
const funded: MarketEvent = {
  _tag: "Funded",
  rateE12: 20_000_000,
  markE8: 20_400_000_000,
  remainder: 0,
  fromMillis: 0,
  skipped: false,
  atMillis: 3_600_000
}
const funding = (trader: Trader) => Ledger.balance(trader.ledger, primaryAccountOf(userId))!.funding

desk("I32: counts funding once if the hour ends while a market is syncing", (near) =>
  Effect.gen(function* () {
    near.answers(one)
    yield* joined(near, [one])
    near.views.delete(one.symbol)
    near.held.set(one.symbol, 50_000)
    const trader = yield* traderOf()
    yield* turns
    near.tell(one, 2, one.symbol, funded)
    near.tell(one, 3, one.symbol, funded)
    near.views.set(one.symbol, 2)
    yield* TestClock.adjust("100 millis")
    yield* turns
    // The view is older than the feed, so the trader requests another view.
    assert.isFalse(trader.isLive())
    near.tell(one, 4, one.symbol, funded)
    near.views.set(one.symbol, 4)
    yield* TestClock.adjust("100 millis")
    yield* turns
    assert.isTrue(trader.isLive())
    assert.strictEqual(funding(trader), 0n)
    near.tell(one, 4, one.symbol, funded)
    assert.strictEqual(funding(trader), 0n)
    near.tell(one, 5, one.symbol, funded)
    assert.strictEqual(funding(trader), -204_000n)
    assert.deepEqual(trader.watermarks(), [{ symbol: one.symbol, seq: 5 }])
  })
)

desk("I32: applies funding after the market's view if the hour ends while the view request is in flight", (near) =>
  Effect.gen(function* () {
    near.answers(one, 7)
    near.held.set(one.symbol, -50_000)
    const trader = yield* traderOf()
    trader.enter(cancel(1, one))
    // The view of row 7 is in flight.
    near.tell(one, 8, one.symbol, funded)
    near.heads.set(one.symbol, 7)
    yield* turns
    assert.isTrue(trader.isLive())
    assert.strictEqual(funding(trader), 204_000n)
  })
)

desk("does not deliver market-wide events to a trader that has left the market or never joined it", (near) =>
  Effect.gen(function* () {
    near.answers(one)
    near.answers(two)
    const trader = yield* traderOf()
    trader.enter(cancel(1, one))
    yield* turns
    assert.strictEqual(near.following(), 2)
    trader.leave()
    assert.strictEqual(near.following(), 0)
  })
)
