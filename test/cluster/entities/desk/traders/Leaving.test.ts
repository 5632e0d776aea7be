/** Tests of traders that leave unused markets and join them again. */
import * as Leaving from "@venue/cluster/entities/desk/traders/Leaving"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import * as Waking from "@venue/cluster/entities/desk/traders/Waking"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import type { OrderRequest } from "@venue/domain/Order"
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import * as Ledger from "@venue/ledger/Ledger"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, two, userId, venue } from "../../../Neighbours.ts"

type Near = ReturnType<typeof neighbours>
const testLayer = (near: Near) =>
  Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
    Layer.provideMerge(venue)
  )

const desk = (
  name: string,
  tell: (near: Near) => Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof testLayer>> | Scope.Scope>
) =>
  it.effect(name, () => {
    const near = neighbours()
    near.answers(one)
    near.answers(two)
    return tell(near).pipe(Effect.provide(testLayer(near)))
  })

const begin = Effect.gen(function* () {
  const traders = yield* Traders.make(Effect.succeed(true))
  yield* Leaving.make(traders)
  return traders
})

const cancel = (n: number, { symbol }: Instrument): OrderRequest => ({
  _tag: "CancelOrder",
  commandId: idOf(n),
  expiresAtMillis: Number.MAX_SAFE_INTEGER,
  accountId: primaryAccountOf(userId),
  symbol,
  orderId: idOf(99).text,
  byClientOrderId: false
})

const recorded = Effect.gen(function* () {
  const rows = yield* (yield* Journal).read(traderStream(userId), 0, 100)
  return rows
    .flatMap(({ events }) => (events.length === 0 ? [] : TraderRecord.decode(events)))
    .map((event) => ("symbol" in event ? `${event._tag} ${event.symbol}` : event._tag))
})

const joinedEntries = Effect.gen(function* () {
  const entries = yield* (yield* Journal).wakeUps("0")
  return entries.filter(({ reason }) => reason === "joined").map(({ detail }) => detail)
})

/** Makes the market record the command. */
const done = ({ tell }: Near, n: number, instrument: Instrument) =>
  tell(instrument, 2, primaryAccountOf(userId), {
    _tag: "Done",
    commandId: idOf(n),
    expiresAtMillis: 0,
    userId,
    accountId: primaryAccountOf(userId),
    atMillis: 0
  })

desk("a trader leaves a market in which it has no position after ten minutes without a command", (near) =>
  Effect.gen(function* () {
    near.held.set(two.symbol, 3)
    const trader = yield* (yield* begin).wake(userId)
    for (const [n, instrument] of [one, two].entries()) trader.enter(cancel(n, instrument))
    yield* turns
    for (const [n, instrument] of [one, two].entries()) done(near, n, instrument)
    yield* TestClock.adjust("9 minutes")
    assert.deepEqual(trader.symbols(), [one.symbol, two.symbol])
    yield* TestClock.adjust("2 minutes")
    yield* turns
    assert.deepEqual(trader.symbols(), [two.symbol])
    assert.deepEqual(yield* recorded, [`Joined ${one.symbol}`, `Joined ${two.symbol}`, `Left ${one.symbol}`])
    assert.deepEqual(yield* joinedEntries, [two.symbol])
  })
)

desk("a trader stays in a market while a command in that market has no outcome", () =>
  Effect.gen(function* () {
    const trader = yield* (yield* begin).wake(userId)
    trader.enter(cancel(1, one))
    yield* TestClock.adjust("1 hour")
    yield* turns
    assert.deepEqual(trader.symbols(), [one.symbol])
  })
)

desk("records a new join before sending a command to a market that the trader had left", (near) =>
  Effect.gen(function* () {
    const trader = yield* (yield* begin).wake(userId)
    trader.enter(cancel(1, one))
    yield* turns
    done(near, 1, one)
    yield* TestClock.adjust("11 minutes")
    yield* turns
    assert.deepEqual(trader.symbols(), [])
    assert.isTrue(trader.enter(cancel(2, one)))
    assert.lengthOf(near.submitted, 1)
    yield* turns
    assert.lengthOf(near.submitted, 2)
    assert.deepEqual(yield* recorded, [`Joined ${one.symbol}`, `Left ${one.symbol}`, `Joined ${one.symbol}`])
    assert.deepEqual(yield* joinedEntries, [one.symbol])
  })
)

desk(
  "a desk that has moved loads a trader without joined markets only when a request for that trader arrives",
  (near) =>
    Effect.gen(function* () {
      near.cash.set(one.symbol, 204_000)
      const equity = yield* Effect.scoped(
        Effect.gen(function* () {
          const trader = yield* (yield* begin).wake(userId)
          trader.enter(cancel(1, one))
          yield* turns
          done(near, 1, one)
          yield* TestClock.adjust("11 minutes")
          yield* turns
          assert.deepEqual(trader.symbols(), [])
          return Ledger.balance(trader.ledger, primaryAccountOf(userId))!.equity
        })
      )
      assert.strictEqual(equity, 204_000n)
      near.answers(one, 2)
      const traders = yield* begin
      yield* Waking.wake(traders, "0")
      yield* traders.caughtUp
      assert.isUndefined(traders.get(userId))
      const trader = yield* traders.wake(userId)
      // Until the market is live, orders that add risk wait in other markets too.
      assert.isFalse(trader.isLive())
      yield* turns
      assert.isTrue(trader.isLive())
      assert.strictEqual(Ledger.balance(trader.ledger, primaryAccountOf(userId))!.equity, equity)
      assert.deepEqual(trader.symbols(), [])
    })
)
