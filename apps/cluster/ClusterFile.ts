/**
 * The processes of a data directory's cluster, stored in `cluster.json`. A later start uses the file to detect
 * processes that were left behind.
 */
import { Effect, FileSystem, Option, Path, Schedule, Schema } from "effect"
import { commandLine } from "../dev/postgres/CommandLine.ts"
import * as Secrets from "../dev/Secrets.ts"

const ClusterFile = Schema.Struct({
  supervisor: Schema.Int,
  nodes: Schema.Array(Schema.Struct({ name: Schema.String, pid: Schema.Int }))
})
export type ClusterFile = typeof ClusterFile.Type

export class ClusterRuns extends Schema.TaggedError<ClusterRuns>()("ClusterRuns", {
  dataDir: Schema.String,
  pid: Schema.Int
}) {
  override get message(): string {
    return `a cluster is already running on ${this.dataDir} (pid ${this.pid}); stop it first, or set VENUE_DATA_DIR to another folder`
  }
}

const pathIn = (dataDir: string) => Effect.map(Path.Path, (path) => path.join(dataDir, "cluster.json"))

/** Returns the file's content, or an empty option if no cluster was started or the last one stopped normally. */
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

/**
 * Returns whether the process has `program` in its command line, because an exited process's pid might belong to
 * another program.
 */
const runs = (pid: number, program: string) =>
  commandLine(pid).pipe(
    Effect.map((line) => line.includes(program)),
    Effect.orElseSucceed(() => false)
  )

export const supervisorRuns = ({ supervisor }: ClusterFile) => runs(supervisor, "apps/cluster/main.ts")

/** Time within which processes without a supervisor hand over their work and exit on their own. */
const endsWithin = "12 seconds"
const killedWithin = "5 seconds"

/**
 * Waits for the processes that a killed supervisor left behind, and kills any process that does not exit. Returns
 * whether there were such processes.
 */
export const takeOver = Effect.fn("ClusterFile.takeOver")(function* (
  dataDir: string,
  say: (text: string) => Effect.Effect<void>
) {
  const file = yield* load(dataDir)
  if (Option.isNone(file)) return false
  const { nodes, supervisor } = file.value
  if (yield* supervisorRuns(file.value)) return yield* new ClusterRuns({ dataDir, pid: supervisor })
  const left = yield* Effect.filter(nodes, ({ name, pid }) => runs(pid, ` ${name} ${dataDir}`))
  if (left.length === 0) return false
  yield* say(`an earlier cluster was killed; waiting for its processes: ${left.map(({ name }) => name).join(", ")}`)
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
  // A suspended process exits only after SIGCONT.
  yield* signal(pid, "SIGCONT")
  if (Option.isSome(yield* Effect.timeoutOption(gone, endsWithin))) return
  yield* say(`${name} does not exit and is being killed (pid ${pid})`)
  yield* signal(pid, "SIGKILL")
  yield* Effect.timeoutOption(gone, killedWithin)
})

const signal = (pid: number, name: NodeJS.Signals) => Effect.ignore(Effect.try(() => process.kill(pid, name)))
