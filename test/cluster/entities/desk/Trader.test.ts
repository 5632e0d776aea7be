/** A trader and its markets: joined first, live by a view, and nothing that adds risk while one is unknown. */
import * as Traders from "@venue/cluster/entities/desk/Traders"
import type { Feed } from "@venue/cluster/feed/Feed"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { traderStream } from "@venue/domain/Trader"
import type { Instrument } from "@venue/domain/Instrument"
import type { OrderRequest } from "@venue/domain/Order"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, two, userId, venue } from "../../Neighbours.ts"

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

/** Has joined these in an earlier residence. */
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

desk("a trader joins a market in its journal before anything of it goes there", (near) =>
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

desk("a view behind what the feed has told is asked for again", (near) =>
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

desk("no view is taken before the feed has begun, or what came between would be told by neither", (near) =>
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
  "I27: while a joined market is unknown, what adds risk waits and the rest goes; each symbol keeps its order",
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

desk("I20: a command that the market recorded before this desk took the trader is not entered again", (near) =>
  Effect.gen(function* () {
    near.answers(one)
    yield* joined(near, [one])
    near.recorded.set(one.symbol, [idOf(1).text])
    const trader = yield* traderOf()
    yield* turns
    assert.isTrue(trader.enter(cancel(1, one)))
    // The old desk's copy arrived after the view: it is told by the log.
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
