/**
 * `npm run bench`: every figure of the venue as a ratio to an anchor (the reference it is compared with) measured in
 * the same run. See README.md.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { type Checkout, open } from "./Checkout.ts"
import { pairOf, type Pair } from "./Comparison.ts"
import { auditor } from "./AuditorCost.ts"
import { pass } from "./AuditorStart.ts"
import { bearer } from "./BearerChecks.ts"
import { bigMarket } from "./BigMarket.ts"
import { replacement } from "./KeyReplacement.ts"
import { nodes } from "./ClusterCost.ts"
import { failover } from "./Failover.ts"
import { history } from "./HistoryReads.ts"
import { kills } from "./Kills.ts"
import { marks } from "./Marks.ts"
import * as Matching from "./Matching.ts"
import * as Memory from "./Memory.ts"
import { type Options, read } from "./Options.ts"
import { overload } from "./Overload.ts"
import { recovery } from "./Recovery.ts"
import { type Row, say, table, tell, verdict } from "./Report.ts"
import * as QuietHour from "./QuietHour.ts"
import { rolling } from "./RollingRestart.ts"
import * as RestReads from "./RestReads.ts"
import { signin } from "./SignIns.ts"
import * as SocketFloods from "./SocketFloods.ts"
import * as Sockets from "./Sockets.ts"
import * as StreamDeliveries from "./StreamDeliveries.ts"

const parts: Readonly<Record<string, (options: Options) => Promise<ReadonlyArray<Row>>>> = {
  matching: Matching.matching,
  memory: Memory.memory,
  recovery,
  socket: Sockets.socket,
  kills,
  big: bigMarket,
  overload,
  stream: StreamDeliveries.stream,
  rest: RestReads.rest,
  history,
  bearer,
  signin,
  replacement,
  clock: QuietHour.clock,
  marks,
  flood: SocketFloods.flood,
  failover,
  rolling,
  nodes,
  auditor,
  pass
}

const comparable: Readonly<Record<string, (options: Options, pair: Pair<Checkout>) => Promise<ReadonlyArray<Row>>>> = {
  matching: Matching.compared,
  memory: Memory.compared,
  socket: Sockets.compared,
  stream: StreamDeliveries.compared,
  rest: RestReads.compared,
  clock: QuietHour.compared,
  flood: SocketFloods.compared
}

const stop = (problem: string): never => {
  say(problem)
  process.exit(2)
}

const asked = read(process.argv.slice(2), Object.keys(parts))
if ("problem" in asked) stop(asked.problem)
const options: Options = { ...(asked as Omit<Options, "folder">), folder: mkdtempSync(join(tmpdir(), "venue-bench-")) }
process.on("exit", () => rmSync(options.folder, { recursive: true, force: true }))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130))

const load = (): string =>
  loadavg()
    .map((one) => one.toFixed(2))
    .join(" ")
const rows: Array<Row> = []
const failures: Array<string> = []
const startedLoad = load()
say(`${new Date().toISOString()}, Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, load ${startedLoad}`)
say(
  `${options.rounds} rounds of ${options.seconds} s, flows of ${options.operations.toLocaleString("en-US")} operations`
)

const pair = options.against === null ? null : opened(options.against)
if (pair !== null) say(`against ${pair.theirs.name} in turn: a ratio above 1 is always better for ours`)

for (const part of options.parts) {
  say(`\n== ${part}`)
  const run = pair === null ? parts[part]! : withThem(part, pair)
  if (run === null) {
    say("it is not compared: what it measures cannot be asked of another checkout")
    continue
  }
  try {
    const found = await run(options)
    found.forEach(tell)
    rows.push(...found)
  } catch (error) {
    failures.push(part)
    say(`${part} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
}

function opened(folder: string): Pair<Checkout> {
  try {
    return pairOf(open(folder))
  } catch (error) {
    return stop((error as Error).message)
  }
}

function withThem(part: string, pair: Pair<Checkout>): ((options: Options) => Promise<ReadonlyArray<Row>>) | null {
  const compared = comparable[part]
  return compared === undefined ? null : (options) => compared(options, pair)
}

const judged = rows.map((row) => ({ ...row, ...verdict(row) }))
const lost = judged.filter(({ met }) => met === "missed" || met === "void")
say(`\n${table(rows)}\n`)
say(`load ${startedLoad} at the start, ${load()} at the end`)
if (lost.length > 0) say(`missed or void: ${lost.map(({ name }) => name).join("; ")}`)
if (failures.length > 0) say(`failed: ${failures.join(", ")}`)
if (options.json !== null) {
  writeFileSync(
    options.json,
    JSON.stringify({ at: new Date().toISOString(), load: startedLoad, failures, rows: judged })
  )
}
process.exit(failures.length > 0 || lost.some(({ met }) => met === "void") ? 1 : 0)
