/** `npm run bench`: every figure of the venue as a ratio to an anchor measured in the same run. See README.md. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { bearer } from "./BearerChecks.ts"
import { bigMarket } from "./BigMarket.ts"
import { replacement } from "./KeyReplacement.ts"
import { kills } from "./Kills.ts"
import { matching } from "./Matching.ts"
import { memory } from "./Memory.ts"
import type { Options } from "./Options.ts"
import { overload } from "./Overload.ts"
import { recovery } from "./Recovery.ts"
import { type Row, say, table, tell, verdict } from "./Report.ts"
import { rest } from "./RestReads.ts"
import { signin } from "./SignIns.ts"
import { socket } from "./Sockets.ts"

const parts: Readonly<Record<string, (options: Options) => Promise<ReadonlyArray<Row>>>> = {
  matching,
  memory,
  recovery,
  socket,
  kills,
  big: bigMarket,
  overload,
  rest,
  bearer,
  signin,
  replacement
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    seconds: { type: "string" },
    operations: { type: "string" },
    overload: { type: "string" },
    kills: { type: "string" },
    shapes: { type: "string" },
    json: { type: "string" }
  }
})
const number = (given: string | undefined, usual: number, quick: number): number =>
  given === undefined ? (values.quick ? quick : usual) : Number(given)

const unknown = positionals.filter((part) => !(part in parts))
if (unknown.length > 0) {
  say(`there is no part ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}`)
  process.exit(2)
}

const options: Options = {
  parts: positionals.length > 0 ? positionals : Object.keys(parts),
  rounds: number(values.rounds, 5, 5),
  seconds: number(values.seconds, 3, 1),
  operations: number(values.operations, 1_000_000, 100_000),
  overloadSeconds: number(values.overload, 60, 10),
  kills: number(values.kills, 20, 3),
  shapes: values.shapes?.split(",") ?? [],
  folder: mkdtempSync(join(tmpdir(), "venue-bench-")),
  json: values.json ?? null
}
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

for (const part of options.parts) {
  say(`\n== ${part}`)
  try {
    const found = await parts[part]!(options)
    found.forEach(tell)
    rows.push(...found)
  } catch (error) {
    failures.push(part)
    say(`${part} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
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
