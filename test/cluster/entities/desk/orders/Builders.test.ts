/** Tests of how builder code owners are appointed. */
import * as Builders from "@venue/cluster/entities/desk/orders/Builders"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import type { Feed } from "@venue/cluster/feed/Feed"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import * as Ledger from "@venue/ledger/Ledger"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { traded } from "../../../../journal/EventsByHand.ts"
import { neighbours, one, turns, two, userId, venue } from "../../../Neighbours.ts"

type Near = ReturnType<typeof neighbours>

const desk = (
  name: string,
  tell: (near: Near) => Effect.Effect<void, unknown, Feed | MarketClient | Journal | ReadTables | Scope.Scope>
) =>
  it.effect(name, () => {
    const near = neighbours()
    const testLayer = Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory)
    return tell(near).pipe(Effect.provide(Layer.provideMerge(testLayer, venue)))
  })

const builder = { builderCode: "code", ownerId: userId, venueBps: 6_000, builderBps: 3_000 }

const begin = Effect.gen(function* () {
  const traders = yield* Traders.make(Effect.succeed(true))
  const { appoint, register } = yield* Builders.make(traders)
  return { trader: yield* traders.wake(userId), appoint: appoint(builder), register: register(builder) }
})

/** Short form of the events in the trader's journal. */
const recorded = Effect.gen(function* () {
  const rows = yield* (yield* Journal).read(traderStream(userId), 0, 100)
  return rows
    .flatMap(({ events }) => (events.length === 0 ? [] : TraderRecord.decode(events)))
    .map((event) =>
      event._tag === "Joined"
        ? `joined ${event.symbol}`
        : event._tag === "BuilderAppointed"
          ? `appointed in ${event.symbols.join(" ")}`
          : event._tag
    )
})

const rewards = ({ ledger }: { readonly ledger: Ledger.Trader }) =>
  Ledger.balance(ledger, primaryAccountOf(userId))!.builderRewards

desk("I19: records a builder's appointment only after every market is live and has recorded the builder code", (near) =>
  Effect.gen(function* () {
    near.answers(one)
    near.knows.add(one.symbol)
    const { appoint, trader } = yield* begin
    const appointing = yield* Effect.forkChild(appoint)
    yield* turns
    assert.deepEqual(yield* recorded, [`joined ${one.symbol}`, `joined ${two.symbol}`])
    assert.deepEqual(near.introduced, [])
    near.answers(two)
    yield* TestClock.adjust("100 millis")
    yield* turns
    // The second market is unreachable, so the appointment is not recorded. A repeat continues with that market.
    assert.strictEqual((yield* Effect.flip(Fiber.join(appointing)))._tag, "Unavailable")
    assert.isNull(rewards(trader))
    near.knows.add(two.symbol)
    yield* appoint
    assert.deepEqual(yield* recorded, [
      `joined ${one.symbol}`,
      `joined ${two.symbol}`,
      `appointed in ${one.symbol} ${two.symbol}`
    ])
    assert.strictEqual(rewards(trader), 0n)
  })
)

desk(
  "immediately confirms a builder's appointment that is already recorded, even if an earlier desk owner recorded it",
  (near) =>
    Effect.gen(function* () {
      for (const market of [one, two]) {
        near.answers(market)
        near.knows.add(market.symbol)
      }
      yield* Effect.scoped(Effect.flatMap(begin, ({ appoint }) => appoint))
      const count = near.introduced.length
      near.knows.clear()
      const { appoint, trader } = yield* begin
      yield* appoint
      assert.lengthOf(near.introduced, count)
      assert.strictEqual(rewards(trader), 0n)
    })
)

desk("registers a builder with zero rewards and no joined market, and records a repeated registration only once", () =>
  Effect.gen(function* () {
    const { register, trader } = yield* begin
    assert.isNull(rewards(trader))
    yield* register
    yield* register
    assert.strictEqual(rewards(trader), 0n)
    assert.deepEqual(yield* recorded, ["appointed in "])
  })
)

desk("joins a newly listed market and registers existing builder codes there", (near) =>
  Effect.gen(function* () {
    near.answers(one)
    near.knows.add(one.symbol)
    const settings = yield* VenueSettings
    const before = { ...settings, instruments: new Map([[one.symbol, one]]) }
    yield* Effect.scoped(Effect.flatMap(begin, ({ appoint }) => appoint)).pipe(
      Effect.provideService(VenueSettings, before)
    )
    near.answers(two)
    near.knows.add(two.symbol)
    const { appoint } = yield* begin
    yield* appoint
    assert.deepEqual(yield* recorded, [
      `joined ${one.symbol}`,
      `appointed in ${one.symbol}`,
      `joined ${two.symbol}`,
      `appointed in ${two.symbol}`
    ])
    assert.deepEqual(near.introduced, [`code to ${one.symbol}`, `code to ${two.symbol}`])
  })
)

desk("I19: counts a fill's builder reward once if the fill occurs while the market is syncing", (near) =>
  Effect.gen(function* () {
    for (const market of [one, two]) {
      near.answers(market)
      near.knows.add(market.symbol)
    }
    yield* Effect.scoped(Effect.flatMap(begin, ({ appoint }) => appoint))
    near.views.delete(one.symbol)
    const { trader } = yield* begin
    yield* turns
    const { maker, taker, ...rest } = traded("strangers", 1, {})
    const fill = { ...taker, reward: { ownerId: userId, amount: 3_060_000, remainder: 1_020_000 } }
    const event: MarketEvent = { ...rest, maker, taker: fill }
    near.tell(one, 2, primaryAccountOf(userId), event)
    near.tell(one, 3, primaryAccountOf(userId), event)
    assert.isFalse(trader.isLive())
    // The view contains all rows up to 3, none of which has a reward.
    near.views.set(one.symbol, 3)
    yield* TestClock.adjust("100 millis")
    yield* turns
    assert.isTrue(trader.isLive())
    assert.strictEqual(rewards(trader), 0n)
    near.tell(one, 3, primaryAccountOf(userId), event)
    near.tell(one, 4, primaryAccountOf(userId), event)
    assert.strictEqual(rewards(trader), 3_060_000n)
  })
)
