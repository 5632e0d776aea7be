import * as Places from "@venue/cluster/clients/Places"
import { deskGroup } from "@venue/cluster/protocol/Desk"
import { marketGroup } from "@venue/cluster/protocol/Market"
import * as Runner from "@venue/cluster/Runner"
import { defaults } from "@venue/cluster/VenueSettings"
import { assert, it } from "@effect/vitest"
import { Effect, HashRing } from "effect"
import { EntityId, RunnerAddress, Sharding } from "effect/cluster"

const { desks, instruments } = defaults

/** Shards of desks and markets, which every node computes identically. */
const shards = Effect.gen(function* () {
  const places = yield* Places.make
  const sharding = yield* Sharding.Sharding
  const shardOf = (group: string) => (address: string) => sharding.getShardId(EntityId.make(address), group).id
  return {
    ofDesks: Array.from({ length: desks }, (_, desk) => places.desk(String(desk))).map(shardOf(deskGroup)),
    ofMarkets: [...instruments.keys()].map(places.market).map(shardOf(marketGroup))
  }
}).pipe(Effect.provide(Runner.alone({ simulate: false })))

/** Returns the number of these shards that the library assigns to each runner. */
const spread = (runners: ReadonlyArray<RunnerAddress.RunnerAddress>, taken: ReadonlyArray<number>) => {
  const ring = HashRing.make<RunnerAddress.RunnerAddress>()
  for (const runner of runners) HashRing.add(ring, runner)
  const owners = HashRing.getShards(ring, desks)!
  return runners.map((runner) => taken.filter((shard) => owners[shard - 1] === runner).length)
}

it.effect("assigns each desk and each market a separate shard", () =>
  Effect.gen(function* () {
    const { ofDesks, ofMarkets } = yield* shards
    assert.strictEqual(new Set(ofDesks).size, desks)
    assert.strictEqual(new Set(ofMarkets).size, instruments.size)
  })
)

it.effect(
  "assigns each of three runners 5 or 6 of 16 desks and 3 to 6 of 14 markets, whatever the runners' addresses",
  () =>
    Effect.gen(function* () {
      const { ofDesks, ofMarkets } = yield* shards
      for (let trial = 0; trial < 500; trial++) {
        const runners = [1, 2, 3].map((n) => RunnerAddress.make(`10.0.${trial}.${n}`, 4100 + n))
        for (const count of spread(runners, ofDesks)) assert.include([5, 6], count)
        for (const count of spread(runners, ofMarkets)) assert.include([3, 4, 5, 6], count)
      }
    })
)

it("an entity address contains the id of its desk or market", () => {
  assert.strictEqual(Places.idOf("12.7"), "7")
  assert.strictEqual(Places.idOf("3.BTC-USD"), "BTC-USD")
})
