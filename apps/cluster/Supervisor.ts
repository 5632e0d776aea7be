/** Keeps the processes of a cluster running: starts what died, ends what is frozen, and leaves alone what was drained. */
import type { Nodes } from "@venue/storage/nodes/Nodes"
import { Deferred, Effect, Schedule, Schema, type Scope, Semaphore } from "effect"
import type { HttpClient } from "effect/http"
import type { PlannedNode } from "./ClusterPlan.ts"
import * as NodeHealth from "./NodeHealth.ts"
import * as NodeLives from "./NodeLives.ts"
import * as NodeProcess from "../process/NodeProcess.ts"
import * as WantedNodes from "./WantedNodes.ts"

export interface SupervisorOptions {
  /** They are stopped last. */
  readonly runners: ReadonlyArray<PlannedNode>
  readonly gateways: ReadonlyArray<PlannedNode>
  /** What all processes are given, secrets too. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The data directory, by which processes are told from those of another cluster. */
  readonly place: string
  /** Called after each start and end of a process. */
  readonly changed: (processes: ReturnType<NodeLives.NodeLives["processes"]>) => Effect.Effect<void>
}

export interface Supervisor {
  readonly isServing: (name: string) => boolean
  /** Returns once all serve. */
  readonly ready: Effect.Effect<void>
  /** Fails when one ends by itself before it has served. */
  readonly failed: Effect.Effect<never, NodeFailed>
}

/** A process of the cluster could not start. */
export class NodeFailed extends Schema.TaggedError<NodeFailed>()("NodeFailed", {
  name: Schema.String,
  lastWords: Schema.String
}) {
  override get message(): string {
    return `${this.name} cannot start: ${this.lastWords}`
  }
}

/** All run until the scope closes: then the gateways end, and after them the runners. */
export const make = Effect.fn("Supervisor.make")(function* (
  options: SupervisorOptions
): Effect.fn.Return<Supervisor, never, Scope.Scope | Nodes | HttpClient.HttpClient> {
  const planned = [...options.runners, ...options.gateways]
  const lives = yield* NodeLives.make(planned.map(({ name }) => name))
  const failed = yield* Deferred.make<never, NodeFailed>()
  const look = yield* WantedNodes.make(lives)
  const turn = yield* Semaphore.make(1)
  const changed = turn.withPermits(1)(Effect.suspend(() => options.changed(lives.processes())))

  /** From one start of a process to its end. */
  const live = Effect.fnUntraced(function* (node: PlannedNode) {
    const { environment, name, program } = node
    let lastWords = "it said nothing"
    const heard = (line: string) => {
      lastWords = line.replace(/^venue: /, "")
      lives.say(lastWords.startsWith(`${name} `) ? `venue: ${lastWords}` : `${name}: ${lastWords}`)
    }
    const settings = { ...options.environment, ...environment }
    const child = yield* NodeProcess.launch({ name, program, place: options.place, environment: settings, heard })
    lives.tell(name, { _tag: "Launched", pid: child.pid })
    yield* changed
    yield* Effect.forkScoped(NodeHealth.watch(node, lives, child.kill))
    const { hasFailed, how } = yield* child.ended
    if (hasFailed && !lives.hasServed(name)) yield* Deferred.fail(failed, new NodeFailed({ name, lastWords }))
    return how
  }, Effect.scoped)

  const keep = (node: PlannedNode) =>
    Effect.gen(function* () {
      const { name } = node
      yield* Effect.repeat(
        Effect.sync(() => lives.tell(name, { _tag: "Waited" })),
        { until: (action) => action === "Launch", schedule: Schedule.spaced("50 millis") }
      )
      const how = yield* Effect.catchTag(live(node), "NotLaunched", ({ reason }) => Effect.succeed(reason))
      // It may have ended as it was asked to before that was seen here.
      yield* look
      lives.tell(name, { _tag: "Ended", how })
      yield* changed
    }).pipe(Effect.forever)

  yield* Effect.forkScoped(Effect.forever(Effect.delay(look, "500 millis")))
  for (const kind of [options.runners, options.gateways])
    yield* Effect.forkScoped(Effect.forEach(kind, keep, { concurrency: "unbounded", discard: true }))

  const isServing = (name: string) => lives.phaseOf(name) === "Serving"
  const ready = Effect.repeat(Effect.sleep("50 millis"), { until: () => planned.every(({ name }) => isServing(name)) })
  return { isServing, ready, failed: Deferred.await(failed) }
})
