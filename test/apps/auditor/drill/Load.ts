/**
 * `npm run audit-load -- --minutes 60`: runs a venue at full load with an auditor, which must report no fault. `npm
 * run audit-load -- --strangers 1000 --seed 11`: runs it with requests from 1,000 unknown users and two users who
 * trade.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { connect } from "../../../bench/Database.ts"
import { makeFlow, writeFlow } from "../../../bench/Flow.ts"
import * as Load from "../../../bench/Load.ts"
import { figure, say } from "../../../bench/Report.ts"
import { watch } from "./AuditWatch.ts"
import * as Strangers from "./Strangers.ts"
import * as Trade from "./Trade.ts"
import { after, fund, startServer, startVenue } from "../../../bench/VenueProcess.ts"

const connections = 16
const inFlight = 16
/** Maximum duration of one load run, in seconds. */
const runSeconds = 60
const strangersAtOnce = 50

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    strangers: { type: "string", default: "0" },
    seed: { type: "string", default: "11" }
  }
})
const refuse = (problem: string): never => {
  say(problem)
  process.exit(2)
}
const [minutes, strangers, seed] = [values.minutes, values.strangers, values.seed].map(Number) as [
  number,
  number,
  number
]
if (!(minutes > 0 && minutes <= 1_440)) refuse("--minutes is a number above 0, and at most 1440")
if (!(Number.isInteger(strangers) && strangers >= 0)) refuse("--strangers is a whole number from 0 on")
if (!(Number.isInteger(seed) && seed >= 0)) refuse("--seed is a whole number from 0 on")

const folder = mkdtempSync(join(tmpdir(), "venue-audit-load-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130))

const server = await startServer(folder)
const traders = 2 * connections
const venue = await startVenue({
  folder,
  databaseUrl: server.url,
  traders,
  variables: { VENUE_AUDITOR: "on" }
})
await fund(venue, traders)
const database = await connect(server.url)
const flowFile = join(folder, "load.flow")
writeFlow(flowFile, makeFlow())
while ((await database.query("select 1 from venue_mode where audited_at is not null")).rows.length === 0)
  await after(100)
const { seen, stop } = watch(database)

let orders = 0
const refusals = new Map<string, number>()
const load = async (): Promise<void> => {
  const endsAt = performance.now() + minutes * 60_000
  while (seen.fault === null && performance.now() < endsAt) {
    const { ordersPerSecond, refused, unanswered, ...report } = await Load.run({
      url: venue.urls.trade,
      flowFile,
      keysFile: venue.devFile,
      connections,
      inFlight,
      seconds: Math.min(runSeconds, (endsAt - performance.now()) / 1_000),
      tag: Load.nextTag(),
      lotsPerFlowLot: Load.lotsPerFlowLot,
      clear: true,
      totals: false
    })
    orders += report.orders
    for (const [why, count] of Object.entries(refused)) refusals.set(why, (refusals.get(why) ?? 0) + count)
    say(
      `${figure(ordersPerSecond)} orders/s, p99 ${figure(report.p99Millis)} ms, ${unanswered} unanswered; ` +
        `${seen.audits} audits, the newest at most ${seen.oldest.toFixed(1)} s old, ${seen.fault ?? "no fault"}`
    )
  }
}

const strange = async (): Promise<void> => {
  const keys = venue.users.filter(({ name }) => name.startsWith("trader-")).slice(0, 2)
  const trade = await Trade.begin(
    venue.urls.trade,
    keys.map(({ public_key, secret_key }) => ({ publicKey: public_key, secretKey: secret_key }))
  )
  const state = { isOver: false }
  // Deleted rows leave space on old pages, which a vacuum frees for the rows of new users.
  await vacuums.query(
    "insert into journal (stream, seq, epoch, events) select 'gone', g, 1, '' from generate_series(1, 50000) g"
  )
  await after(20_000)
  await vacuums.query("delete from journal where stream = 'gone'")
  const vacuuming = (async () => {
    for (; !state.isOver; await after(500)) await vacuums.query("vacuum journal")
  })()
  const file = JSON.parse(readFileSync(venue.devFile, "utf8")) as Strangers.DevFile
  for (let come = 0; come < strangers && seen.fault === null; come += strangersAtOnce) {
    const part = Math.min(strangersAtOnce, strangers - come)
    Strangers.add(counts, await Strangers.come(file, { seed: seed + come, strangers: part, concurrency: 4 }))
    say(`${come + part} strangers, ${seen.audits} audits, ${seen.fault ?? "no fault"}`)
  }
  state.isOver = true
  await vacuuming
  trade.stop()
}
const vacuums = await connect(server.url)
const counts: Strangers.Counts = new Map()
await (strangers > 0 ? strange() : load())
await vacuums.end()
// Waits until the last actions are audited.
await after(10_000)
await stop()
const { rows } = await database.query<{ rows: string; trades: string }>(
  "select (select count(*) from journal) as rows, (select count(*) / 2 from trade) as trades"
)
await database.end()
const starts = readFileSync(join(venue.dataDir, "log"), "utf8").match(/auditor started/g)?.length ?? 0
await venue.stop()
await server.stop()

if (strangers > 0) say(`\nrequests of ${figure(strangers)} strangers:\n${Strangers.textOf(counts)}`)
else
  say(
    `\n${figure(orders)} orders in ${figure(minutes)} minutes, ${figure(Number(rows[0]!.rows))} rows of the journal, ${figure(Number(rows[0]!.trades))} trades` +
      (refusals.size === 0 ? "" : `; refused: ${JSON.stringify(Object.fromEntries(refusals))}`)
  )
say(
  `${seen.audits} audits; the newest was never older than ${seen.oldest.toFixed(1)} s; the auditor was started ${starts} times`
)
say(seen.fault === null ? "the auditor found no fault" : `FAULT: ${seen.fault}`)
process.exit(seen.fault === null && starts === 1 ? 0 : 1)
