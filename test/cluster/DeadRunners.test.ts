/** Tests that detect dead runners by their database sessions. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as DeadRunners from "@venue/cluster/DeadRunners"
import * as Runner from "@venue/cluster/Runner"
import { Nodes } from "@venue/storage/nodes/Nodes"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Runner as ClusterRunner, RunnerAddress, RunnerStorage, ShardId, Sharding } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { freshDatabase } from "../Postgres.ts"
import * as LoneRunner from "./LoneRunner.ts"
import { freePort } from "./VenueNodes.ts"

const root = join(import.meta.dirname, "../..")
const until = <R>(isSo: Effect.Effect<boolean, unknown, R>) =>
  Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), isSo), { until: (so) => so })

it.live("keeps a silent runner registered until its last database session ends", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const address = RunnerAddress.make("127.0.0.1", 4_101)
    let looks = 0
    const counted = Effect.map(Nodes, (nodes) =>
      Nodes.of({
        ...nodes,
        // Renews the time at which the runner was last seen.
        dead: Effect.andThen(
          nodes.renew("runner-1 of now", { isReady: true, shards: 1 }).pipe(Effect.orDie),
          Effect.tap(nodes.dead, () => Effect.sync(() => void looks++))
        )
      })
    )
    const pool = Layer.fresh(PgClient.layer({ url, maxConnections: 2 }))
    const storage = yield* RunnerStorage.makeMemory
    yield* storage.register(ClusterRunner.make({ address, groups: ["default"], weight: 1 }), true)
    const isRegistered = Effect.map(storage.getRunners, (runners) => runners.length > 0)

    yield* Effect.gen(function* () {
      const nodes = yield* Nodes
      const session = yield* Scope.make()
      const sessions = yield* Layer.buildWithScope(
        Layer.fresh(PgClient.layer({ url, maxConnections: 1, applicationName: "runner-1/journal" })),
        session
      )
      yield* Scope.provide(Context.get(sessions, SqlClient.SqlClient).reserve, session)
      yield* nodes.join({
        nodeId: "runner-1 of now",
        name: "runner-1",
        kind: "runner",
        address: "127.0.0.1:4101",
        release: "",
        settings: {}
      })
      yield* Layer.build(
        DeadRunners.layer.pipe(
          Layer.provide(Layer.effect(Nodes, counted)),
          Layer.provide(Layer.succeed(RunnerStorage.RunnerStorage)(storage))
        )
      )
      yield* until(Effect.sync(() => looks >= 4))
      assert.isTrue(yield* isRegistered, "its session lives")
      yield* Scope.close(session, Exit.void)
      yield* until(Effect.map(isRegistered, (is) => !is))
    }).pipe(Effect.provide(Nodes.layer.pipe(Layer.provide(pool))))
  }).pipe(Effect.scoped)
)

it.live(
  "moves the shards of a killed runner within seconds, although its locks last one minute",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const [port, portOfKilled] = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)]
      yield* Effect.gen(function* () {
        const sharding = yield* Sharding.Sharding
        const storage = yield* RunnerStorage.RunnerStorage
        const all = Runner.groups.availableShardGroups.flatMap((group) =>
          Array.from({ length: LoneRunner.desks }, (_, index) => ShardId.make(group, index + 1))
        )
        const held = () => all.filter((shard) => sharding.hasShardId(shard)).length
        const isRegistered = Effect.map(storage.getRunners, (runners) =>
          runners.some(([{ address }]) => address.port === portOfKilled)
        )
        const runner = yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn(
              process.execPath,
              ["test/cluster/LoneRunner.ts", Redacted.value(url), "runner-2", String(portOfKilled)],
              { cwd: root, stdio: "ignore" }
            )
          ),
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
        yield* until(Effect.map(isRegistered, (is) => is && held() > 0 && held() < all.length))
        const both = held()
        // Long enough for several checks for dead runners.
        yield* Effect.sleep("1 second")
        assert.strictEqual(held(), both, "a runner that lives keeps its shards")
        assert.isTrue(yield* isRegistered)

        runner.kill("SIGKILL")
        yield* until(Effect.map(isRegistered, (is) => !is)).pipe(Effect.timeout("10 minutes"))
        yield* until(Effect.sync(() => held() === all.length)).pipe(Effect.timeout("10 minutes"))
      }).pipe(Effect.provide(LoneRunner.layer(url, "runner-1", port)))
    }).pipe(Effect.scoped),
  900_000
)
