/** `npm run audit-load -- --minutes 60`: a venue under all the load that it takes, and an auditor that must find nothing. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { connect, type PostgresClient } from "../../../bench/Database.ts"
import { makeFlow, writeFlow } from "../../../bench/Flow.ts"
import * as Load from "../../../bench/Load.ts"
import { figure, say } from "../../../bench/Report.ts"
import { after, fund, startServer, startVenue } from "../../../bench/VenueProcess.ts"

const connections = 16
const inFlight = 16
/** Of one run of the load; its flow is longer. */
const runSeconds = 60

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" } } })
const minutes = Number(values.minutes)
if (!(minutes > 0 && minutes <= 1_440)) {
  say("--minutes is a number above 0, and at most 1440")
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), "venue-audit-load-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130))

interface Seen {
  isOver: boolean
  audits: number
  /** The longest that the newest audit was old, in seconds. */
  oldest: number
  fault: string | null
}

/** Looks ten times a second, until it is told to stop. */
const watch = (database: PostgresClient): { readonly seen: Seen; readonly stop: () => Promise<void> } => {
  const seen: Seen = { isOver: false, audits: 0, oldest: 0, fault: null }
  let last = ""
  const looking = (async () => {
    while (!seen.isOver) {
      const { rows } = await database.query<{ at: string | null; age: number | null; said: string | null }>(`
        select audited_at::text as at, extract(epoch from clock_timestamp() - audited_at)::float8 as age,
          coalesce(fault, case when trading <> 'TRADING' then reason end) as said
        from venue_mode`)
      const { age, at, said } = rows[0]!
      if (at !== null && at !== last) {
        last = at
        seen.audits++
      }
      seen.oldest = Math.max(seen.oldest, age ?? 0)
      seen.fault ??= said
      await after(100)
    }
  })()
  return {
    seen,
    stop: () => {
      seen.isOver = true
      return looking
    }
  }
}

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
// What was done last is audited too.
await after(10_000)
await stop()
const { rows } = await database.query<{ rows: string; trades: string }>(
  "select (select count(*) from journal) as rows, (select count(*) / 2 from trade) as trades"
)
await database.end()
const starts = readFileSync(join(venue.dataDir, "log"), "utf8").match(/auditor started/g)?.length ?? 0
await venue.stop()
await server.stop()

say(
  `\n${figure(orders)} orders in ${figure(minutes)} minutes, ${figure(Number(rows[0]!.rows))} rows of the journal, ${figure(Number(rows[0]!.trades))} trades` +
    (refusals.size === 0 ? "" : `; refused: ${JSON.stringify(Object.fromEntries(refusals))}`)
)
say(
  `${seen.audits} audits; the newest was never older than ${seen.oldest.toFixed(1)} s; the auditor was started ${starts} times`
)
say(seen.fault === null ? "it found no fault" : `IT FOUND: ${seen.fault}`)
process.exit(seen.fault === null && starts === 1 ? 0 : 1)
