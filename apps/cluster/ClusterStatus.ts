/** Commands for a running cluster: show its nodes' status, and restart or drain one node. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { type Node, Nodes } from "@venue/storage/nodes/Nodes"
import { Clock, Console, Effect, Layer, Option, Path, type Redacted, Schedule, Schema } from "effect"
import * as EmbeddedPostgres from "../dev/postgres/EmbeddedPostgres.ts"
import * as ClusterFile from "./ClusterFile.ts"
import type { ClusterCommand } from "./ClusterCommand.ts"
import * as NodeTable from "../process/NodeTable.ts"

export interface ClusterPlace {
  readonly dataDir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted>
}

/** No cluster runs on the data directory. */
export class NoCluster extends Schema.TaggedError<NoCluster>()("NoCluster", { dataDir: Schema.String }) {
  override get message(): string {
    return `no cluster is running on ${this.dataDir}; start it with npm run cluster, or set VENUE_DATA_DIR to another folder`
  }
}

export class NoSuchNode extends Schema.TaggedError<NoSuchNode>()("NoSuchNode", {
  name: Schema.String,
  names: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `no node is called ${this.name}; expected one of ${this.names.join(", ")}`
  }
}

/** The node is the only ready one of its kind. */
export class LastOfKind extends Schema.TaggedError<LastOfKind>()("LastOfKind", {
  name: Schema.String,
  kind: Schema.String
}) {
  override get message(): string {
    const { kind, name } = this
    return `${name} is the only ready ${kind}, so it was not drained; restart another ${kind} first, or stop the cluster with Ctrl-C`
  }
}

/** The node did not drain or restart within a minute. */
export class NodeSlow extends Schema.TaggedError<NodeSlow>()("NodeSlow", { name: Schema.String }) {
  override get message(): string {
    return `${this.name} did not finish within a minute; npm run cluster -- status shows its state`
  }
}

type RunningCommand = Exclude<ClusterCommand, { readonly _tag: "Start" }>

export const answer = Effect.fn("ClusterStatus.answer")(function* (
  command: RunningCommand,
  { databaseUrl, dataDir }: ClusterPlace
) {
  const file = yield* ClusterFile.load(dataDir)
  if (Option.isNone(file) || !(yield* ClusterFile.supervisorRuns(file.value))) return yield* new NoCluster({ dataDir })
  const pids = new Map(file.value.nodes.map(({ name, pid }) => [name, pid]))
  const url = Option.isSome(databaseUrl)
    ? databaseUrl
    : yield* EmbeddedPostgres.find((yield* Path.Path).join(dataDir, "postgres"))
  if (Option.isNone(url)) return yield* new NoCluster({ dataDir })
  const tables = Nodes.layer.pipe(Layer.provide(DatabaseClient.layer({ url: url.value, maxConnections: 1 })))
  yield* Effect.provide(command._tag === "Status" ? status(pids) : want(command.node, command._tag, dataDir), tables)
})

const status = Effect.fnUntraced(function* (pids: ReadonlyMap<string, number>) {
  const { all } = yield* Nodes
  for (const line of NodeTable.lines(yield* all, yield* Clock.currentTimeMillis, pids)) yield* Console.log(line)
})

const want = Effect.fnUntraced(function* (name: string, verb: "Restart" | "Drain", dataDir: string) {
  const nodes = yield* Nodes
  const before = yield* nodes.all
  const node = before.find((node) => node.name === name)
  if (node === undefined) return yield* new NoSuchNode({ name, names: before.map(({ name }) => name) })
  if (verb === "Drain" && isLast(node, before)) return yield* new LastOfKind({ name, kind: node.kind })
  yield* nodes.want(name, verb === "Drain" ? "draining" : "restarting")
  yield* Console.log(`venue: ${name} ${verb === "Drain" ? "hands over its work and stops" : "stops and starts again"}`)
  const hasEnded = Effect.map(
    ClusterFile.load(dataDir),
    (file) => !Option.exists(file, ({ nodes }) => nodes.some((running) => running.name === name))
  )
  const serves = Effect.map(nodes.all, (rows) =>
    rows.some((row) => row.name === name && row.nodeId !== node.nodeId && row.isLiving && row.isReady)
  )
  yield* Effect.repeat(verb === "Drain" ? hasEnded : serves, {
    until: (done) => done,
    schedule: Schedule.spaced("200 millis")
  }).pipe(Effect.timeoutOrElse({ duration: "1 minute", orElse: () => Effect.fail(new NodeSlow({ name })) }))
  yield* Console.log(`venue: ${name} ${verb === "Drain" ? "is drained" : "serves again"}`)
})

const isLast = (node: Node, all: ReadonlyArray<Node>): boolean =>
  all
    .filter(({ isLiving, isReady, kind }) => kind === node.kind && isLiving && isReady)
    .every(({ name }) => name === node.name)
