/**
 * Tests of calls to a market on another node: sent directly while this node watches the market, otherwise through the
 * cluster.
 */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { type NodeLink, NodeLinks } from "@venue/cluster/clients/NodeLinks"
import { MarketLayer } from "@venue/cluster/entities/market/Market"
import * as NodeServer from "@venue/cluster/NodeServer"
import { NodeCalls } from "@venue/cluster/protocol/Node"
import * as SimulatedSerialization from "@venue/testing/SimulatedSerialization"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { TraderCommand } from "@venue/domain/Market"
import { noEcho } from "@venue/domain/Echo"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Stream } from "effect"
import { RpcTest } from "effect/rpc"
import { TestClock } from "effect/testing"
import { idOf, one, turns, two, userId, venue } from "../Neighbours.ts"

const testLayer = Layer.mergeAll(Journal.layerMemory, ReadTables.layerMemory, SimulatedSerialization.layerAlone).pipe(
  Layer.provideMerge(venue),
  Layer.provideMerge(Logger.layer([]))
)
const owner = "10.0.0.1:5000"

const refuse = (n: number): TraderCommand => ({
  _tag: "Refuse",
  commandId: idOf(n),
  expiresAtMillis: 1_000_000,
  traderEpoch: 1,
  userId,
  accountId: primaryAccountOf(userId),
  status: "REJECTED",
  echo: noEcho
})

/**
 * Returns a node with markets, a node without markets, and the commands that the second node sends directly to the
 * first.
 */
const twoNodes = Effect.gen(function* () {
  const there = yield* Layer.build(LocalEntities.layer)
  const links = { self: owner, to: () => Effect.never }
  yield* Layer.build(MarketLayer).pipe(Effect.provide(there), Effect.provideService(NodeLinks, links))
  const answers = yield* Layer.build(NodeServer.layer).pipe(Effect.provide(there))
  const link: NodeLink = yield* RpcTest.makeClient(NodeCalls).pipe(Effect.provide(answers))

  const dialled: Array<string> = []
  const direct: Array<string> = []
  const counted: NodeLink = {
    ...link,
    SubmitToMarket: ((asked: Parameters<NodeLink["SubmitToMarket"]>[0]) => {
      direct.push(...asked.commands.map(({ commandId }) => String(commandId.d)))
      return link.SubmitToMarket(asked)
    }) as NodeLink["SubmitToMarket"]
  }
  const client = yield* Layer.build(
    MarketClient.layer.pipe(
      Layer.provide(LocalEntities.layer),
      Layer.provide(
        Layer.succeed(NodeLinks)({
          self: undefined,
          to: (address) => Effect.sync(() => dialled.push(address)).pipe(Effect.as(counted))
        })
      )
    )
  )
  yield* TestClock.adjust(1)
  return { link, dialled, direct, client: Context.get(client, MarketClient) }
})

it.effect(
  "sends commands directly to a market's node while that market is watched, and through the cluster otherwise",
  () =>
    Effect.gen(function* () {
      const { client, dialled, direct } = yield* twoNodes
      assert.strictEqual((yield* client.depth(one.symbol)).node, owner)
      const seqs: Array<number> = []
      const watching = yield* Effect.forkScoped(
        Stream.runForEach(client.watch(one.symbol), ({ events, seq }) =>
          Effect.sync(() => void (events.length > 0 && seqs.push(seq)))
        )
      )
      yield* turns
      const before = (yield* client.depth(one.symbol)).seq
      assert.isTrue(client.submit(one.symbol, refuse(1)))
      yield* turns
      assert.deepStrictEqual(seqs, [before + 1])

      yield* Fiber.interrupt(watching)
      assert.isTrue(client.submit(one.symbol, refuse(2)))
      yield* turns
      assert.strictEqual((yield* client.depth(one.symbol)).seq, before + 2)
      assert.deepStrictEqual({ dialled, direct }, { dialled: [owner], direct: ["1"] })
    }).pipe(Effect.provide(testLayer))
)

it.effect("returns Unavailable for a direct call to a node that does not run the market", () =>
  Effect.gen(function* () {
    const { link } = yield* twoNodes
    const { symbol } = two
    const submitted = yield* Effect.flip(link.SubmitToMarket({ symbol, commands: [refuse(1)] }))
    const watched = yield* Effect.flip(Stream.runDrain(link.WatchMarket({ symbol })))
    for (const { _tag } of [submitted, watched]) assert.strictEqual(_tag, "Unavailable")
  }).pipe(Effect.provide(testLayer))
)
