/** Tests of how liquidity providers are appointed. */
import * as Providers from "@venue/cluster/entities/desk/risk/Providers"
import * as TraderCalls from "@venue/cluster/entities/desk/traders/TraderCalls"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import * as Waking from "@venue/cluster/entities/desk/traders/Waking"
import type { Feed } from "@venue/cluster/feed/Feed"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
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

const accountId = primaryAccountOf(userId)

const begin = Effect.gen(function* () {
  const traders = yield* Traders.make(Effect.succeed(true))
  const { change } = yield* TraderCalls.make(traders)
  const appoint = (symbols: ReadonlyArray<MarketSymbol>, limit: number) => {
    const command = { _tag: "AppointProvider", accountId, symbols, limit } as const
    const isListed = (symbol: MarketSymbol) => symbol === one.symbol || symbol === two.symbol
    return change(userId, noCost, command, Providers.joined(command, isListed))
  }
  return { traders, appoint }
})

/** Short form of the events in the trader's journal. */
const recorded = Effect.gen(function* () {
  const rows = yield* (yield* Journal).read(traderStream(userId), 0, 100)
  return rows
    .flatMap(({ events }) => (events.length === 0 ? [] : TraderRecord.decode(events)))
    .map((event) =>
      event._tag === "Joined"
        ? `joined ${event.symbol}`
        : event._tag === "ProviderAppointed"
          ? `${event.limit} in ${event.symbols.join(" ")}`
          : event._tag
    )
})

desk("completes a provider's appointment only after the provider's markets are joined and live", (near) =>
  Effect.gen(function* () {
    near.answers(one)
    const { appoint, traders } = yield* begin
    const appointing = yield* Effect.forkChild(appoint([one.symbol, two.symbol], 7))
    yield* turns
    assert.deepEqual(yield* recorded, [`joined ${one.symbol}`, `joined ${two.symbol}`])
    assert.deepEqual(Providers.limits(traders), [])
    near.answers(two)
    yield* TestClock.adjust("100 millis")
    yield* turns
    yield* Fiber.join(appointing)
    assert.deepEqual((yield* recorded).slice(2), [`7 in ${one.symbol} ${two.symbol}`])
    assert.deepEqual(
      Providers.limits(traders),
      [one, two].map(({ symbol }) => ({ userId, accountId, symbol, limit: 7 }))
    )
  })
)

desk("a provider joins only the markets that its appointment names, and joins none when the appointment ends", (near) =>
  Effect.gen(function* () {
    near.answers(one)
    const { appoint, traders } = yield* begin
    yield* appoint([one.symbol], 7)
    yield* appoint([one.symbol, two.symbol], 0)
    assert.deepEqual(yield* recorded, [`joined ${one.symbol}`, `7 in ${one.symbol}`, `0 in ${one.symbol}`])
    assert.deepEqual(Providers.limits(traders), [])
    const unlisted = yield* Effect.flip(appoint([MarketSymbol.make("NOPE-USD")], 7))
    assert.strictEqual(unlisted._tag, "UnknownSymbol")
    assert.lengthOf(yield* recorded, 3)
  })
)

desk("loads a provider after a restart without waiting for a request", (near) =>
  Effect.gen(function* () {
    near.answers(one)
    yield* Effect.scoped(Effect.flatMap(begin, ({ appoint }) => appoint([one.symbol], 7)))
    const { traders } = yield* begin
    assert.deepEqual(Providers.limits(traders), [])
    yield* Waking.wake(traders, "0")
    yield* traders.caughtUp
    assert.deepEqual(Providers.limits(traders), [{ userId, accountId, symbol: one.symbol, limit: 7 }])
  })
)
