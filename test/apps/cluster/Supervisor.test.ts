/** Supervisor with programs that stand in for nodes. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Nodes } from "@venue/storage/nodes/Nodes"
import { assert, it } from "@effect/vitest"
import { Console, Effect, Layer, Schedule } from "effect"
import * as Ports from "../../nodes/Ports.ts"
import type { PlannedNode } from "../../../apps/cluster/ClusterPlan.ts"
import * as Supervisor from "../../../apps/cluster/Supervisor.ts"

/** Observed state of a cluster with one runner and one gateway. */
interface Seen {
  readonly lines: ReadonlyArray<string>
  readonly pidOf: (name: string) => number | undefined
  readonly supervisor: Supervisor.Supervisor
  readonly until: (holds: () => boolean) => Effect.Effect<unknown>
}

const supervised = Effect.fnUntraced(function* (environment: Readonly<Record<string, string | undefined>> = {}) {
  const lines: Array<string> = []
  const pids = new Map<string, number>()
  const console = { ...globalThis.console, log: (line: string) => void lines.push(line) }
  const [runners, gateways] = yield* Effect.forEach([["runner-1"], ["gateway-1"]], (names) =>
    Effect.forEach(names, planned)
  )
  const supervisor = yield* Supervisor.make({
    runners: runners!,
    gateways: gateways!,
    environment,
    place: "/nowhere",
    changed: (processes) =>
      Effect.sync(() => {
        pids.clear()
        for (const { name, pid } of processes) pids.set(name, pid)
      })
  }).pipe(Effect.provideService(Console.Console, console))
  const until = (holds: () => boolean) =>
    Effect.repeat(Effect.void, { until: holds, schedule: Schedule.spaced("10 millis") })
  return { lines, pidOf: (name: string) => pids.get(name), supervisor, until } satisfies Seen
})

const planned = Effect.fnUntraced(function* (name: string) {
  const port = yield* Effect.promise(Ports.one)
  const node: PlannedNode = {
    name,
    kind: name.startsWith("runner") ? "runner" : "gateway",
    program: "test/apps/cluster/StandIn.ts",
    environment: { VENUE_NODE_NAME: name, VENUE_HEALTH_PORT: String(port) },
    healthUrl: `http://127.0.0.1:${port}`,
    ports: []
  }
  return node
})

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const services = Layer.merge(Nodes.layerMemory, NodeHttpClient.layerUndici)
const live = (name: string, body: Effect.Effect<unknown, unknown, Layer.Success<typeof services>>) =>
  it.live(name, () => Effect.provide(body, services), 240_000)

live(
  "restarts a crashed process, and prints each line of a process under the process's name",
  Effect.gen(function* () {
    const { lines, pidOf, supervisor, until } = yield* supervised({ VENUE_SECRET_KEY: "not for anybody's eyes" })
    yield* supervisor.ready
    const first = pidOf("runner-1")!
    assert.include(lines, `venue: runner-1 ready, pid ${first}`)
    assert.include(lines, "gateway-1: it has a secret")
    process.kill(first, "SIGKILL")
    yield* until(() => supervisor.isServing("runner-1") && pidOf("runner-1") !== first)
    assert.include(lines, "venue: runner-1 exited (SIGKILL) and will be restarted in 0.25 s")
    assert.isFalse(lines.some((line) => line.includes("eyes")))
  }).pipe(Effect.scoped)
)

live(
  "if a process fails before it is ready, the start fails with that process's last line",
  Effect.gen(function* () {
    const { supervisor } = yield* supervised({ FAILS: "gateway-1" })
    const { message } = yield* Effect.flip(supervisor.failed)
    assert.strictEqual(message, "gateway-1 cannot start: VENUE_BRAND: expected letters, digits and hyphens")
  }).pipe(Effect.scoped)
)

live(
  "leaves a drained process stopped until a restart is requested, and then starts it immediately",
  Effect.gen(function* () {
    const { lines, pidOf, supervisor, until } = yield* supervised()
    const nodes = yield* Nodes
    const joined = (nodeId: string) =>
      nodes.join({ nodeId, name: "runner-1", kind: "runner", address: "", release: "", settings: {} })
    yield* supervisor.ready
    yield* joined("one")
    yield* nodes.want("runner-1", "draining")
    process.kill(pidOf("runner-1")!, "SIGTERM")
    yield* until(() => lines.some((line) => line.includes("runner-1 is drained")))
    assert.strictEqual(pidOf("runner-1"), undefined)
    yield* nodes.want("runner-1", "restarting")
    yield* until(() => supervisor.isServing("runner-1"))

    yield* joined("two")
    const second = pidOf("runner-1")!
    yield* nodes.want("runner-1", "restarting")
    process.kill(second, "SIGTERM")
    yield* until(() => supervisor.isServing("runner-1") && pidOf("runner-1") !== second)
    assert.include(lines, "venue: runner-1 exited and is being restarted")
  }).pipe(Effect.scoped)
)

live(
  "the supervisor stops its processes when it exits",
  Effect.gen(function* () {
    const left = yield* Effect.scoped(
      Effect.gen(function* () {
        const { pidOf, supervisor } = yield* supervised()
        yield* supervisor.ready
        return [pidOf("runner-1")!, pidOf("gateway-1")!]
      })
    )
    assert.deepStrictEqual(left.map(runs), [false, false])
  })
)
