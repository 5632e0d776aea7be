/** Cancel-on-disconnect at the desk: what counts as an end, and that it is over only when the markets have recorded it. */
import { SingleProcess } from "@venue/cluster/SingleProcess"
import * as Disconnects from "@venue/cluster/entities/desk/Disconnects"
import type { Trader } from "@venue/cluster/entities/desk/Trader"
import type { Traders } from "@venue/cluster/entities/desk/Traders"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Id } from "@venue/domain/Id"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import * as Ledger from "@venue/ledger/Ledger"
import { Journal } from "@venue/journal/Journal"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { counted } from "../../../Wakes.ts"
import { one, two, userId, venue } from "../../Neighbours.ts"

const around = Layer.provideMerge(Journal.layerMemory, venue)
const connectionId = "connection"
const connection = { connectionId, userId, accountId: primaryAccountOf(userId) }

/** One trader with an armed connection, in two markets that may be open. */
const desk = Effect.fnUntraced(function* () {
  const instruments = new Map([one, two].map((instrument) => [instrument.symbol, instrument]))
  const ledger = Ledger.make(userId, instruments, new Map(), OpenInterest.none(), Ledger.defaults)
  Ledger.apply(ledger, { _tag: "Armed", connectionId, accountId: primaryAccountOf(userId) })
  const open = new Set([one.symbol, two.symbol])
  const cancels: Array<{ readonly symbol: MarketSymbol; readonly commandId: Id }> = []
  const trader = {
    userId,
    ledger,
    symbols: () => [one.symbol, two.symbol],
    isLive: (symbol?: MarketSymbol) => symbol === undefined || open.has(symbol),
    enter: (request) => {
      Ledger.enter(ledger, request, 1)
      cancels.push(request)
      return true
    },
    change: (command, done) => {
      for (const event of Result.getOrThrow(Ledger.decide(ledger, command, 0))) Ledger.apply(ledger, event)
      done(Result.succeed(undefined))
    }
  } satisfies Partial<Trader> as unknown as Trader
  const disconnects = yield* Disconnects.make({ all: () => [trader] } satisfies Partial<Traders> as unknown as Traders)
  return {
    cancels,
    disconnects,
    open,
    trader,
    isArmed: () => ledger.armed.has(connectionId),
    symbols: () => cancels.map(({ symbol }) => symbol),
    /** The markets record all cancels so far. */
    record: () => {
      for (const { commandId, symbol } of cancels) Ledger.release(ledger, symbol, commandId)
    },
    /** The gateway lives and names these for so many seconds. */
    alive: (seconds: number, named = [connection]) =>
      Effect.repeat(
        Effect.andThen(
          Effect.sync(() => disconnects.renew("gateway", named)),
          TestClock.adjust("1 second")
        ),
        { times: seconds - 1 }
      )
  }
})

it.effect("I34: a detach that was lost is made good: a gateway that no longer names a connection has lost it", () =>
  Effect.gen(function* () {
    const { alive, disconnects, isArmed, record, symbols } = yield* desk()
    disconnects.attach("gateway", connection)
    yield* alive(10)
    assert.deepEqual(symbols(), [])
    yield* alive(5, [])
    assert.deepEqual(symbols(), [one.symbol, two.symbol])
    record()
    yield* alive(2, [])
    assert.isFalse(isArmed())
    yield* alive(10, [])
    assert.lengthOf(symbols(), 2)
  }).pipe(Effect.provide(around))
)

it.effect("I34: in a venue of one process what was armed before it started ends when its desk first wakes", () =>
  Effect.gen(function* () {
    const { alive, disconnects, isArmed, open, record, symbols } = yield* desk()
    open.delete(two.symbol)
    yield* disconnects.wakeArmed("0")
    assert.deepEqual(symbols(), [one.symbol])
    open.add(two.symbol)
    yield* alive(1, [])
    assert.deepEqual(symbols(), [one.symbol, two.symbol])
    assert.isTrue(disconnects.isEndingOrphans())
    record()
    yield* alive(1, [])
    assert.isFalse(isArmed())
    assert.isFalse(disconnects.isEndingOrphans())
    // The gateways of this process may live when the desk wakes again.
    const again = yield* desk()
    yield* again.disconnects.wakeArmed("0")
    yield* again.alive(5)
    assert.deepEqual(again.symbols(), [])
  }).pipe(Effect.provide(around), Effect.provideService(SingleProcess, new Set<string>()))
)

