/** Tests of how a desk loads and reloads its traders. */
import type { Trader } from "@venue/cluster/entities/desk/traders/Trader"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { traderStream } from "@venue/domain/Trader"
import type { LedgerRefusal } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, userId, venue } from "../../../Neighbours.ts"

const testLayer = (near = neighbours()) =>
  Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
    Layer.provideMerge(venue)
  )

const still = Effect.succeed(true)
const nothing = { restore: () => true, replay: () => {} }

/** Credits the trader and returns the result. */
const credit = (trader: Trader, creditId: string) =>
  Effect.callback<Result.Result<void, LedgerRefusal | "lost">>((resume) =>
    trader.change(
      { _tag: "Credit", creditId, accountId: primaryAccountOf(userId), amount: 1n, reason: "test" },
      (result) => resume(Effect.succeed(result))
    )
  )

it.effect("claims a trader's journal once, even if a second request arrives while the trader is loading", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const traders = yield* Traders.make(still)
    const first = yield* Effect.forkChild(traders.wake(userId), { startImmediately: true })
    yield* Effect.callback<void>((resume) => {
      setImmediate(() => resume(Effect.void))
    })
    const second = yield* traders.wake(userId)
    yield* turns
    assert.strictEqual(traders.get(userId), second)
    assert.lengthOf(yield* journal.read(traderStream(userId), 0, 10), 1)
    first.interruptUnsafe()
  }).pipe(Effect.provide(testLayer()))
)

it.effect("reloads a trader whose journal another owner claimed, and fails the trader's pending calls", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const traders = yield* Traders.make(still)
    const trader = yield* traders.wake(userId)
    yield* journal.claim(traderStream(userId), nothing, still)
    assert.deepEqual(yield* credit(trader, "one"), Result.fail("lost"))
    yield* turns
    const next = traders.get(userId)!
    assert.notStrictEqual(next, trader)
    assert.deepEqual(yield* credit(next, "one"), Result.succeed(undefined))
    // The dropped trader rejects further calls.
    assert.deepEqual(yield* credit(trader, "two"), Result.fail("lost"))
    assert.isFalse(trader.isLive())
  }).pipe(Effect.provide(testLayer()))
)

it.effect("I4: a desk claims traders only while it owns its shard", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const traders = yield* Traders.make(Effect.succeed(false))
    assert.isTrue(Exit.isFailure(yield* Effect.exit(traders.wake(userId))))
    assert.lengthOf(yield* journal.read(traderStream(userId), 0, 10), 0)
  }).pipe(Effect.provide(testLayer()))
)

it.effect("an unreadable journal affects only its own trader", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const spoilt = traderStream(UserId.make(idOf(7).text))
    const from = yield* journal.claim(spoilt, nothing, still)
    yield* Effect.callback<void>((resume) => {
      journal
        .append(
          {
            stream: spoilt,
            collect: () => ({ events: new Uint8Array([0xc1, 0xc1, 0xc1]) }),
            committed: () => resume(Effect.void),
            lost: () => {}
          },
          from
        )
        .wake()
    })
    const traders = yield* Traders.make(still)
    const woken = yield* Effect.forEach(
      [idOf(6), idOf(7), idOf(8)],
      ({ text }) => Effect.exit(traders.wake(UserId.make(text))),
      {
        concurrency: "unbounded"
      }
    )
    assert.deepEqual(woken.map(Exit.isSuccess), [true, false, true])
  }).pipe(Effect.provide(testLayer()))
)

it.effect("when a trader is dropped, calls that wait for the trader's markets fail immediately", () => {
  const near = neighbours()
  return Effect.gen(function* () {
    const traders = yield* Traders.make(still)
    const trader = yield* traders.wake(userId)
    trader.enter({
      _tag: "CancelAllOrders",
      cause: "REQUEST",
      commandId: idOf(1),
      expiresAtMillis: 5_000,
      accountId: primaryAccountOf(userId),
      symbol: one.symbol
    })
    const heard: Array<boolean> = []
    trader.whenLive((isLive) => heard.push(isLive))
    trader.whenLive((isLive) => heard.push(isLive))()
    yield* TestClock.adjust("1 second")
    assert.deepEqual(heard, [])
    traders.drop(userId)
    assert.deepEqual(heard, [false])
    yield* turns
    // The reloaded trader follows its account and its market.
    assert.strictEqual(near.following(), 2)
  }).pipe(Effect.provide(testLayer(near)))
})
