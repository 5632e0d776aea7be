/** Which processes the cluster of a data directory is: `cluster.json`, so that a later start finds what was left behind. */
import { Effect, FileSystem, Option, Path, Schedule, Schema } from "effect"
import { commandLine } from "../dev/postgres/CommandLine.ts"
import * as Secrets from "../dev/Secrets.ts"

const ClusterFile = Schema.Struct({
  supervisor: Schema.Int,
  nodes: Schema.Array(Schema.Struct({ name: Schema.String, pid: Schema.Int }))
})
export type ClusterFile = typeof ClusterFile.Type

/** Its processes are to be left alone. */
export class ClusterRuns extends Schema.TaggedError<ClusterRuns>()("ClusterRuns", {
  dataDir: Schema.String,
  pid: Schema.Int
}) {
  override get message(): string {
    return `a cluster runs on ${this.dataDir} already (pid ${this.pid}); end it first, or set VENUE_DATA_DIR to another folder`
  }
}

const pathIn = (dataDir: string) => Effect.map(Path.Path, (path) => path.join(dataDir, "cluster.json"))

/** None where no cluster was started, or where the last one ended well. */
export const load = Effect.fn("ClusterFile.load")(function* (dataDir: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files
    .readFileString(yield* pathIn(dataDir))
    .pipe(Effect.flatMap(Schema.decodeEffect(Schema.fromJsonString(ClusterFile))), Effect.option)
})

export const save = Effect.fn("ClusterFile.save")(function* (dataDir: string, file: ClusterFile) {
  yield* Secrets.writePrivately(yield* pathIn(dataDir), JSON.stringify(file))
})

export const remove = Effect.fn("ClusterFile.remove")(function* (dataDir: string) {
  yield* (yield* FileSystem.FileSystem).remove(yield* pathIn(dataDir), { force: true })
})

/** A pid says nothing by itself: the process must have been started as what it is taken for. */
const runs = (pid: number, program: string) =>
  commandLine(pid).pipe(
    Effect.map((line) => line.includes(program)),
    Effect.orElseSucceed(() => false)
  )

export const supervisorRuns = ({ supervisor }: ClusterFile) => runs(supervisor, "apps/cluster/main.ts")

/** They have noticed that nobody watches them, and hand over what they have. */
const endsWithin = "12 seconds"
const killedWithin = "5 seconds"

/** Waits for what a supervisor that was killed left behind, and ends what does not end by itself; whether there was any. */
export const takeOver = Effect.fn("ClusterFile.takeOver")(function* (
  dataDir: string,
  say: (text: string) => Effect.Effect<void>
) {
  const found = yield* load(dataDir)
  if (Option.isNone(found)) return false
  const { nodes, supervisor } = found.value
  if (yield* supervisorRuns(found.value)) return yield* new ClusterRuns({ dataDir, pid: supervisor })
  const left = yield* Effect.filter(nodes, ({ name, pid }) => runs(pid, ` ${name} ${dataDir}`))
  if (left.length === 0) return false
  yield* say(`an earlier cluster was killed; waiting for what it left: ${left.map(({ name }) => name).join(", ")}`)
  yield* Effect.forEach(left, (node) => end(node, dataDir, say), { concurrency: "unbounded", discard: true })
  return true
})

const end = Effect.fnUntraced(function* (
  { name, pid }: ClusterFile["nodes"][number],
  dataDir: string,
  say: (text: string) => Effect.Effect<void>
) {
  const gone = runs(pid, ` ${name} ${dataDir}`).pipe(
    Effect.repeat({ until: (running) => !running, schedule: Schedule.spaced("50 millis") })
  )
  // One that was frozen notices only now.
  yield* signal(pid, "SIGCONT")
  if (Option.isSome(yield* Effect.timeoutOption(gone, endsWithin))) return
  yield* say(`${name} does not end and is killed (pid ${pid})`)
  yield* signal(pid, "SIGKILL")
  yield* Effect.timeoutOption(gone, killedWithin)
})

const signal = (pid: number, name: NodeJS.Signals) => Effect.ignore(Effect.try(() => process.kill(pid, name)))
