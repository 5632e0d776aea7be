/** Tests of dead-man switches at a desk that moves, crashes or continues with old state. */
import type { Trader } from "@venue/cluster/entities/desk/traders/Trader"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { cancelId } from "@venue/domain/DeadManSwitch"
import { noEcho } from "@venue/domain/Echo"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import { id } from "../../../../Id.ts"
import { pricedAt } from "../../../../ledger/Scene.ts"
import { neighbours, one, turns, two, userId, venue } from "../../../Neighbours.ts"
import { begin, type Desk, enter, friday, pass, placed, switchesOf, wakeUps } from "../DeadManDesk.ts"

const accountId = primaryAccountOf(userId)

/** Sets a switch, waits for the journal, and returns whether the change is committed. */
const set = (trader: Trader, timeoutSeconds: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (askedMillis) =>
    Effect.callback<boolean>((resume) =>
      trader.change(
        { _tag: "SetDeadManSwitch", accountId: primaryAccountOf(trader.userId), askedMillis, timeoutSeconds },
        (result) => resume(Effect.succeed(Result.isSuccess(result)))
      )
    )
  )

/** Declares a test with two reachable markets that report outcomes when the test requests it. */
const desk = (
  name: string,
  tell: (
    near: ReturnType<typeof neighbours>
  ) => Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof testLayer>>>
) =>
  it.effect(name, () => {
    const near = neighbours()
    near.answers(one)
    near.answers(two)
    return Effect.andThen(TestClock.setTime(friday), tell(near)).pipe(Effect.provide(testLayer(near)))
  })
const testLayer = (near: ReturnType<typeof neighbours>) =>
  Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
    Layer.provideMerge(venue)
  )

/** Makes the trader join both markets. */
const joined = Effect.fnUntraced(function* (on: Desk, near: ReturnType<typeof neighbours>) {
  const trader = yield* on.traders.wake(userId)
  for (const { symbol } of [one, two]) trader.join(symbol)
  yield* turns
  near.submitted.length = 0
  return trader
})
const cancelsOf = (near: ReturnType<typeof neighbours>) =>
  near.submitted.flatMap(({ command, symbol }) =>
    command._tag === "CancelAll" ? [{ symbol, cause: command.cause, id: command.commandId.text }] : []
  )
const cancelAt = (firedMillis: number, instrument = one, attempt = 0) => ({
  symbol: instrument.symbol,
  cause: "DISCONNECT",
  id: cancelId(accountId, firedMillis, instrument.symbol, attempt).text
})
/** Makes both markets record all commands. */
const record = (near: ReturnType<typeof neighbours>, seq: number) => {
  for (const { command, symbol } of near.submitted.splice(0)) {
    const { commandId, expiresAtMillis } = command
    const instrument = symbol === one.symbol ? one : two
    near.tell(instrument, seq, accountId, { _tag: "Done", commandId, expiresAtMillis, userId, accountId, atMillis: 0 })
  }
}

desk(
  "rule 4.21: a dead-man switch that is not renewed fires at its due time in every market, and then turns off",
  (near) =>
    Effect.gen(function* () {
      const on = yield* begin
      const trader = yield* joined(on, near)
      yield* set(trader, 5)
      yield* pass(3_000)
      yield* set(trader, 5)
      assert.lengthOf(yield* wakeUps, 1)
      yield* pass(4_999)
      assert.deepEqual(cancelsOf(near), [])
      yield* pass(1)
      const firedMillis = friday + 8_000
      assert.deepEqual(cancelsOf(near), [cancelAt(firedMillis), cancelAt(firedMillis, two)])
      record(near, 2)
      yield* pass(500)
      const asked = { _tag: "DeadManSwitchSet", accountId, askedMillis: friday + 3_000 }
      assert.deepEqual((yield* switchesOf(userId)).slice(-2), [
        { ...asked, dueMillis: 0, firedMillis },
        { ...asked, dueMillis: 0, firedMillis: 0 }
      ])
      assert.deepEqual(yield* wakeUps, [])
      yield* pass(600_000)
      assert.deepEqual(cancelsOf(near), [])
    })
)

desk("rule 4.21: turning off a dead-man switch prevents it from firing and removes its scheduled wake-up", (near) =>
  Effect.gen(function* () {
    const on = yield* begin
    const trader = yield* joined(on, near)
    yield* set(trader, 5)
    yield* set(trader, 0)
    assert.deepEqual(yield* wakeUps, [])
    yield* pass(600_000)
    assert.deepEqual(cancelsOf(near), [])
  })
)

desk(
  "rule 4.21: records 1,000 dead-man switch renewals within one second in a single row, and confirms them after the commit",
  (near) =>
    Effect.gen(function* () {
      const on = yield* begin
      const trader = yield* joined(on, near)
      yield* pass(1)
      const answers: Array<boolean> = []
      for (let n = 0; n < 1_000; n++) answers.push(yield* set(trader, 30))
      assert.deepEqual(new Set(answers), new Set([true]))
      assert.lengthOf(yield* switchesOf(userId), 1)
    })
)

