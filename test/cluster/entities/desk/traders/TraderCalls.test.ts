/** Tests of reads and changes of a trader, with their barriers and deadlines. */
import * as TraderCalls from "@venue/cluster/entities/desk/traders/TraderCalls"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import type { Feed } from "@venue/cluster/feed/Feed"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { type Head, noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, two, userId, venue } from "../../../Neighbours.ts"

type Near = ReturnType<typeof neighbours>

const accountId = primaryAccountOf(userId)

/** Declares a test on a desk with one trader that has joined the first market at row 1. */
const desk = (
  name: string,
  story: (
    near: Near,
    calls: TraderCalls.TraderCalls,
    traders: Traders.Traders
  ) => Effect.Effect<void, unknown, Feed | MarketClient | Journal | ReadTables | Scope.Scope>
) =>
  it.effect(name, () => {
    const near = neighbours()
    near.answers(one)
    return Effect.gen(function* () {
      const traders = yield* Traders.make(Effect.succeed(true))
      const calls = yield* TraderCalls.make(traders)
      const trader = yield* traders.wake(userId)
      trader.join(one.symbol)
      yield* turns
      yield* story(near, calls, traders)
    }).pipe(
      Effect.provide(
        Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
          Layer.provideMerge(venue)
        )
      )
    )
  })

const watermarks = (calls: TraderCalls.TraderCalls, heads?: ReadonlyArray<Head>) =>
  calls.read({ userId, accountId, cost: noCost, ...(heads && { heads }) }, (trader) => trader.watermarks())

/** Publishes a row with the outcome of a command of the trader. */
const tell = (near: Near, seq: number) =>
  near.tell(one, seq, accountId, {
    _tag: "Done",
    commandId: idOf(seq),
    expiresAtMillis: 60_000,
    userId,
    accountId,
    atMillis: 0
  })

desk("a read waits until the desk has applied all rows up to the feed heads in the request", (near, calls) =>
  Effect.gen(function* () {
    const reading = yield* Effect.forkChild(watermarks(calls, [{ symbol: one.symbol, seq: 3 }]))
    yield* turns
    tell(near, 2)
    yield* turns
    assert.isUndefined(reading.pollUnsafe())
    tell(near, 3)
    assert.deepEqual(yield* Fiber.join(reading), [{ symbol: one.symbol, seq: 3 }])
  })
)

desk(
  "a read returns immediately if the desk has already applied all rows up to the requested feed heads",
  (near, calls) =>
    Effect.gen(function* () {
      tell(near, 7)
      assert.deepEqual(yield* watermarks(calls, [{ symbol: one.symbol, seq: 7 }]), [{ symbol: one.symbol, seq: 7 }])
      assert.deepEqual(yield* watermarks(calls), [{ symbol: one.symbol, seq: 7 }])
    })
)

desk("a read does not wait for a market that the trader has not joined", (_near, calls) =>
  Effect.gen(function* () {
    assert.deepEqual(yield* watermarks(calls, [{ symbol: two.symbol, seq: 1_000 }]), [{ symbol: one.symbol, seq: 1 }])
  })
)

desk("a read fails if the desk does not reach the requested feed heads within 2 s", (_near, calls) =>
  Effect.gen(function* () {
    const reading = yield* Effect.forkChild(Effect.flip(watermarks(calls, [{ symbol: one.symbol, seq: 2 }])))
    yield* turns
    yield* TestClock.adjust("1999 millis")
    assert.isUndefined(reading.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* Fiber.join(reading))._tag, "Unavailable")
  })
)

desk("a read fails if the trader is dropped while the read waits", (near, calls, traders) =>
  Effect.gen(function* () {
    const reading = yield* Effect.forkChild(Effect.flip(watermarks(calls, [{ symbol: one.symbol, seq: 2 }])))
    yield* turns
    traders.drop(userId)
    tell(near, 2)
    assert.strictEqual((yield* Fiber.join(reading))._tag, "Unavailable")
  })
)

desk("a change waits at most 2 s for a market that does not respond", (_near, calls, traders) =>
  Effect.gen(function* () {
    traders.get(userId)!.join(two.symbol)
    const transfer = { _tag: "SetLeverage", accountId, symbol: one.symbol, leverage: 3 } as const
    const changing = yield* Effect.forkChild(Effect.flip(calls.change(userId, noCost, transfer)))
    yield* turns
    assert.isUndefined(changing.pollUnsafe())
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual((yield* Fiber.join(changing))._tag, "Unavailable")
  })
)
