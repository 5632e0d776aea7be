/** Tests of the traders that a desk loads when it starts. */
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import * as Waking from "@venue/cluster/entities/desk/traders/Waking"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { traderStream, type LedgerCommand, type LedgerCommandOf } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, venue } from "../../../Neighbours.ts"

const desk = (
  name: string,
  tell: (
    near: ReturnType<typeof neighbours>
  ) => Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof testLayer>> | Scope.Scope>
) =>
  it.effect(name, () => {
    const near = neighbours()
    near.answers(one)
    return tell(near).pipe(Effect.provide(testLayer(near)))
  })

const testLayer = (near: ReturnType<typeof neighbours>) =>
  Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
    Layer.provideMerge(venue)
  )

const userOf = (n: number) => UserId.make(idOf(n).text)

const begin = Traders.make(Effect.succeed(true))

const change = <Tag extends LedgerCommand["_tag"]>(
  traders: Traders.Traders,
  n: number,
  command: LedgerCommandOf<Tag>
) =>
  Effect.andThen(
    Effect.flatMap(traders.wake(userOf(n)), (trader) =>
      Effect.callback<void>((resume) => trader.change(command, () => resume(Effect.void)))
    ),
    turns
  )

const arm = (traders: Traders.Traders, n: number) =>
  change(traders, n, { _tag: "Arm", connectionId: `c${n}`, accountId: primaryAccountOf(userOf(n)), armed: true })

const credit = (traders: Traders.Traders, n: number) =>
  change(traders, n, {
    _tag: "Credit",
    creditId: "one",
    accountId: primaryAccountOf(userOf(n)),
    amount: 5n,
    reason: ""
  })

const join = (traders: Traders.Traders, n: number) =>
  Effect.andThen(
    Effect.map(traders.wake(userOf(n)), (trader) => trader.join(one.symbol)),
    turns
  )

const isHere = (traders: Traders.Traders, n: number) => traders.get(userOf(n)) !== undefined

desk("I34: a desk accepts requests only after it has loaded all traders with armed cancel-on-disconnect", () =>
  Effect.gen(function* () {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const traders = yield* begin
        yield* arm(traders, 1)
        yield* join(traders, 2)
        yield* traders.wake(userOf(3))
      })
    )
    const traders = yield* begin
    yield* Waking.wake(traders, "0")
    assert.deepEqual([isHere(traders, 1), isHere(traders, 2), traders.pendingCount()], [true, false, 1])
    yield* traders.caughtUp
    assert.deepEqual([isHere(traders, 2), traders.pendingCount()], [true, 0])
    // A trader without wake-up entries is loaded on request.
    assert.isFalse(isHere(traders, 3))
  })
)

desk("loads requested traders before queued traders", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const traders = yield* begin
    traders.enqueue(Array.from({ length: 1_000 }, (_, n) => userOf(n + 1)))
    yield* traders.wake(userOf(900))
    assert.isAtLeast(traders.pendingCount(), 1_000 - 256)
    yield* traders.wake(userOf(1_001))
    assert.isAtLeast(traders.pendingCount(), 1_000 - 2 * 256)
    yield* traders.caughtUp
    assert.lengthOf([...traders.all()], 1_001)
    // Each trader was claimed once.
    assert.lengthOf(yield* journal.read(traderStream(userOf(900)), 0, 10), 1)
  })
)

desk("stops claiming queued traders when the desk stops", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const scope = yield* Scope.make()
    const traders = yield* Scope.provide(begin, scope)
    traders.enqueue(Array.from({ length: 1_000 }, (_, n) => userOf(n + 1)))
    yield* traders.wake(userOf(1))
    yield* Scope.close(scope, Exit.void)
    yield* turns
    assert.isAbove(traders.pendingCount(), 0)
    assert.lengthOf(yield* journal.read(traderStream(userOf(1_000)), 0, 10), 0)
  })
)

desk("a restarted desk writes a killed desk's missing rows to the query tables, even if no request arrives", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const tables = yield* ReadTables
    const balance = tables.read(LedgerEntries.balance(primaryAccountOf(userOf(1))))
    // The rows are recorded without a table writer, and the desk stops.
    yield* Effect.scoped(Effect.flatMap(begin, (traders) => credit(traders, 1))).pipe(
      Effect.provideService(ReadTables, ReadTables.of({ ...tables, project: () => Effect.never }))
    )
    assert.strictEqual(yield* balance, 0n)
    const entries = journal.wakeUps("0")
    assert.deepEqual(
      (yield* entries).map(({ detail, reason }) => `${reason} ${detail}`),
      ["unprojected 2"]
    )
    const traders = yield* begin
    yield* Waking.wake(traders, "0")
    yield* traders.caughtUp
    yield* turns
    assert.strictEqual(yield* balance, 5n)
    assert.deepEqual(yield* entries, [])
    // Later rows are written as well.
    yield* change(traders, 1, {
      _tag: "Credit",
      creditId: "two",
      accountId: primaryAccountOf(userOf(1)),
      amount: 1n,
      reason: ""
    })
    yield* TestClock.adjust("1 second")
    yield* turns
    assert.strictEqual(yield* balance, 6n)
    assert.deepEqual(yield* entries, [])
  })
)
