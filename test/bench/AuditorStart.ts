/** Time from the start of the auditor to its first audit: over a whole journal, and from a checkpoint. */
import { startAuditor } from "./AuditorBeside.ts"
import { connect, type PostgresClient } from "./Database.ts"
import * as LongJournal from "./LongJournal.ts"
import type { Options } from "./Options.ts"
import { type Round, type Row, round, say } from "./Report.ts"
import { after, startServer } from "./VenueProcess.ts"

const users = 20_000
const mostMillis = 30 * 60_000

export const pass = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const written = await LongJournal.write(server.url, options.events, users)
  const database = await connect(server.url)
  const full: Array<Round> = []
  const continued: Array<Round> = []
  for (let index = 0; index < options.rounds; index++) {
    await database.query("delete from audit_checkpoint")
    full.push(await audited(server.url, database))
    continued.push(await audited(server.url, database))
    say(`  full pass ${full.at(-1)!.venue.toFixed(1)} s, from a checkpoint ${continued.at(-1)!.venue.toFixed(1)} s`)
  }
  const { rows } = await database.query<{ bytes: string }>("select bytes from audit_checkpoint")
  await database.end()
  await server.stop()
  const { bytes, events, trades } = written
  const count = (value: number): string => value.toLocaleString("en-US")
  const notes = [
    `${count(events)} events in ${count(written.rows)} rows of one market, ${count(bytes)} bytes; ${count(trades)} trades; ${count(users)} users`,
    `the checkpoint has ${count(Number(rows[0]?.bytes))} bytes`
  ]
  return [
    {
      name: "the auditor's first audit, reading the whole journal",
      unit: "seconds from the start of the process",
      anchor: "one second",
      rounds: full,
      goal: { better: "lower", solid: 300, aim: 120 },
      notes
    },
    {
      name: "the auditor's first audit, from a checkpoint",
      unit: "seconds from the start of the process",
      anchor: "one second",
      rounds: continued,
      goal: { better: "lower", solid: 10, aim: 2 },
      notes: []
    }
  ]
}

/** Starts an auditor, and stops it once its audit and its checkpoint are stored. */
const audited = async (url: string, database: PostgresClient): Promise<Round> => {
  await database.query("update venue_mode set audited_at = null, fault = null")
  await database.query("update audit_checkpoint set saved_at = 'epoch'")
  const startedAt = performance.now()
  const auditor = await startAuditor(url)
  const first = await until(database, "select fault from venue_mode where audited_at is not null", startedAt)
  const seconds = (performance.now() - startedAt) / 1_000
  await until(database, "select null as fault from audit_checkpoint where saved_at > 'epoch'", startedAt)
  await auditor.stop()
  return first === null ? round(seconds, 1) : { ...round(seconds, 1), void: first }
}

/** Repeats the query until it returns a row. Returns the row's fault. */
const until = async (database: PostgresClient, query: string, startedAt: number): Promise<string | null> => {
  for (;;) {
    const { rows } = await database.query<{ fault: string | null }>(query)
    if (rows.length > 0) return rows[0]!.fault
    if (performance.now() - startedAt > mostMillis) throw new Error("the auditor did not finish an audit in 30 minutes")
    await after(20)
  }
}
