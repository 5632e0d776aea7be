/** Tests of a venue's nodes, in memory and on Postgres. */
import { type Joining, Nodes } from "@venue/storage/nodes/Nodes"
import * as LivingGateways from "@venue/storage/nodes/LivingGateways"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { postgresLayer } from "../../Postgres.ts"

/** Lets time pass without heartbeats. */
type Unseen<R> = (seconds: number) => Effect.Effect<unknown, unknown, R>

const node = (name: string, change: Partial<Joining> = {}): Joining => ({
  nodeId: `${name} of now`,
  name,
  kind: name.startsWith("gateway") ? "gateway" : "runner",
  address: "127.0.0.1:4101",
  release: "0.1.0",
  settings: { VENUE_DESKS: "a", VENUE_BRAND: "b" },
  ...change
})

const suite = <R>(title: string, services: Layer.Layer<Nodes | R, unknown>, unseen: Unseen<R>) =>
  layer(services, { timeout: "2 minutes" })(title, (it) => {
    it.effect("counts a node as live until the node leaves or sends no heartbeat for five seconds", () =>
      Effect.gen(function* () {
        const nodes = yield* Nodes
        yield* nodes.join(node("runner-1"))
        yield* nodes.join(node("runner-2"))
        assert.strictEqual(yield* nodes.renew("runner-1 of now", { isReady: true, shards: 7 }), "serving")
        yield* nodes.want("runner-1", "restarting")
        assert.strictEqual(yield* nodes.renew("runner-1 of now", { isReady: true, shards: 7 }), "restarting")
        yield* unseen(6)
        yield* nodes.renew("runner-1 of now", { isReady: true, shards: 7 })
        const states = Effect.map(nodes.all, (all) =>
          all.map(({ isLiving, isReady, name, shards, wanted }) => ({ isLiving, isReady, name, shards, wanted }))
        )
        const silent = { isLiving: false, isReady: false, name: "runner-2", shards: 0, wanted: "serving" } as const
        assert.deepStrictEqual(yield* states, [
          { isLiving: true, isReady: true, name: "runner-1", shards: 7, wanted: "restarting" },
          silent
        ])
        yield* nodes.leave("runner-1 of now")
        assert.deepStrictEqual(yield* states, [
          { isLiving: false, isReady: false, name: "runner-1", shards: 0, wanted: "restarting" },
          silent
        ])
      })
    )

    it.effect("rejects a node whose settings differ from those of live nodes, and names the settings that differ", () =>
      Effect.gen(function* () {
        const nodes = yield* Nodes
        yield* unseen(6)
        yield* nodes.join(node("runner-1"))
        yield* nodes.join(node("gateway-1"))
        const other = { VENUE_DESKS: "c", VENUE_BRAND: "b", VENUE_OF_A_NEWER_RELEASE: "d" }
        const refused = yield* Effect.flip(nodes.join(node("runner-2", { settings: other })))
        assert.strictEqual(
          refused.message,
          "VENUE_DESKS: the value differs from the value on gateway-1, runner-1; set the same value here, or stop those nodes first"
        )
        yield* nodes.leave("runner-1 of now")
        // Succeeds, because the only other live node has the same name.
        yield* nodes.join(node("gateway-1", { nodeId: "gateway-1 again", settings: other }))
        yield* nodes.join(node("runner-2", { settings: other }))
      })
    )

    it.effect(
      "while a setting is being replaced, a node joins only if it and the live node accept each other's value",
      () =>
        Effect.gen(function* () {
          const nodes = yield* Nodes
          const outcome = (a: string, b: string) =>
            Effect.gen(function* () {
              yield* unseen(6)
              yield* nodes.join(node("gateway-1", { settings: { VENUE_AUTH_CLIENT_KEY: a } }))
              return yield* Effect.match(nodes.join(node("gateway-2", { settings: { VENUE_AUTH_CLIENT_KEY: b } })), {
                onSuccess: () => "joined",
                onFailure: ({ _tag }) => _tag
              })
            })
          const steps = ["a", "a,b", "b,a", "b"]
          for (const [index, step] of steps.entries())
            for (const near of steps.slice(Math.max(0, index - 1), index + 2))
              assert.strictEqual(yield* outcome(step, near), "joined", `${step} and ${near}`)
          for (const [one, other] of [
            ["a", "b"],
            ["a", "b,a"],
            ["a,b", "b"],
            ["a", "ab"]
          ] as const) {
            assert.strictEqual(yield* outcome(one, other), "SettingsDiffer", `${one} and ${other}`)
            assert.strictEqual(yield* outcome(other, one), "SettingsDiffer", `${other} and ${one}`)
          }
        })
    )

    it.effect("drains a process when a newer process joins under the same node name", () =>
      Effect.gen(function* () {
        const nodes = yield* Nodes
        yield* unseen(31 * 86_400)
        yield* nodes.join(node("runner-1"))
        yield* nodes.want("runner-1", "draining")
        yield* nodes.join(node("runner-1", { nodeId: "runner-1 again" }))
        assert.strictEqual(yield* nodes.renew("runner-1 of now", { isReady: true, shards: 1 }), "draining")
        assert.strictEqual(yield* nodes.renew("runner-1 again", { isReady: true, shards: 1 }), "serving")
        const all = yield* nodes.all
        assert.deepStrictEqual(
          all.map(({ nodeId }) => nodeId),
          ["runner-1 again"]
        )
      })
    )

    it.effect("divides venue-wide limits by the number of live gateways, and by at least one", () =>
      Effect.gen(function* () {
        const nodes = yield* Nodes
        const living = yield* LivingGateways.LivingGateways.pipe(Effect.provide(LivingGateways.layer))
        assert.strictEqual((yield* LivingGateways.LivingGateways)(), 1)
        yield* unseen(6)
        yield* nodes.join(node("runner-1"))
        yield* nodes.renew("runner-1 of now", { isReady: true, shards: 1 })
        assert.strictEqual(living(), 1)
        yield* nodes.join(node("gateway-1"))
        yield* nodes.join(node("gateway-2"))
        yield* nodes.renew("gateway-1 of now", { isReady: true, shards: 0 })
        assert.strictEqual(living(), 2)
        yield* nodes.leave("gateway-1 of now")
        yield* nodes.renew("gateway-2 of now", { isReady: true, shards: 0 })
        assert.strictEqual(living(), 1)
      })
    )

    it.effect("keeps a drained node's row, and deletes any other node's row one hour after the node has left", () =>
      Effect.gen(function* () {
        const nodes = yield* Nodes
        for (const name of ["runner-1", "runner-2"]) yield* nodes.join(node(name))
        yield* nodes.want("runner-1", "draining")
        for (const name of ["runner-1", "runner-2"]) yield* nodes.leave(`${name} of now`)
        yield* unseen(3_700)
        yield* nodes.join(node("runner-3"))
        yield* nodes.want("runner-1", "restarting")
        assert.strictEqual((yield* Effect.flip(nodes.want("runner-2", "restarting")))._tag, "UnknownNode")
      })
    )

    it.effect("rejects a request to change the state of a node that never joined", () =>
      Effect.gen(function* () {
        const nodes = yield* Nodes
        const refused = yield* Effect.flip(nodes.want("runner-9", "draining"))
        assert.strictEqual(refused.message, "no node is called runner-9")
      })
    )
  })

