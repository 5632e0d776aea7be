/** Supervisor of a cluster. Restarts processes that crashed, kills frozen ones, and leaves drained ones stopped. */
import type { Nodes } from "@venue/storage/nodes/Nodes"
import { Deferred, Effect, Schedule, Schema, type Scope, Semaphore } from "effect"
import type { HttpClient } from "effect/http"
import type { PlannedNode } from "./ClusterPlan.ts"
import * as NodeHealth from "./NodeHealth.ts"
import * as NodeLives from "./NodeLives.ts"
import * as NodeProcess from "../process/NodeProcess.ts"
import * as WantedNodes from "./WantedNodes.ts"

export interface SupervisorOptions {
  /** Runner processes, which stop after the gateways. */
  readonly runners: ReadonlyArray<PlannedNode>
  readonly gateways: ReadonlyArray<PlannedNode>
  /** Variables of all processes, secrets included. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Data directory, which distinguishes these processes from another cluster's processes. */
  readonly place: string
  /** Called after each start and exit of a process. */
  readonly changed: (processes: ReturnType<NodeLives.NodeLives["processes"]>) => Effect.Effect<void>
}

export interface Supervisor {
  readonly isServing: (name: string) => boolean
  /** Waits until all nodes serve. */
  readonly ready: Effect.Effect<void>
  /** Fails if a node exits with an error before it was ever ready. */
  readonly failed: Effect.Effect<never, NodeFailed>
}

export class NodeFailed extends Schema.TaggedError<NodeFailed>()("NodeFailed", {
  name: Schema.String,
  lastLine: Schema.String
}) {
  override get message(): string {
    return `${this.name} cannot start: ${this.lastLine}`
  }
}

/** Runs the processes until the scope closes. Then the gateways stop, followed by the runners. */
export const make = Effect.fn("Supervisor.make")(function* (
  options: SupervisorOptions
): Effect.fn.Return<Supervisor, never, Scope.Scope | Nodes | HttpClient.HttpClient> {
  const planned = [...options.runners, ...options.gateways]
  const lives = yield* NodeLives.make(planned.map(({ name }) => name))
  const failed = yield* Deferred.make<never, NodeFailed>()
  const look = yield* WantedNodes.make(lives)
  const turn = yield* Semaphore.make(1)
  const changed = turn.withPermits(1)(Effect.suspend(() => options.changed(lives.processes())))

  /** Runs a process from its start to its exit. */
  const live = Effect.fnUntraced(function* (node: PlannedNode) {
    const { environment, name, program } = node
    let lastLine = "no output"
    const onLine = (line: string) => {
      lastLine = line.replace(/^venue: /, "")
      lives.say(lastLine.startsWith(`${name} `) ? `venue: ${lastLine}` : `${name}: ${lastLine}`)
    }
    const settings = { ...options.environment, ...environment }
    const child = yield* NodeProcess.launch({ name, program, place: options.place, environment: settings, onLine })
    lives.apply(name, { _tag: "Launched", pid: child.pid })
    yield* changed
    yield* Effect.forkScoped(NodeHealth.watch(node, lives, child.kill))
    const { hasFailed, how } = yield* child.ended
    if (hasFailed && !lives.hasServed(name)) yield* Deferred.fail(failed, new NodeFailed({ name, lastLine }))
    return how
  }, Effect.scoped)

  const keep = (node: PlannedNode) =>
    Effect.gen(function* () {
      const { name } = node
      yield* Effect.repeat(
        Effect.sync(() => lives.apply(name, { _tag: "Waited" })),
        { until: (action) => action === "Launch", schedule: Schedule.spaced("50 millis") }
      )
      const how = yield* Effect.catchTag(live(node), "NotLaunched", ({ reason }) => Effect.succeed(reason))
      // Reads requests again, because the process might have exited on a request that the supervisor has not read
      // yet.
      yield* look
      lives.apply(name, { _tag: "Ended", how })
      yield* changed
    }).pipe(Effect.forever)

  yield* Effect.forkScoped(Effect.forever(Effect.delay(look, "500 millis")))
  for (const kind of [options.runners, options.gateways])
    yield* Effect.forkScoped(Effect.forEach(kind, keep, { concurrency: "unbounded", discard: true }))

  const isServing = (name: string) => lives.phaseOf(name) === "Serving"
  const ready = Effect.repeat(Effect.sleep("50 millis"), { until: () => planned.every(({ name }) => isServing(name)) })
  return { isServing, ready, failed: Deferred.await(failed) }
})
