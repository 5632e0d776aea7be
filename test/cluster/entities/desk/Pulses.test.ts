/**
 * Tests of account summaries in pulses, a gateway's periodic requests. A summary includes every row that the gateway
 * has published.
 */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { RailClient } from "@venue/cluster/clients/RailClient"
import { DeskLayer } from "@venue/cluster/entities/desk/Desk"
import { Desk, type Head, noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Entity, Sharding, ShardingConfig } from "effect/cluster"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, two, userId, venue } from "../../Neighbours.ts"

/** The library's test sharding owns no shards, so this one owns all of them. */
const owned = Layer.provide(
  DeskLayer,
  Layer.effect(
    Sharding.Sharding,
    Effect.map(Sharding.Sharding, (sharding) => ({ ...sharding, hasShardId: () => true }))
  )
)

const accountId = primaryAccountOf(userId)

/** Returns a desk whose trader has joined a market at row 1, and the desk's responses to pulses. */
const joined = Effect.fnUntraced(function* (near: ReturnType<typeof neighbours>) {
  const desk = yield* Effect.flatMap(Entity.makeTestClient(Desk, owned), (make) => make("0.0"))
  near.answers(one)
  const request = {
    _tag: "CancelAllOrders",
    cause: "REQUEST",
    commandId: idOf(1),
    expiresAtMillis: 60_000,
    accountId,
    symbol: one.symbol
  } as const
  yield* desk.Submit({ submissions: [{ userId, cost: noCost, request }] })
  yield* TestClock.adjust("200 millis")
  yield* turns
  const connection = { connectionId: "connection", userId, accountId, ageMillis: 0, wanted: true, isArmed: false }
  return (...heads: ReadonlyArray<Head>) =>
    desk
      .Renew({ gatewayId: "gateway", saidAtMillis: 0, connections: [connection], heads })
      .pipe(Effect.map(({ summaries }) => summaries.map(({ balance }) => balance.accountId)))
})

const testLayer = (near: ReturnType<typeof neighbours>) =>
  Layer.mergeAll(
    near.layer,
    Journal.layerMemory,
    ReadTables.layerMemory,
    LocalEntities.layer,
    Layer.succeed(RailClient)({ wake: () => Effect.void }),
    ShardingConfig.layer(),
    Logger.layer([])
  ).pipe(Layer.provideMerge(venue))

it.effect("omits an account from a pulse until the desk has applied the rows that the gateway has published", () => {
  const near = neighbours()
  return Effect.gen(function* () {
    const pulse = yield* joined(near)
    assert.deepEqual(yield* pulse(), [accountId])
    assert.deepEqual(yield* pulse({ symbol: one.symbol, seq: 1 }), [accountId])
    assert.deepEqual(yield* pulse({ symbol: one.symbol, seq: 2 }), [])
    near.heads.set(one.symbol, 2)
    assert.deepEqual(yield* pulse({ symbol: one.symbol, seq: 2 }), [accountId])
    // Only rows of markets that the account has joined matter.
    assert.deepEqual(yield* pulse({ symbol: two.symbol, seq: 7 }), [accountId])
  }).pipe(Effect.provide(testLayer(near)), Effect.scoped)
})
