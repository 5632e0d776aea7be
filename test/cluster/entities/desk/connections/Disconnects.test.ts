/** Tests of cancel on disconnect at a desk. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { SingleProcess } from "@venue/cluster/SingleProcess"
import * as Disconnects from "@venue/cluster/entities/desk/connections/Disconnects"
import type { Trader } from "@venue/cluster/entities/desk/traders/Trader"
import type { Traders } from "@venue/cluster/entities/desk/traders/Traders"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type CancelAllOrders, maxSpared, type PlaceOrder } from "@venue/domain/Order"
import * as OpenInterest from "@venue/domain/OpenInterest"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { counted } from "../../../../Wakes.ts"
import { idOf, one, two, userId, venue } from "../../../Neighbours.ts"

const testLayer = Layer.merge(LocalEntities.layer, venue)
const connectionId = "connection"
const connection = { connectionId, userId, ageMillis: 0 }

const placed = {
  _tag: "PlaceOrder",
  expiresAtMillis: 60_000,
  accountId: primaryAccountOf(userId),
  symbol: one.symbol,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: 1,
  quantity: 1,
  reduceOnly: false,
  clientOrderId: "",
  builderCode: ""
} as const

/** Creates a desk with one trader that has an armed connection and has joined two markets. */
const desk = Effect.fnUntraced(function* () {
  const instruments = new Map([one, two].map((instrument) => [instrument.symbol, instrument]))
  const ledger = Ledger.make(userId, instruments, new Map(), OpenInterest.none(), Ledger.defaults)
  Ledger.apply(ledger, { _tag: "Armed", connectionId, accountId: primaryAccountOf(userId) })
  const open = new Set([one.symbol, two.symbol])
  const cancels: Array<Pick<CancelAllOrders, "symbol" | "commandId" | "except">> = []
  const trader = {
    userId,
    ledger,
    symbols: () => [one.symbol, two.symbol],
    isLive: (symbol?: MarketSymbol) => symbol !== undefined && open.has(symbol),
    enter: (request) => {
      Ledger.enter(ledger, request, 1)
      if (request._tag === "CancelAllOrders") cancels.push(request)
      return true
    },
    waits: () => false,
    change: (command, done) => {
      for (const event of Result.getOrThrow(Ledger.decide(ledger, command, 0))) Ledger.apply(ledger, event)
      done(Result.succeed(undefined))
    }
  } satisfies Partial<Trader> as unknown as Trader
  const clock = yield* Clock.Clock
  const speaker = (gatewayId = "gateway") => ({ gatewayId, saidAtMillis: clock.currentTimeMillisUnsafe() })
  const disconnects = yield* Disconnects.make({ all: () => [trader] } satisfies Partial<Traders> as unknown as Traders)
  return {
    cancels,
    disconnects,
    speaker,
    open,
    trader,
    isArmed: () => ledger.armed.has(connectionId),
    symbols: () => cancels.map(({ symbol }) => symbol),
    /** Makes the markets record all cancels that were sent. */
    record: () => {
      for (const { commandId, symbol } of cancels) Ledger.release(ledger, symbol, commandId)
    },
    /** Renews these connections for this many seconds. */
    alive: (seconds: number, named = [connection]) =>
      Effect.repeat(
        Effect.andThen(
          Effect.sync(() => disconnects.renew(speaker(), named)),
          TestClock.adjust("1 second")
        ),
        { times: seconds - 1 }
      )
  }
})

it.effect("I34: ends a connection that its gateway no longer lists, even if the detach message was lost", () =>
  Effect.gen(function* () {
    const { alive, disconnects, speaker, isArmed, record, symbols } = yield* desk()
    disconnects.attach(speaker(), connection)
    yield* alive(10)
    assert.deepEqual(symbols(), [])
    yield* alive(5, [])
    assert.deepEqual(symbols(), [one.symbol, two.symbol])
    record()
    yield* alive(2, [])
    assert.isFalse(isArmed())
    yield* alive(10, [])
    assert.lengthOf(symbols(), 2)
  }).pipe(Effect.provide(testLayer))
)

it.effect(
  "I34: on a single-process venue, a desk's first start ends all connections that an earlier process left armed",
  () =>
    Effect.gen(function* () {
      const { alive, disconnects, isArmed, open, record, symbols } = yield* desk()
      open.delete(two.symbol)
      disconnects.endOrphans("0")
      assert.deepEqual(symbols(), [one.symbol])
      open.add(two.symbol)
      yield* alive(1, [])
      assert.deepEqual(symbols(), [one.symbol, two.symbol])
      assert.isTrue(disconnects.isEndingOrphans())
      record()
      yield* alive(1, [])
      assert.isFalse(isArmed())
      assert.isFalse(disconnects.isEndingOrphans())
      // On a later start of the desk, gateways of this process might still be alive.
      const again = yield* desk()
      again.disconnects.endOrphans("0")
      yield* again.alive(5)
      assert.deepEqual(again.symbols(), [])
    }).pipe(Effect.provide(testLayer), Effect.provideService(SingleProcess, new Set<string>()))
)

it.effect("I34: on a cluster, a starting desk waits for one lease period before it ends connections", () =>
  Effect.gen(function* () {
    const { alive, disconnects, symbols } = yield* desk()
    disconnects.endOrphans("0")
    yield* TestClock.adjust("2 seconds")
    yield* alive(5)
    assert.deepEqual(symbols(), [])
    assert.isFalse(disconnects.isEndingOrphans())
  }).pipe(Effect.provide(testLayer))
)

