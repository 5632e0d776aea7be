/** A runner is ready when all that belongs on its shards has answered: whoever sends traders to it relies on that. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities, type LocalMarket } from "@venue/cluster/clients/LocalEntities"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { Unavailable } from "@venue/cluster/protocol/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ShardId, Sharding } from "effect/cluster"
import { TestClock } from "effect/testing"
import * as EntityHealth from "../../../apps/runner/EntityHealth.ts"
import { one, two } from "../../cluster/Neighbours.ts"

const desks = 2

/** A runner that has the shards that it is told, and whose entities answer when told. */
const make = Effect.gen(function* () {
  const held = new Set<string>()
  const answering = new Set<string>()
  const localMarkets = new Map<MarketSymbol, LocalMarket>()
  const sharding = Layer.mock(Sharding.Sharding, {
    // The number that an address begins with is chosen for its shard, as any hash would have it.
    getShardId: (entityId, group) => ShardId.make(group, (Number.parseInt(entityId, 10) % desks) + 1),
    hasShardId: ({ group, id }) => held.has(`${group} ${id}`)
  })
  const health = yield* EntityHealth.make.pipe(
    Effect.provide(
      Layer.mergeAll(
        sharding,
        Layer.succeed(LocalEntities)({ markets: localMarkets, desks: new Map(), gateways: new Set() }),
        Layer.mock(DeskClient, {
          submit: () => {},
          whenReplied: () => {},
          wake: (desk) => (answering.has(desk) ? Effect.void : Effect.fail(new Unavailable({ what: `desk ${desk}` })))
        }),
        Layer.succeed(VenueSettings)({
          ...defaults,
          desks,
          instruments: new Map([one, two].map((instrument) => [instrument.symbol, instrument]))
        })
      )
    )
  )
  const market = (symbol: MarketSymbol, head: () => { epoch: number; seq: number } | undefined) =>
    localMarkets.set(symbol, { head } as LocalMarket)
  return { ...health, held, answering, market, localMarkets }
})

const proven = () => ({ epoch: 1, seq: 1 })

it.effect("a runner with a desk or a market of its own that never answered is not ready", () =>
  Effect.gen(function* () {
    const { answering, held, isReady, market } = yield* make
    assert.isFalse(isReady(), "it has no shards")
    for (const shard of ["desk 1", "market 1", "default 1"]) held.add(shard)
    yield* TestClock.adjust("10 seconds")
    assert.isFalse(isReady(), "nothing of its own is up")
    answering.add("0")
    yield* TestClock.adjust("1 second")
    assert.isFalse(isReady(), "its market is not up")
    market(one.symbol, () => undefined)
    yield* TestClock.adjust("1 second")
    assert.isFalse(isReady(), "its market has not been heard")
    market(one.symbol, proven)
    yield* TestClock.adjust("1 second")
    assert.isTrue(isReady())

    held.add("desk 2")
    assert.isFalse(isReady(), "a desk that has come has not answered")
    answering.add("1")
    yield* TestClock.adjust("1 second")
    assert.isTrue(isReady())
  })
)

it.effect("an entity of other runners is not asked for, and one that comes back has to answer again", () =>
  Effect.gen(function* () {
    const { answering, held, isReady, localMarkets, market } = yield* make
    for (const shard of ["desk 1", "desk 2", "market 1"]) held.add(shard)
    for (const desk of ["0", "1"]) answering.add(desk)
    market(one.symbol, proven)
    yield* TestClock.adjust("1 second")
    assert.isTrue(isReady())
    held.delete("market 1")
    localMarkets.delete(one.symbol)
    yield* TestClock.adjust("2 seconds")
    assert.isTrue(isReady())
    held.add("market 1")
    assert.isFalse(isReady())
  })
)

it.effect("a runner whose entity is silent for five seconds is not ready until it answers again", () =>
  Effect.gen(function* () {
    const { answering, held, isReady } = yield* make
    held.add("desk 1")
    answering.add("0")
    yield* TestClock.adjust("1 second")
    answering.delete("0")
    yield* TestClock.adjust("4 seconds")
    assert.isTrue(isReady())
    yield* TestClock.adjust("2 seconds")
    assert.isFalse(isReady())
    answering.add("0")
    yield* TestClock.adjust("1 second")
    assert.isTrue(isReady())
  })
)
