/** Tests of a market's log: commands that throw, full rows and commits with an unknown outcome. */
import * as MarketLog from "@venue/cluster/entities/market/MarketLog"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import type { CommittedBatch } from "@venue/cluster/feed/Batch"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { noEcho } from "@venue/domain/Echo"
import type { MarketCommand, Refuse } from "@venue/domain/Market"
import { orderIdFrom } from "@venue/domain/OrderId"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { Journal, type Owner } from "@venue/journal/Journal"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { idOf, one, turns, userId, venue } from "../../Neighbours.ts"

const under = Layer.mergeAll(Journal.layerMemory, Logger.layer([]))
const testLayer = Layer.provideMerge(under, venue)
const roomy = Layer.provideMerge(
  under,
  Layer.effect(
    VenueSettings,
    Effect.map(VenueSettings, (venue) => ({ ...venue, maxOpenOrdersPerSymbol: 50_000 }))
  ).pipe(Layer.provide(venue))
)

const envelope = (n: number) => ({
  commandId: idOf(n),
  expiresAtMillis: 1_000_000,
  traderEpoch: 1,
  userId,
  accountId: primaryAccountOf(userId)
})

const command = (n: number): Refuse => ({ _tag: "Refuse", ...envelope(n), status: "REJECTED", echo: noEcho })

/** Returns a command with a property that throws when it is read. */
const poisoned = <Command extends MarketCommand>(command: Command, property: keyof Command): Command =>
  Object.defineProperty({ ...command }, property, {
    get: () => {
      throw new Error("poison")
    }
  })
const poison = (n: number) => poisoned(command(n), "status")
const poisonPrice = poisoned({ _tag: "Observe", priceE8: 0, teller: "operator" }, "priceE8")

const code = { builderCode: "code", ownerId: userId, venueBps: 10_000, builderBps: 0 }

/** Commands that throw, of the kinds that no client resends. */
const poisonedDeeds: ReadonlyArray<MarketCommand> = [
  poisoned({ _tag: "PayDividend", exDay: 0, perUnitE8: 1 }, "exDay"),
  poisoned({ _tag: "TopUpFund", topUpId: "", amount: 1, reason: "" }, "amount"),
  poisoned({ _tag: "IntroduceBuilder", ...code }, "builderCode")
]

/** A resting bid far below the price. */
const bid = (n: number, clientOrderId = ""): MarketCommand => ({
  _tag: "Place",
  ...envelope(n),
  makerRate: 0,
  takerRate: 0,
  maxNotional: 1e15,
  leverage: 10,
  finding: null,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  priceTicks: 19_900,
  quantityLots: 1_000,
  reduceOnly: false,
  clientOrderId,
  builderCode: "",
  origin: "USER"
})

const observe: MarketCommand = { _tag: "Observe", priceE8: 20_000_000_000, teller: "operator" }

const open = Effect.fnUntraced(function* (owned: () => boolean = () => true, instrument = one) {
  const inner = yield* Journal
  const published: Array<CommittedBatch> = []
  const owners: Array<Owner> = []
  let ended = 0
  const log = yield* MarketLog.make(instrument, Effect.sync(owned)).pipe(
    Effect.provideService(
      Journal,
      Journal.of({
        ...inner,
        append: (owner, from) => {
          owners.push(owner)
          return inner.append(owner, from)
        }
      })
    )
  )
  log.observe({ committed: (batch) => void published.push(batch), ended: () => void ended++ })
  const told: Array<boolean> = []
  return {
    log,
    told,
    owners,
    ended: () => ended,
    say: (...commands: ReadonlyArray<MarketCommand>) => log.submit(commands, (committed) => told.push(committed)),
    outcomes: () =>
      published.flatMap(({ events }) =>
        events.flatMap((event) => (event._tag === "Refused" ? [`${event.commandId.d} ${event.status}`] : []))
      ),
    loseUnknown: () => owners.at(-1)!.lost("unknown")
  }
})

it.effect(
  "rule 21.6: records a refusal of a command that throws, and reports the other uncommitted commands as unknown",
  () =>
    Effect.gen(function* () {
      const { log, outcomes, say, told } = yield* open()
      say(command(1))
      say(command(2), poison(3), command(4))
      assert.deepEqual(told, [false, false])
      yield* turns
      assert.isTrue(log.serving())
      assert.deepEqual(outcomes(), ["3 REJECTED_FAILED_TO_PROCESS"])
      // Resends all commands, as a client does.
      say(command(1))
      say(command(2), poison(3), command(4))
      yield* turns
      assert.deepEqual(told, [false, false, true, true])
      assert.deepEqual(outcomes(), ["3 REJECTED_FAILED_TO_PROCESS", "1 REJECTED", "2 REJECTED", "4 REJECTED"])
    }).pipe(Effect.provide(testLayer))
)

