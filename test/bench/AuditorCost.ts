/**
 * The auditor's cost on a venue at half its capacity: lost order throughput, and the auditor's CPU time as a fraction
 * of one core.
 */
import { type AuditorBeside, startAuditor } from "./AuditorBeside.ts"
import { connect, type PostgresClient } from "./Database.ts"
import type { FloodOptions, FloodReport, FloodStarted } from "./FloodClient.ts"
import type { Options } from "./Options.ts"
import { figure, type Round, type Row, round, say } from "./Report.ts"
import { after, cpuSeconds, fund, settled, startServer, startVenue, type Venue } from "./VenueProcess.ts"
import * as Worker from "./Worker.ts"

const connections = 32
/** Multiplier for a round's duration. Audits run about once a second, and a round needs several of them. */
const times = 6

export const auditor = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders: connections })
  await fund(venue, connections)
  const database = await connect(server.url)
  const tries: Array<number> = []
  for (let i = 0; i < 3; i++) tries.push((await flood(venue, { window: 16 }, 2 * options.seconds)).answeredPerSecond)
  const peak = Math.max(...tries)
  const rate = peak / 2
  const seconds = times * options.seconds
  say(`its peak is ${figure(peak)} orders/s; ${figure(rate)} are offered, for ${seconds} s each time`)
  const orders: Array<Round> = []
  const shares: Array<Round> = []
  const notes: Array<string> = []
  for (let index = 0; index <= options.rounds; index++) {
    // Alternates which measurement runs first, so that going first favours neither.
    const isFirst = index % 2 === 1
    const alone = isFirst ? undefined : await flood(venue, { rate }, seconds)
    const { fault, report, share } = await audited(venue, database, server.url, rate, seconds)
    const other = alone ?? (await flood(venue, { rate }, seconds))
    // Round 0 only warms up the processes.
    if (index === 0) continue
    const spoilt = fault ?? spoiltBy(report) ?? spoiltBy(other)
    const counted = (one: Round): Round => (spoilt === undefined ? one : { ...one, void: spoilt })
    orders.push(counted(round(report.answeredPerSecond, other.answeredPerSecond)))
    shares.push(counted(round(share, 1)))
    const p99 = `p99 ${figure(report.p99Millis)} / ${figure(other.p99Millis)} ms`
    notes.push(`round ${index}: ${p99}; answers ${JSON.stringify(report.answers)} / ${JSON.stringify(other.answers)}`)
    say(`  ${notes.at(-1)}; auditor ${(100 * share).toFixed(1)} % of a core`)
  }
  await database.end()
  await venue.stop()
  await server.stop()
  return [
    {
      name: "orders beside the auditor, half of the venue's peak offered",
      unit: "orders acknowledged in a second",
      anchor: "the same without it",
      rounds: orders,
      goal: { better: "higher", solid: 0.98, aim: 0.99 },
      notes: [`${figure(rate)} orders/s offered over ${connections} connections, each of them traded`, ...notes]
    },
    {
      name: "the auditor's share of a core meanwhile",
      unit: "CPU seconds in a second",
      anchor: "one core",
      rounds: shares,
      goal: { better: "lower", solid: 0.15, aim: 0.05 },
      notes: []
    }
  ]
}

/** Runs a load with an auditor that has already processed the existing rows, so that only new rows cost CPU time. */
const audited = async (venue: Venue, database: PostgresClient, url: string, rate: number, seconds: number) => {
  await settled(venue, database)
  const beside = await startAuditor(url)
  const before = await auditsOf(database)
  await heard(database, before)
  let share = NaN
  const report = await flood(venue, { rate }, seconds, () => {
    void shareOf(beside, seconds).then((found) => (share = found))
  })
  const { fault, trading } = await modeOf(database)
  await beside.stop()
  const said = fault ?? (trading === "TRADING" ? undefined : `the venue is ${trading}`)
  return { report, share, fault: said }
}

/** Returns the CPU time of all the auditor's threads, divided by the load's duration. */
const shareOf = async ({ pid }: AuditorBeside, seconds: number): Promise<number> => {
  const startedAt = performance.now()
  const used = cpuSeconds(pid)
  await after(seconds * 1_000)
  return ((cpuSeconds(pid) - used) * 1_000) / (performance.now() - startedAt)
}

const modeOf = async (database: PostgresClient) => {
  const { rows } = await database.query<{ fault: string | null; trading: string }>(
    "select fault, trading from venue_mode"
  )
  return rows[0]!
}

const auditsOf = async (database: PostgresClient): Promise<number> => {
  const { rows } = await database.query<{ at: string }>(
    "select coalesce(extract(epoch from audited_at), 0) as at from venue_mode"
  )
  return Number(rows[0]!.at)
}

/** Resolves when two more audits have finished. */
const heard = async (database: PostgresClient, before: number): Promise<void> => {
  const givenUpAt = performance.now() + 120_000
  const seen = new Set<number>()
  while (seen.size < 2) {
    const at = await auditsOf(database)
    if (at > before) seen.add(at)
    if (performance.now() > givenUpAt) throw new Error("the auditor did not finish an audit in two minutes")
    await after(100)
  }
}

const spoiltBy = ({ answers, closed, heldBack, unanswered }: FloodReport): string | undefined => {
  const { ACK: _, ...others } = answers
  if (Object.keys(others).length > 0) return `orders were refused: ${JSON.stringify(others)}`
  return closed + heldBack + unanswered > 0
    ? `${closed} connections closed, ${heldBack} orders held back, ${unanswered} unanswered`
    : undefined
}

let floods = 0

const flood = async (
  venue: Venue,
  pace: Partial<Pick<FloodOptions, "rate" | "window">>,
  seconds: number,
  started: () => void = () => {}
): Promise<FloodReport> => {
  const options: FloodOptions = {
    url: venue.urls.trade,
    keysFile: venue.devFile,
    connections,
    frozen: 0,
    seconds,
    rate: 0,
    window: 1,
    trades: true,
    tag: `a${++floods}-`,
    ...pace
  }
  const client = Worker.start("FloodClient.ts", [JSON.stringify(options)], { flags: ["--max-semi-space-size=32"] })
  for (;;) {
    const message = await client.hear<FloodStarted | FloodReport>()
    if (message.event === "Started") started()
    else return message
  }
}
