/** Tests that debits wait for every committed row of the account's markets. */
import * as CommittedHeads from "@venue/cluster/entities/desk/traders/CommittedHeads"
import * as TraderCalls from "@venue/cluster/entities/desk/traders/TraderCalls"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import type { Feed } from "@venue/cluster/feed/Feed"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { traderStream } from "@venue/domain/Trader"
import * as Ledger from "@venue/ledger/Ledger"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, two, userId, venue } from "../../../Neighbours.ts"

type Near = ReturnType<typeof neighbours>

const primary = primaryAccountOf(userId)
const sub = AccountId.make("sub")

interface Desk {
  readonly near: Near
  readonly traders: Traders.Traders
  readonly transfer: (amount: bigint, key?: string) => Effect.Effect<string>
  readonly deposit: (accountId: AccountId) => bigint
}

/** Declares a test on a desk with one trader that has 100 USD, a subaccount, and the first market joined at row 1. */
const desk = (
  name: string,
  story: (desk: Desk) => Effect.Effect<void, unknown, Feed | MarketClient | Journal | ReadTables | Scope.Scope>
) =>
  it.effect(name, () => {
    const near = neighbours()
    near.answers(one)
    return Effect.gen(function* () {
      const traders = yield* Traders.make(Effect.succeed(true))
      const calls = yield* TraderCalls.make(traders)
      const caughtUp = yield* CommittedHeads.make
      const trader = yield* traders.wake(userId)
      yield* calls.change(userId, noCost, { _tag: "OpenAccount", accountId: sub })
      yield* calls.change(userId, noCost, {
        _tag: "Credit",
        creditId: "c",
        accountId: primary,
        amount: 100n,
        reason: ""
      })
      trader.join(one.symbol)
      yield* turns
      const transfer = (amount: bigint, key?: string) => {
        const request = key === undefined ? {} : { request: { requestId: key, fingerprint: String(amount) } }
        const transferId = key ?? `t${amount}`
        const asked = { _tag: "Transfer", transferId, fromAccountId: primary, toAccountId: sub, amount } as const
        return calls.change(userId, noCost, { ...asked, ...request }, caughtUp).pipe(
          Effect.as("done"),
          Effect.catch(({ _tag }) => Effect.succeed(_tag))
        )
      }
      const deposit = (accountId: AccountId) => Ledger.balance(traders.get(userId)!.ledger, accountId)!.deposit
      yield* story({ near, traders, transfer, deposit })
    }).pipe(
      Effect.provide(
        Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
          Layer.provideMerge(venue)
        )
      )
    )
  })

/** Commits rows of a market up to this row. */
const commit = Effect.fnUntraced(function* (instrument: typeof one, count: number) {
  const journal = yield* Journal
  const nothing = { restore: () => true, replay: () => {} }
  for (let row = 0; row < count; row++) {
    yield* journal.claim(marketStream(instrument.symbol), nothing, Effect.succeed(true))
  }
})

const tell = (near: Near, seq: number) =>
  near.tell(one, seq, primary, {
    _tag: "Done",
    commandId: idOf(seq),
    expiresAtMillis: 60_000,
    userId,
    accountId: primary,
    atMillis: 0
  })

desk("I11, I17: a transfer waits until the trader has applied all committed rows of a joined market", (desk) =>
  Effect.gen(function* () {
    yield* commit(one, 3)
    const moving = yield* Effect.forkChild(desk.transfer(40n))
    yield* turns
    tell(desk.near, 2)
    yield* turns
    assert.isUndefined(moving.pollUnsafe())
    assert.strictEqual(desk.deposit(sub), 0n)
    tell(desk.near, 3)
    assert.strictEqual(yield* Fiber.join(moving), "done")
    assert.strictEqual(desk.deposit(sub), 40n)
  })
)

desk(
  "I51: a transfer moves no money if the trader does not apply the markets' rows before the caller's deadline",
  (desk) =>
    Effect.gen(function* () {
      const journal = yield* Journal
      yield* commit(one, 3)
      const before = (yield* journal.read(traderStream(userId), 0, 100)).length
      const moving = yield* Effect.forkChild(desk.transfer(40n))
      yield* turns
      yield* TestClock.adjust("1499 millis")
      assert.isUndefined(moving.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(moving), "MarketsBehind")
      tell(desk.near, 3)
      yield* turns
      assert.lengthOf(yield* journal.read(traderStream(userId), 0, 100), before)
      assert.strictEqual(yield* desk.transfer(40n), "done")
    })
)

desk("a transfer waits only for joined markets with rows that the trader has not yet applied", (desk) =>
  Effect.gen(function* () {
    yield* commit(one, 1)
    yield* commit(two, 9)
    assert.strictEqual(yield* desk.transfer(40n), "done")
  })
)

desk("I8: two concurrent transfers with the same idempotency key move the money once", (desk) =>
  Effect.gen(function* () {
    const both = yield* Effect.all([desk.transfer(40n, "k"), desk.transfer(40n, "k")], { concurrency: "unbounded" })
    assert.deepStrictEqual(both, ["done", "RequestDone"])
    assert.strictEqual(desk.deposit(sub), 40n)
  })
)

desk("I8, I20: a request that is repeated after its desk has moved to another node takes effect only once", (desk) =>
  Effect.gen(function* () {
    assert.strictEqual(yield* desk.transfer(40n, "k"), "done")
    desk.traders.drop(userId)
    yield* turns
    assert.strictEqual(yield* desk.transfer(40n, "k"), "RequestDone")
    assert.strictEqual(yield* desk.transfer(41n, "k"), "RequestKeyReused")
    assert.deepStrictEqual([desk.deposit(primary), desk.deposit(sub)], [60n, 40n])
  })
)

desk(
  "I51: does not confirm a repeated request whose row was never written because another owner claimed the journal",
  (desk) =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const nothing = { restore: () => true, replay: () => {} }
      yield* journal.claim(traderStream(userId), nothing, Effect.succeed(true))
      const both = yield* Effect.all([desk.transfer(40n, "k"), desk.transfer(40n, "k")], { concurrency: "unbounded" })
      assert.deepStrictEqual(both, ["Unavailable", "Unavailable"])
      yield* turns
      assert.strictEqual(yield* desk.transfer(40n, "k"), "done")
      assert.strictEqual(desk.deposit(sub), 40n)
    })
)
