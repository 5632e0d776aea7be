/** Readiness of a runner: all entities on its shards must have responded, because other nodes then send it traders. */
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

/** Returns a runner whose shards and responding entities the test sets. */
const make = Effect.gen(function* () {
  const held = new Set<string>()
  const answering = new Set<string>()
  const localMarkets = new Map<MarketSymbol, LocalMarket>()
  const sharding = Layer.mock(Sharding.Sharding, {
    // The number at the start of an address selects its shard, in place of a hash.
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
  return { ...health, isReady: () => health.reason() === undefined, held, answering, market, localMarkets }
})

const proven = () => ({ epoch: 1, seq: 1 })

it.effect("a runner is ready only after every desk and market on its shards has responded once", () =>
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
    assert.isFalse(isReady(), "its market has not answered")
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

it.effect("waits for a new response from a desk or market that moves away from the runner and back", () =>
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

it.effect("a runner stops being ready when a desk or market is silent for five seconds, until it responds again", () =>
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