it.effect("rule 21.6: a market whose price updates throw accepts only cancels, and stops rebuilding its engine", () =>
  Effect.gen(function* () {
    const { log, outcomes, owners, say, told } = yield* open()
    say(observe, bid(1), bid(2))
    yield* turns
    say(poisonPrice)
    assert.deepEqual(told, [true, false])
    assert.isFalse(log.serving())
    yield* TestClock.adjust("1 second")
    yield* turns
    assert.isTrue(log.serving())
    say(poisonPrice)
    say({ _tag: "Tick" })
    assert.deepEqual(told, [true, false, false, false])
    say(bid(3), { _tag: "Cancel", ...envelope(4), orderId: orderIdFrom(idOf(1)), clientOrderId: "" })
    say({ _tag: "CancelAll", ...envelope(5), cause: "REQUEST" })
    yield* turns
    assert.isTrue(log.serving())
    assert.lengthOf(owners, 2)
    assert.deepEqual(told.slice(4), [true, true])
    assert.deepEqual(outcomes(), ["3 REJECTED_MARKET_CLOSED"])
    const { value } = yield* log.asOf((engine) => [
      Engine.outcome(engine, idOf(4)),
      Engine.outcome(engine, idOf(5)),
      Engine.view(engine, primaryAccountOf(userId)).orders.length
    ])
    assert.deepEqual(value, ["DONE", "DONE", 0])
  }).pipe(Effect.provide(testLayer))
)

it.effect("I29: in a market whose price updates throw, a liquidation only cancels the account's orders", () =>
  Effect.gen(function* () {
    const { log, say } = yield* open()
    const seller = UserId.make("00000000-0000-4000-8000-000000000002")
    const sold = { side: "SELL", timeInForce: "IOC", userId: seller, accountId: primaryAccountOf(seller) } as const
    say(observe, bid(1), { ...bid(2), ...sold }, bid(3), bid(4))
    yield* turns
    const accountId = primaryAccountOf(userId)
    const seen = yield* log.asOf((engine) => ({
      position: Engine.view(engine, accountId).position,
      markE8: Engine.prices(engine)!.markE8
    }))
    say(poisonPrice)
    yield* TestClock.adjust("1 second")
    yield* turns
    say({ _tag: "OpenTakeover", ...envelope(6), decidedOn: seen.value, share: 0 })
    yield* turns
    assert.isEmpty(log.takeovers())
    const { value } = yield* log.asOf((engine) => ({
      outcome: Engine.outcome(engine, idOf(6)),
      orders: Engine.view(engine, accountId).orders.length,
      lots: Engine.view(engine, accountId).position.quantityLots
    }))
    assert.deepEqual(value, { outcome: "DONE", orders: 0, lots: 1_000 })
  }).pipe(Effect.provide(testLayer))
)

it.effect.each(poisonedDeeds)(
  "rule 21.6: drops a $_tag command that throws and continues with the next command",
  (deed) =>
    Effect.gen(function* () {
      const { log, outcomes, say, told } = yield* open()
      say(observe)
      yield* turns
      say(deed)
      assert.deepEqual(told, [true, false])
      yield* TestClock.adjust("1 second")
      yield* turns
      say(observe, bid(1))
      yield* turns
      assert.deepEqual(told, [true, false, true])
      assert.deepEqual(outcomes(), [])
      const { value } = yield* log.asOf((engine) => Engine.view(engine, primaryAccountOf(userId)).orders.length)
      assert.strictEqual(value, 1)
    }).pipe(Effect.provide(testLayer))
)

it.effect("rule 21.6: a market whose timer ticks throw accepts only cancels, and stops rebuilding its engine", () =>
  Effect.gen(function* () {
    let isBroken = false
    // The engine reads this property when it samples the premium, so the test can make a sample throw.
    const instrument: typeof one = Object.defineProperty({ ...one }, "tickLotMicros", {
      get: () => {
        if (isBroken) throw new Error("poison")
        return one.tickLotMicros
      }
    })
    const { log, outcomes, owners, say, told } = yield* open(undefined, instrument)
    say(observe, bid(1))
    yield* turns
    isBroken = true
    yield* TestClock.adjust("6 seconds")
    assert.isUndefined(log.faultSinceMillis())
    say(command(2))
    const faultSinceMillis = yield* Clock.currentTimeMillis
    yield* turns
    yield* TestClock.adjust("1 second")
    yield* turns
    assert.isTrue(log.serving())
    yield* TestClock.adjust("1 hour")
    say({ _tag: "Tick" }, command(3), {
      _tag: "Cancel",
      ...envelope(4),
      orderId: orderIdFrom(idOf(1)),
      clientOrderId: ""
    })
    yield* turns
    assert.deepEqual(told, [true, false, true])
    assert.deepEqual(outcomes(), ["3 REJECTED"])
    assert.lengthOf(owners, 3)
    assert.strictEqual(log.faultSinceMillis(), faultSinceMillis)
    const { value } = yield* log.asOf((engine) => Engine.view(engine, primaryAccountOf(userId)).orders.length)
    assert.strictEqual(value, 0)
  }).pipe(Effect.provide(testLayer))
)

