/** Tests of lost nodes, on Postgres. */
import { LostNodes } from "@venue/storage/nodes/LostNodes"
import { Nodes } from "@venue/storage/nodes/Nodes"
import { DatabaseState } from "@venue/storage/alarms/DatabaseState"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { postgresLayer } from "../../Postgres.ts"

const node = (name: string, nodeId = `${name} of now`) => ({
  nodeId,
  name,
  kind: "runner" as const,
  address: "127.0.0.1:4101",
  release: "0.1.0",
  settings: {}
})

const services = Layer.mergeAll(LostNodes.layer, Nodes.layer, DatabaseState.layer).pipe(
  Layer.provideMerge(postgresLayer)
)

/** Lets time pass without a renewal of the node. */
const unseen = Effect.fnUntraced(function* (name: string, interval: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update node set last_seen_at = last_seen_at - ${interval}::interval where name = ${name}`
})

layer(services, { timeout: "5 minutes" })("lost nodes", (it) => {
  const names = Effect.flatMap(LostNodes, ({ list }) => Effect.map(list, (all) => all.map(({ name }) => name)))

  it.effect(
    "lists a node that is silent for 30 s, unless it left or was drained, until a node of the name returns",
    () =>
      Effect.gen(function* () {
        const nodes = yield* Nodes
        const all = ["drained", "left", "lost", "restarting"]
        for (const name of all) yield* nodes.join(node(name))
        yield* nodes.leave("left of now")
        yield* nodes.want("drained", "draining")
        yield* nodes.want("restarting", "restarting")
        for (const name of all) yield* unseen(name, "29 seconds")
        assert.deepStrictEqual(yield* names, [])
        yield* unseen("lost", "2 seconds")
        for (const name of all) yield* unseen(name, "1 second")
        assert.deepStrictEqual(yield* names, ["lost", "restarting"])
        yield* nodes.join(node("lost", "another process"))
        assert.deepStrictEqual(yield* names, ["restarting"])
      })
  )

  it.effect("keeps a lost node for 30 days while others join, and a node for an hour after it left", () =>
    Effect.gen(function* () {
      const nodes = yield* Nodes
      yield* nodes.join(node("old"))
      yield* nodes.join(node("gone"))
      yield* nodes.leave("gone of now")
      yield* unseen("old", "29 days")
      yield* unseen("gone", "61 minutes")
      yield* nodes.join(node("newcomer"))
      const present = Effect.map(nodes.all, (all) => all.map(({ name }) => name))
      assert.includeMembers([...(yield* present)], ["newcomer", "old"])
      assert.notInclude(yield* present, "gone")
      yield* unseen("old", "1 day")
      yield* nodes.join(node("newcomer"))
      assert.notInclude(yield* present, "old")
    })
  )

  it.effect("dismisses a lost node until its process renews it, and refuses a serving node", () =>
    Effect.gen(function* () {
      const nodes = yield* Nodes
      const lost = yield* LostNodes
      yield* nodes.join(node("frozen"))
      assert.strictEqual((yield* Effect.flip(lost.dismiss("frozen")))._tag, "NodeServes")
      yield* unseen("frozen", "31 seconds")
      assert.include(yield* names, "frozen")
      yield* lost.dismiss("frozen")
      assert.notInclude(yield* names, "frozen")
      assert.strictEqual((yield* Effect.flip(lost.dismiss("frozen")))._tag, "NoSuchNode")
      assert.strictEqual(yield* nodes.renew("frozen of now", { isReady: true, shards: 1 }), "serving")
      assert.include(
        (yield* nodes.all).filter(({ isLiving }) => isLiving).map(({ name }) => name),
        "frozen"
      )
    })
  )

  it.effect("reads the replicas and the data directory of a database", () =>
    Effect.gen(function* () {
      const { dataDirectory, replicas } = yield* DatabaseState
      assert.deepStrictEqual(yield* replicas, [])
      assert.match(Option.getOrThrow(yield* dataDirectory), /^\//)
    })
  )
})