it.effect("I34: a lost connection stays armed until every market has recorded the cancel of its orders", () =>
  Effect.gen(function* () {
    const { alive, cancels, disconnects, speaker, isArmed, open, record, trader, symbols } = yield* desk()
    open.delete(two.symbol)
    disconnects.detach(speaker(), connection, trader)
    // A market that does not reply delays only its own cancel.
    assert.deepEqual(symbols(), [one.symbol])
    record()
    yield* alive(90, [])
    assert.deepEqual(symbols(), [one.symbol])
    assert.isTrue(isArmed())
    open.add(two.symbol)
    yield* alive(2, [])
    assert.deepEqual(symbols(), [one.symbol, two.symbol])
    assert.isTrue(isArmed())
    // The cancel expired before it reached its market.
    yield* alive(61, [])
    record()
    yield* alive(2, [])
    assert.deepEqual(symbols(), [one.symbol, two.symbol, two.symbol])
    record()
    yield* alive(2, [])
    assert.isFalse(isArmed())
    assert.lengthOf(new Set(cancels.map(({ commandId }) => commandId.text)), 3)
  }).pipe(Effect.provide(testLayer))
)

it.effect(
  "I34: ends a gateway's connections after one silent lease period, and starts a new period if the clock is set",
  () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let setByMillis = 0
      const wall: Clock.Clock = Object.assign(Object.create(clock), {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + setByMillis
      })
      const { alive, disconnects, speaker, isArmed, symbols } = yield* Effect.provideService(desk(), Clock.Clock, wall)
      disconnects.attach(speaker(), connection)
      yield* alive(2)
      for (const millis of [30_000, -30_000]) {
        setByMillis += millis
        yield* TestClock.adjust("2 seconds")
        assert.deepEqual(symbols(), [])
      }
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual(symbols(), [one.symbol, two.symbol])
      assert.isTrue(isArmed())
    }).pipe(Effect.provide(testLayer))
)

it.effect("I34: a gateway that arms a connection counts as alive before its first lease renewal", () =>
  Effect.gen(function* () {
    const { alive, disconnects, speaker, trader, symbols } = yield* desk()
    const other = { ...connection, connectionId: "other" }
    disconnects.attach(speaker("quiet"), other)
    yield* alive(3)
    disconnects.arming(other.connectionId, userId)
    Ledger.apply(trader.ledger, {
      _tag: "Armed",
      connectionId: other.connectionId,
      accountId: primaryAccountOf(userId)
    })
    yield* alive(2)
    assert.deepEqual(symbols(), [])
    yield* alive(2)
    assert.deepEqual(symbols(), [one.symbol, two.symbol])
  }).pipe(Effect.provide(testLayer))
)

it.effect(
  "I34: checks leases only while a connection is armed, and gives a newly armed connection a full lease period",
  () =>
    Effect.gen(function* () {
      const { clock, wakes } = yield* counted
      yield* Effect.gen(function* () {
        const { alive, disconnects, speaker, isArmed, record, trader, symbols } = yield* desk()
        yield* alive(3)
        disconnects.detach(speaker(), connection, trader)
        record()
        yield* alive(2, [])
        assert.isFalse(isArmed())
        const before = wakes()
        yield* TestClock.adjust("1 day")
        assert.strictEqual(wakes(), before)
        Ledger.apply(trader.ledger, { _tag: "Armed", connectionId, accountId: primaryAccountOf(userId) })
        disconnects.check(trader)
        yield* alive(5)
        assert.lengthOf(symbols(), 2)
        yield* TestClock.adjust("2 seconds")
        assert.lengthOf(symbols(), 2)
        yield* TestClock.adjust("2 seconds")
        assert.lengthOf(symbols(), 4)
      }).pipe(Effect.provideService(Clock.Clock, clock))
    }).pipe(Effect.provide(testLayer))
)

it.effect(
  "I34: a delayed detach message spares orders placed after its sending, even if the gateway's clock is wrong",
  () =>
    Effect.gen(function* () {
      const { cancels, disconnects, trader } = yield* desk()
      const clock = yield* Clock.Clock
      const speaker = () => ({ gatewayId: "gateway", saidAtMillis: clock.currentTimeMillisUnsafe() + 30_000 })
      const buy = (n: number) =>
        disconnects.entered(trader, { ...placed, commandId: idOf(n) } satisfies PlaceOrder, undefined)
      disconnects.attach(speaker(), connection)
      yield* TestClock.adjust("1 second")
      buy(1)
      const said = speaker()
      yield* TestClock.adjust("100 millis")
      buy(2)
      yield* TestClock.adjust("1 second")
      disconnects.detach(said, { ...connection, ageMillis: 0 }, trader)
      assert.deepEqual(
        cancels.map(({ except }) => except?.map(({ text }) => text)),
        [[idOf(2).text], undefined]
      )
    }).pipe(Effect.provide(testLayer))
)

it.effect(
  "I34, I48: if more orders should survive than one cancel command can exempt, cancels the oldest of these orders too",
  () =>
    Effect.gen(function* () {
      const { cancels, disconnects, speaker, trader } = yield* desk()
      disconnects.attach(speaker(), connection)
      yield* TestClock.adjust("1 second")
      for (let n = 1; n <= maxSpared + 5; n++) {
        disconnects.entered(trader, { ...placed, commandId: idOf(n) } satisfies PlaceOrder, undefined)
      }
      disconnects.detach(speaker(), { ...connection, ageMillis: 500 }, trader)
      const { except } = cancels[0]!
      assert.deepEqual([except?.length, except?.[0]?.text], [maxSpared, idOf(6).text])
    }).pipe(Effect.provide(testLayer))
)
