/** Tests of order submissions at a desk. */
import * as Submissions from "@venue/cluster/entities/desk/orders/Submissions"
import * as Twaps from "@venue/cluster/entities/desk/orders/Twaps"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import type { Submission, Submitted } from "@venue/cluster/protocol/Desk"
import { noCost } from "@venue/cluster/protocol/Desk"
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, userId, venue } from "../../../Neighbours.ts"

const testLayer = (near = neighbours()) =>
  Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
    Layer.provideMerge(venue)
  )

const other = idOf(8).text

const cancelOf = (owner: string, n: number): Submission => ({
  userId: UserId.make(owner),
  cost: noCost,
  request: {
    _tag: "CancelOrder",
    commandId: idOf(n),
    expiresAtMillis: 60_000,
    accountId: AccountId.make(owner),
    symbol: one.symbol,
    orderId: idOf(99).text,
    byClientOrderId: false
  }
})

const forwarded = (n: number): Submitted => ({ _tag: "HandedOn", commandId: idOf(n).text, symbols: [one.symbol] })

const make = Effect.fnUntraced(function* (owned = true) {
  const traders = yield* Traders.make(Effect.succeed(owned))
  const disconnects = { entered: () => {}, isTooLate: () => false }
  const submissions = yield* Submissions.make("0", traders, yield* Twaps.make(traders), disconnects)
  return { traders, submissions }
})

it.effect(
  "loads a missing trader before executing its order, and replies as if the trader had been loaded before",
  () =>
    Effect.gen(function* () {
      const { submissions } = yield* make()
      assert.isUndefined(submissions.now([cancelOf(userId, 1)]))
      assert.deepEqual(yield* submissions.submit([cancelOf(userId, 1)]), [forwarded(1)])
      assert.deepEqual(submissions.now([cancelOf(userId, 2)]), [forwarded(2)])
      assert.deepEqual(yield* submissions.submit([cancelOf(userId, 3)]), [forwarded(3)])
      assert.isUndefined(submissions.now([cancelOf(userId, 4), cancelOf(other, 5)]))
    }).pipe(Effect.provide(testLayer()))
)

it.effect("refuses an order with AccountLoading if its trader cannot be loaded", () =>
  Effect.gen(function* () {
    const { submissions } = yield* make(false)
    assert.deepEqual(yield* submissions.submit([cancelOf(userId, 1)]), [
      { _tag: "Refused", commandId: idOf(1).text, refusal: { _tag: "AccountLoading" } }
    ])
  }).pipe(Effect.provide(testLayer()))
)

it.effect(
  "I20: returns the first reply to an order that is delivered twice, and does not send the order to the market again",
  () => {
    const near = neighbours()
    near.answers(one)
    return Effect.gen(function* () {
      const { submissions } = yield* make()
      yield* submissions.submit([cancelOf(userId, 1)])
      yield* turns
      assert.deepEqual(yield* submissions.submit([cancelOf(userId, 1), cancelOf(userId, 2)]), [
        forwarded(1),
        forwarded(2)
      ])
      assert.lengthOf(near.submitted, 2)
    }).pipe(Effect.provide(testLayer(near)))
  }
)

const placeOf = (n: number): Submission => ({
  userId,
  cost: noCost,
  request: {
    _tag: "PlaceOrder",
    commandId: idOf(n),
    expiresAtMillis: 60_000,
    accountId: primaryAccountOf(userId),
    symbol: one.symbol,
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    price: 100,
    quantity: 1,
    reduceOnly: false,
    clientOrderId: "",
    builderCode: ""
  }
})