it.effect("I48: refuses a command whose events do not fit in one log row, and records the refusal", () =>
  Effect.gen(function* () {
    const { log, outcomes, say, told } = yield* open()
    const longName = "x".repeat(430)
    say(observe)
    for (let first = 1; first < 20_000; first += 5_000) {
      say(...Array.from({ length: 5_000 }, (_, n) => bid(first + n, longName)))
      yield* turns
    }
    assert.deepEqual(told, [true, true, true, true, true])
    say(command(30_000))
    say({ _tag: "CancelAll", ...envelope(30_001), cause: "REQUEST" })
    assert.deepEqual(told.slice(5), [false, false])
    yield* turns
    assert.isTrue(log.serving())
    assert.deepEqual(outcomes(), ["30001 REJECTED_FAILED_TO_PROCESS"])
    const { value } = yield* log.asOf((engine) => Engine.view(engine, primaryAccountOf(userId)).orders.length)
    assert.strictEqual(value, 20_000)
  }).pipe(Effect.provide(roomy))
)

it.effect(
  "when a log row is abandoned, reads that wait for that row fail instead of returning the discarded state",
  () =>
    Effect.gen(function* () {
      const { log, say } = yield* open()
      say(command(1))
      let reads = 0
      const read = yield* Effect.forkChild(Effect.exit(log.asOf(() => ++reads)), { startImmediately: true })
      say(poison(2))
      assert.isTrue(Exit.isFailure(yield* Fiber.join(read)))
      assert.strictEqual(reads, 0)
    }).pipe(Effect.provide(testLayer))
)

it.effect(
  "I1, I8: if a commit's outcome is unknown, reads the log again and records a repeated command only once",
  () =>
    Effect.gen(function* () {
      const { log, loseUnknown, outcomes, owners, say, told } = yield* open()
      say(command(1))
      yield* turns
      assert.deepEqual(told, [true])
      say(command(2))
      loseUnknown()
      assert.deepEqual(told, [true, false])
      assert.isFalse(log.serving())
      say(command(3))
      assert.deepEqual(told, [true, false, false])
      yield* turns
      say(command(1), command(2), command(3))
      yield* turns
      assert.deepEqual(told, [true, false, false, true])
      assert.deepEqual(outcomes(), ["1 REJECTED", "2 REJECTED", "3 REJECTED"])
      assert.lengthOf(owners, 2)
      assert.strictEqual(log.head().epoch, 2)
    }).pipe(Effect.provide(testLayer))
)

it.effect("I4: a fenced market claims its log again only after a delay and only if the node still owns the shard", () =>
  Effect.gen(function* () {
    let isOwned = true
    const { ended, log, say, told } = yield* open(() => isOwned)
    const journal = yield* Journal
    const other = () =>
      journal.claim(marketStream(one.symbol), { restore: () => true, replay: () => {} }, Effect.succeed(true))
    yield* other()
    say(command(1))
    yield* turns
    assert.deepEqual(told, [false])
    assert.strictEqual((yield* journal.read(marketStream(one.symbol), 0, 10)).length, 2)
    yield* TestClock.adjust("1 second")
    yield* turns
    assert.isTrue(log.serving())
    yield* other()
    isOwned = false
    say(command(1))
    yield* turns
    yield* TestClock.adjust("1 minute")
    yield* turns
    assert.strictEqual(ended(), 1)
    assert.isFalse(log.serving())
    assert.strictEqual((yield* journal.read(marketStream(one.symbol), 0, 10)).at(-1)!.epoch, 4)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(log.asOf(Engine.totals))))
  }).pipe(Effect.provide(testLayer))
)

it.effect(
  "I48: accepts only as many commands as fit in one log row, and accepts the remaining commands on a retry",
  () =>
    Effect.gen(function* () {
      const { outcomes, say, told } = yield* open()
      const many = Array.from({ length: 20_000 }, (_, n) => command(n + 1))
      say(...many)
      assert.deepEqual(told, [false])
      yield* turns
      assert.lengthOf(outcomes(), 8_192)
      for (let again = 0; again < 2; again++) {
        say(...many)
        yield* turns
      }
      assert.deepEqual(told, [false, false, true])
      assert.deepEqual(
        outcomes(),
        many.map((_, n) => `${(n + 1) % 65_536} REJECTED`)
      )
    }).pipe(Effect.provide(testLayer))
)
