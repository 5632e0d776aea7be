/** Tests of how a desk sets its traders' fee tiers once a day, even while the desk's owner changes. */
import * as FeeTiers from "@venue/cluster/entities/desk/orders/FeeTiers"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import { dayMillis } from "@venue/domain/Day"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { traded } from "../../../../journal/EventsByHand.ts"
import { neighbours, one, turns, two, userId, venue } from "../../../Neighbours.ts"
import { counted } from "../../../../Wakes.ts"

type Near = ReturnType<typeof neighbours>

/** Midnight; tiers are set 30 s later. */
const midnight = 20_000 * dayMillis
const setAt = midnight + 30_000

const desk = (
  name: string,
  tell: (near: Near) => Effect.Effect<void, unknown, Layer.Success<Near["layer"]> | Journal | ReadTables | Scope.Scope>
) =>
  it.effect(name, () => {
    const near = neighbours()
    for (const instrument of [one, two]) {
      near.answers(instrument)
      near.heard.set(instrument.symbol, Infinity)
    }
    return Effect.andThen(TestClock.setTime(midnight - dayMillis / 2), tell(near)).pipe(
      Effect.provide(
        Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
          Layer.provideMerge(venue)
        )
      )
    )
  })

/** Creates a desk with a loaded user that has joined a market. */
const started = Effect.gen(function* () {
  const traders = yield* Traders.make(Effect.succeed(true))
  yield* FeeTiers.make(traders)
  const trader = yield* traders.wake(userId)
  trader.enter({
    _tag: "CancelAllOrders",
    cause: "REQUEST",
    commandId: traded("join", 1, {}).tradeId,
    expiresAtMillis: Infinity,
    accountId: traded("join", 1, {}).taker.order.accountId,
    symbol: one.symbol
  })
  yield* turns
})

/** Records a trade of this many USD in stocks, with the user as taker, in the next row of the market's log. */
const trades = (symbol: MarketSymbol, usd: number, atMillis: number, seq = 1) =>
  Effect.flatMap(ReadTables, ({ project }) => {
    const trade = traded("tiers", seq, { atMillis })
    const taker = { ...trade.taker, order: { ...trade.taker.order, userId } }
    return project([DailyVolumes.projection], symbol, [
      { seq, events: [{ ...trade, notional: usd * 1_000_000, taker }] }
    ])
  })

const passed = (symbol: MarketSymbol, seq = 1) =>
  Effect.flatMap(ReadTables, ({ project }) => project([DailyVolumes.projection], symbol, [{ seq, events: [] }]))

/** Days and their tiers in the user's journal. */
const tiersSet = Effect.gen(function* () {
  const journal = yield* Journal
  const rows = yield* journal.read(traderStream(userId), 0, 1_000)
  return rows
    .flatMap(({ events }) => (events.length === 0 ? [] : TraderRecord.decode(events)))
    .flatMap((event) => (event._tag === "TierSet" ? [`${event.day - midnight / dayMillis}: ${event.tier}`] : []))
})

const at = (millis: number) => Effect.andThen(TestClock.setTime(millis), turns)

desk(
  "rule 11.4: sets a fee tier from the volume of the previous 30 days, and lowers the tier when the volume falls",
  () =>
    Effect.gen(function* () {
      yield* started
      yield* passed(two.symbol)
      yield* trades(one.symbol, 400_000, midnight - 1)
      yield* at(setAt - 1)
      assert.deepEqual(yield* tiersSet, [])
      for (let day = 0; day <= 32; day++) yield* at(setAt + day * dayMillis)
      assert.deepEqual(yield* tiersSet, [...Array.from({ length: 30 }, (_, day) => `${day}: 2`), "30: 1"])
    })
)

desk("counts a day's volume from the next day onwards, exact to 1e-6 USD", () =>
  Effect.gen(function* () {
    yield* started
    yield* passed(two.symbol)
    yield* trades(one.symbol, 400_000 - 0.000_001, midnight - 1, 1)
    yield* trades(one.symbol, 0.000_001, midnight, 2)
    yield* at(setAt)
    assert.deepEqual(yield* tiersSet, ["0: 1"])
    yield* at(setAt + dayMillis)
    assert.deepEqual(yield* tiersSet, ["0: 1", "1: 2"])
  })
)

desk("waits to set a fee tier until the volume table contains every market's rows up to midnight", (near) =>
  Effect.gen(function* () {
    near.heard.set(one.symbol, midnight - 1)
    near.answers(one, 7)
    yield* started
    yield* trades(one.symbol, 400_000, midnight - dayMillis)
    yield* at(setAt + 60_000)
    assert.deepEqual(yield* tiersSet, [])
    near.heard.set(one.symbol, setAt)
    yield* at(setAt + 120_000)
    assert.deepEqual(yield* tiersSet, [])
    for (let seq = 2; seq <= 7; seq++) yield* passed(one.symbol, seq)
    yield* at(setAt + 180_000)
    assert.deepEqual(yield* tiersSet, ["0: 2"])
  })
)

desk("accepts the previous day's rows from a market with a slow clock until 30 s past midnight", (near) =>
  Effect.gen(function* () {
    near.heard.set(one.symbol, setAt - 1)
    near.answers(one, 1)
    yield* started
    yield* passed(two.symbol)
    yield* passed(one.symbol, 1)
    yield* at(setAt)
    assert.deepEqual(yield* tiersSet, [])
    near.heard.set(one.symbol, setAt)
    near.answers(one, 2)
    yield* trades(one.symbol, 400_000, midnight - 1, 2)
    yield* at(setAt + 1_000)
    assert.deepEqual(yield* tiersSet, ["0: 2"])
  })
)

desk("sets a fee tier once even if the desk stops before, while or after recording the tier", () =>
  Effect.gen(function* () {
    yield* trades(one.symbol, 400_000, midnight - 1)
    yield* passed(two.symbol)
    const lives: ReadonlyArray<Effect.Effect<void>> = [
      TestClock.setTime(setAt - 1),
      TestClock.setTime(setAt),
      at(setAt + 1_000),
      at(setAt + 2_000)
    ]
    for (const live of lives) yield* Effect.scoped(Effect.andThen(started, live))
    assert.deepEqual(yield* tiersSet, ["0: 2"])
    yield* Effect.scoped(Effect.andThen(started, at(setAt + dayMillis)))
    assert.deepEqual(yield* tiersSet, ["0: 2", "1: 2"])
  })
)

desk("sets each user's fee tier once a day, except for users without trades", () =>
  Effect.gen(function* () {
    const { clock, wakes } = yield* counted
    yield* Effect.provideService(started, Clock.Clock, clock)
    yield* passed(one.symbol)
    yield* passed(two.symbol)
    yield* at(setAt)
    const before = wakes()
    for (let day = 1; day <= 30; day++) yield* at(setAt + day * dayMillis)
    assert.deepEqual(yield* tiersSet, [])
    assert.strictEqual(wakes() - before, 30)
  })
)