it.effect("I34: a desk of one node of several wakes with gateways that may live, and waits for a lease", () =>
  Effect.gen(function* () {
    const { alive, disconnects, symbols } = yield* desk()
    yield* disconnects.wakeArmed("0")
    yield* TestClock.adjust("2 seconds")
    yield* alive(5)
    assert.deepEqual(symbols(), [])
    assert.isFalse(disconnects.isEndingOrphans())
  }).pipe(Effect.provide(around))
)

it.effect("I34: a connection stays armed until every market has recorded its cancel", () =>
  Effect.gen(function* () {
    const { alive, cancels, disconnects, isArmed, open, record, trader, symbols } = yield* desk()
    open.delete(two.symbol)
    disconnects.detach(connectionId, trader)
    // A market that does not answer holds up nothing but its own cancel.
    assert.deepEqual(symbols(), [one.symbol])
    record()
    yield* alive(90, [])
    assert.deepEqual(symbols(), [one.symbol])
    assert.isTrue(isArmed())
    open.add(two.symbol)
    yield* alive(2, [])
    assert.deepEqual(symbols(), [one.symbol, two.symbol])
    assert.isTrue(isArmed())
    // It waited so long for its market that it was refused as expired.
    yield* alive(61, [])
    record()
    yield* alive(2, [])
    assert.deepEqual(symbols(), [one.symbol, two.symbol, two.symbol])
    record()
    yield* alive(2, [])
    assert.isFalse(isArmed())
    assert.lengthOf(new Set(cancels.map(({ commandId }) => commandId.text)), 3)
  }).pipe(Effect.provide(around))
)

it.effect(
  "I34: a gateway that is silent for a lease has ended; a clock that is set, or stood still, proves nothing",
  () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let setByMillis = 0
      const wall: Clock.Clock = Object.assign(Object.create(clock), {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + setByMillis
      })
      const { alive, disconnects, isArmed, symbols } = yield* Effect.provideService(desk(), Clock.Clock, wall)
      disconnects.attach("gateway", connection)
      yield* alive(2)
      for (const millis of [30_000, -30_000]) {
        setByMillis += millis
        yield* TestClock.adjust("2 seconds")
        assert.deepEqual(symbols(), [])
      }
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual(symbols(), [one.symbol, two.symbol])
      assert.isTrue(isArmed())
    }).pipe(Effect.provide(around))
)

it.effect(
  "I34: who is about to arm a connection lives, though it renewed nothing while there was nothing to renew",
  () =>
    Effect.gen(function* () {
      const { alive, disconnects, trader, symbols } = yield* desk()
      const other = { ...connection, connectionId: "other" }
      disconnects.attach("quiet", other)
      yield* alive(3)
      disconnects.arming(other.connectionId)
      Ledger.apply(trader.ledger, {
        _tag: "Armed",
        connectionId: other.connectionId,
        accountId: primaryAccountOf(userId)
      })
      yield* alive(2)
      assert.deepEqual(symbols(), [])
      yield* alive(2)
      assert.deepEqual(symbols(), [one.symbol, two.symbol])
    }).pipe(Effect.provide(around))
)

it.effect("I34: leases are looked at while a connection is armed, and no longer; a later one has its whole lease", () =>
  Effect.gen(function* () {
    const { clock, wakes } = yield* counted
    yield* Effect.gen(function* () {
      const { alive, disconnects, isArmed, record, trader, symbols } = yield* desk()
      yield* alive(3)
      disconnects.detach(connectionId, trader)
      record()
      yield* alive(2, [])
      assert.isFalse(isArmed())
      const before = wakes()
      yield* TestClock.adjust("1 day")
      assert.strictEqual(wakes(), before)
      Ledger.apply(trader.ledger, { _tag: "Armed", connectionId, accountId: primaryAccountOf(userId) })
      disconnects.look(trader)
      yield* alive(5)
      assert.lengthOf(symbols(), 2)
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(symbols(), 2)
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(symbols(), 4)
    }).pipe(Effect.provideService(Clock.Clock, clock))
  }).pipe(Effect.provide(around))
)