layer(Layer.provideMerge(Nodes.layer, postgresLayer), { timeout: "2 minutes" })("nodes with connections", (it) => {
  it.effect("declares a runner dead if it sent a heartbeat recently but has no database connection", () =>
    Effect.gen(function* () {
      const nodes = yield* Nodes
      const sql = yield* SqlClient.SqlClient
      for (const name of ["runner-1", "runner-2", "runner-3", "gateway-1"])
        yield* nodes.join(node(name, { address: `${name}:4100` }))
      yield* sql`update node set last_seen_at = last_seen_at - interval '3 seconds' where name = 'runner-3'`
      const connected = Effect.gen(function* () {
        const session = yield* sql.reserve
        yield* session.executeValues("set application_name = 'runner-1/journal'", [])
        return yield* nodes.dead
      })
      const dead = yield* Effect.scoped(connected)
      assert.deepStrictEqual(dead, [{ nodeId: "runner-2 of now", address: "runner-2:4100" }])
    })
  )

  it.effect("accepts heartbeats of other nodes while one node hangs during its join", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const nodes = yield* Nodes
      yield* nodes.join(node("runner-1"))
      const joined = yield* Deferred.make<void>()
      const standsStill = Effect.andThen(nodes.join(node("runner-2")), Deferred.succeed(joined, undefined))
      const joining = yield* Effect.forkChild(sql.withTransaction(Effect.andThen(standsStill, Effect.never)))
      yield* Deferred.await(joined)
      yield* sql`select set_config('lock_timeout', '1s', true)`.pipe(
        Effect.andThen(nodes.renew("runner-1 of now", { isReady: true, shards: 1 })),
        sql.withTransaction
      )
      yield* Fiber.interrupt(joining)
    })
  )
})

suite("nodes in memory", Nodes.layerMemory, (seconds) => TestClock.adjust(`${seconds} seconds`))
suite("nodes on Postgres", Layer.provideMerge(Nodes.layer, postgresLayer), (seconds) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update node set last_seen_at = last_seen_at - make_interval(secs => ${seconds})`
  )
)