it.effect("I51, I20: a moved desk does not refuse an order that its former owner might have sent to the market", () => {
  const near = neighbours()
  near.answers(one)
  return Effect.gen(function* () {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { submissions } = yield* make()
        yield* submissions.submit([cancelOf(userId, 1)])
        yield* turns
      })
    )
    near.submitted.length = 0
    near.views.delete(one.symbol)
    const { submissions } = yield* make()
    // The market has not returned a view, so this order and later orders stay undecided.
    const undecided = (n: number): Submitted => ({
      _tag: "Refused",
      commandId: idOf(n).text,
      refusal: { _tag: "AccountLoading" }
    })
    yield* TestClock.adjust("5 seconds")
    assert.deepEqual(yield* submissions.submit([placeOf(2), placeOf(3)]), [undecided(2), undecided(3)])
    near.recorded.set(one.symbol, [idOf(2).text])
    near.answers(one)
    yield* TestClock.adjust("200 millis")
    yield* turns
    // The market's records show which orders the former owner sent.
    assert.deepEqual(yield* submissions.submit([placeOf(2), placeOf(3)]), [
      forwarded(2),
      { _tag: "Refused", commandId: idOf(3).text, refusal: { _tag: "MarketSilent", symbol: one.symbol } }
    ])
    assert.lengthOf(near.submitted, 0)
  }).pipe(Effect.provide(testLayer(near)))
})

it.effect("an exception during an order reloads that order's trader and does not affect other traders", () =>
  Effect.gen(function* () {
    const { submissions, traders } = yield* make()
    yield* submissions.submit([cancelOf(userId, 1), cancelOf(other, 2)])
    const broken = traders.get(userId)!
    const kept = traders.get(UserId.make(other))!
    Object.assign(broken, {
      enter: () => {
        throw new Error("a fault")
      }
    })
    assert.deepEqual(submissions.now([cancelOf(userId, 3), cancelOf(other, 4)]), [
      { _tag: "Refused", commandId: idOf(3).text, refusal: { _tag: "Faulted" } },
      forwarded(4)
    ])
    yield* turns
    assert.notStrictEqual(traders.get(userId), broken)
    assert.strictEqual(traders.get(UserId.make(other)), kept)
    assert.deepEqual(submissions.now([cancelOf(userId, 5)]), [forwarded(5)])
  }).pipe(Effect.provide(testLayer()))
)

it.effect("I52: in cancel-only mode a desk refuses orders with VenueCancelOnly and sends cancels to the market", () =>
  Effect.gen(function* () {
    const { submissions } = yield* make()
    const modes = yield* VenueModes
    yield* submissions.submit([cancelOf(userId, 1)])
    yield* modes.halt({ by: "auditor", reason: "the books" })
    const order: Submission = {
      userId: UserId.make(userId),
      cost: noCost,
      request: {
        _tag: "PlaceOrder",
        commandId: idOf(2),
        expiresAtMillis: 60_000,
        accountId: primaryAccountOf(UserId.make(userId)),
        symbol: one.symbol,
        side: "BUY",
        type: "LIMIT",
        timeInForce: "GTC",
        price: 100,
        quantity: 1,
        reduceOnly: true,
        clientOrderId: "",
        builderCode: ""
      }
    }
    const refusalOf = (refusal: SubmitRefusal) => ({ _tag: "Refused" as const, commandId: idOf(2).text, refusal })
    assert.deepEqual(submissions.now([order, cancelOf(userId, 3)]), [refusalOf({ _tag: "VenueHalted" }), forwarded(3)])
    yield* modes.halt({ by: "operator", reason: "the books", publicReason: "Maintenance until 14:00 UTC." })
    yield* TestClock.adjust("1 second")
    const publicReason = "Maintenance until 14:00 UTC."
    assert.deepEqual(submissions.now([order]), [refusalOf({ _tag: "VenueHalted", publicReason })])
    yield* modes.audited({ fault: null, difference: null })
    yield* TestClock.adjust("1 second")
    yield* modes.resume("CANCEL_ONLY", { by: "operator", reason: "looked at" }).pipe(Effect.orDie)
    assert.deepEqual(submissions.now([order]), [refusalOf({ _tag: "VenueCancelOnly" })])
  }).pipe(Effect.provide(testLayer()))
)