desk("I55: fires a dead-man switch at its set time although the desk's owner has changed", (near) =>
  Effect.gen(function* () {
    const first = yield* begin
    yield* set(yield* joined(first, near), 10)
    yield* first.kill
    yield* pass(4_000)
    const second = yield* begin
    assert.isDefined(second.traders.get(userId), "it is here when its desk serves")
    yield* pass(5_999)
    assert.deepEqual(cancelsOf(near), [])
    yield* pass(1)
    assert.deepEqual(cancelsOf(near), [cancelAt(friday + 10_000), cancelAt(friday + 10_000, two)])
  })
)

desk("I55: a new desk owner immediately fires a dead-man switch that came due while the desk had no owner", (near) =>
  Effect.gen(function* () {
    const first = yield* begin
    yield* set(yield* joined(first, near), 10)
    yield* first.kill
    yield* pass(60_000)
    yield* begin
    assert.deepEqual(cancelsOf(near), [cancelAt(friday + 60_000), cancelAt(friday + 60_000, two)])
  })
)

desk("I55: a fenced owner with outdated state cancels no orders", (near) =>
  Effect.gen(function* () {
    const old = yield* begin
    yield* set(yield* joined(old, near), 10)
    old.owned.is = false
    const current = yield* begin
    yield* pass(5_000)
    assert.isTrue(yield* set(yield* current.traders.wake(userId), 600))
    yield* pass(60_000)
    assert.deepEqual(cancelsOf(near), [])
    assert.isUndefined(old.traders.get(userId))
    yield* pass(545_000)
    assert.deepEqual(cancelsOf(near), [cancelAt(friday + 605_000), cancelAt(friday + 605_000, two)])
  })
)

desk("I55: after a crash, the desk's next owner resends only the cancels that no market has recorded", (near) =>
  Effect.gen(function* () {
    const first = yield* begin
    yield* set(yield* joined(first, near), 10)
    yield* pass(10_000)
    const firedMillis = friday + 10_000
    assert.deepEqual(cancelsOf(near), [cancelAt(firedMillis), cancelAt(firedMillis, two)])
    near.submitted.length = 0
    yield* first.kill
    near.recorded.set(one.symbol, [cancelAt(firedMillis).id])
    yield* pass(3_000)
    yield* begin
    yield* pass(500)
    assert.deepEqual(cancelsOf(near), [cancelAt(firedMillis, two)])
    record(near, 2)
    yield* pass(500)
    assert.deepEqual(yield* wakeUps, [])
  })
)

desk("I55: treats a dead-man switch's cancel as pending while the cancel is queued behind an order", (near) =>
  Effect.gen(function* () {
    const first = yield* begin
    yield* set(yield* joined(first, near), 10)
    yield* first.kill
    near.views.delete(two.symbol)
    const on = yield* begin
    enter(on, yield* on.traders.wake(userId), placed("waits", accountId, friday))
    yield* pass(11_000)
    assert.deepEqual(near.submitted, [])
    assert.deepInclude((yield* switchesOf(userId)).at(-1), { dueMillis: 0, firedMillis: friday + 10_000 })
    near.answers(two)
    yield* pass(500)
    yield* pass(500)
    assert.deepEqual(cancelsOf(near), [cancelAt(friday + 10_000), cancelAt(friday + 10_000, two)])
    record(near, 2)
    yield* pass(500)
    assert.deepInclude((yield* switchesOf(userId)).at(-1), { dueMillis: 0, firedMillis: 0 })
  })
)

desk(
  "I55: resends a dead-man switch's expired cancel to a market that was unreachable, and spares later orders",
  (near) =>
    Effect.gen(function* () {
      const on = yield* begin
      const trader = yield* joined(on, near)
      near.tell(one, 1, one.symbol, pricedAt(one.symbol, 200))
      trader.change({ _tag: "Credit", creditId: "one", accountId, amount: 1_000_000_000n, reason: "" }, () => {})
      enter(on, trader, placed("before", accountId, friday))
      yield* set(trader, 10)
      yield* pass(10_000)
      yield* pass(1)
      enter(on, trader, placed("after", accountId, friday + 10_001))
      // The first cancel has expired.
      const { commandId, expiresAtMillis } = near.submitted.find(({ command }) => command._tag === "CancelAll")!.command
      near.submitted.length = 0
      yield* pass(60_500)
      const refused = { _tag: "Refused", status: "EXPIRED", echo: noEcho, atMillis: 0 } as const
      near.tell(one, 2, accountId, { ...refused, commandId, expiresAtMillis, userId, accountId })
      yield* pass(500)
      assert.deepEqual(cancelsOf(near), [cancelAt(friday + 10_000, one, 1)])
      const [sent] = near.submitted
      assert.deepEqual(sent?.command._tag === "CancelAll" && sent.command.except?.map(({ text }) => text), [
        id("after").text
      ])
    })
)
