/**
 * Legitimate users' sign-ins during a flood of thousands of invalid signatures per second, compared with sign-ins
 * without a flood.
 */
import { readFileSync } from "node:fs"
import { connect, type PostgresClient } from "./Database.ts"
import type { Options } from "./Options.ts"
import { figure, type Goal, type Round, type Row, round, say } from "./Report.ts"
import type { Flood, FloodReport } from "./SignatureFlood.ts"
import type { SignInReport } from "./SignInClient.ts"
import type { Place } from "./SignInMessages.ts"
import { cpuSeconds, settled, startServer, startVenue, type Venue } from "./VenueProcess.ts"
import * as Worker from "./Worker.ts"

/** Source of the invalid sign-ins. */
interface Siege {
  readonly from: string
  readonly connections: number
  /**
   * IP addresses for one round. Each round needs new ones, because rate limits remember the earlier rounds'
   * addresses.
   */
  readonly addresses: (index: number) => ReadonlyArray<string>
  readonly maxSeconds: number
  readonly goal: Goal | null
}

const badPerSecond = 5_000
const many = 2_000
const sieges: ReadonlyArray<Siege> = [
  {
    from: "one address",
    connections: 64,
    addresses: () => ["127.2.0.1"],
    maxSeconds: Infinity,
    goal: { better: "lower", solid: 5, aim: 1.2 }
  },
  {
    from: `${figure(many)} addresses`,
    connections: many,
    addresses: (index) => Array.from({ length: many }, (_, n) => `127.${16 + index}.${n >> 8}.${n & 255}`),
    // Each IP address reaches its rate limit after 30 attempts, so all of them have reached it after 12 s.
    maxSeconds: 5,
    goal: null
  }
]

/**
 * Multiplier for a round's duration. With only 300 sign-ins, the p99 would be the third-slowest sign-in, which a
 * single stall could determine.
 */
const longer = 10
/** The flood runs for this time before the legitimate users start. */
const leadSeconds = 1
/** Maximum time in which the legitimate users prepare. The flood lasts longer by this time. */
const preparationSeconds = 1

interface Bench {
  readonly venue: Venue
  readonly database: PostgresClient
  readonly users: Worker.Worker
  readonly flood: Worker.Worker
}

export const signin = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders: 0, rateLimits: true })
  const database = await connect(server.url)
  const place = JSON.stringify(placeOf(venue))
  const users = Worker.start("SignInClient.ts", [place])
  const flood = Worker.start("SignatureFlood.ts", [place])
  await Promise.all([users.hear(), flood.hear()])
  const bench: Bench = { venue, database, users, flood }
  const seconds = longer * options.seconds
  const found = sieges.map((siege) => ({ siege, rounds: new Array<Round>(), notes: new Array<string>() }))
  // Round 0 only warms up all processes and creates the users.
  for (let index = 0; index <= options.rounds; index++) {
    await settled(venue, database)
    const alone = await users.ask<SignInReport>(String(seconds))
    for (const { notes, rounds, siege } of found) {
      const besieged = await beside(bench, siege, Math.min(seconds, siege.maxSeconds), index)
      const note = `${index === 0 ? "warm-up" : `round ${index}`}: ${told(besieged)}; in peace ${figures(alone)}`
      say(`  ${siege.from}, ${note}`)
      if (index === 0) continue
      rounds.push(judged(siege, besieged, alone))
      notes.push(note)
    }
  }
  await Promise.all([users.stop(), flood.stop(), database.end()])
  await venue.stop()
  await server.stop()
  return found.map(({ notes, rounds, siege: { from, goal } }) => ({
    name: `sign-in, p99 beside ${figure(badPerSecond)} bad signatures/s from ${from}`,
    unit: "ms",
    anchor: "the same in peace",
    rounds,
    goal,
    notes
  }))
}

export const placeOf = ({ devFile, urls }: Venue): Place => {
  const told = JSON.parse(readFileSync(devFile, "utf8")) as Readonly<
    Record<"auth_client_key" | "service_name" | "sign_in_uri", string>
  >
  return {
    port: Number(new URL(urls.auth).port),
    clientKey: told.auth_client_key,
    serviceName: told.service_name,
    uri: told.sign_in_uri
  }
}

interface Besieged {
  readonly good: SignInReport
  readonly bad: FloodReport
  /** The venue's CPU time during the flood, as a fraction of one core. */
  readonly venueCpu: number
}

const beside = async (
  { database, flood, users, venue }: Bench,
  { addresses, connections }: Siege,
  seconds: number,
  index: number
): Promise<Besieged> => {
  await settled(venue, database)
  const wave: Flood = {
    perSecond: badPerSecond,
    seconds: leadSeconds + preparationSeconds + seconds,
    connections,
    addresses: addresses(index)
  }
  await flood.ask(JSON.stringify(wave))
  await new Promise((resolve) => setTimeout(resolve, leadSeconds * 1000))
  const startedAt = performance.now()
  const before = cpuSeconds(venue.pid)
  const good = await users.ask<SignInReport>(String(seconds))
  const venueCpu = ((cpuSeconds(venue.pid) - before) * 1000) / (performance.now() - startedAt)
  return { good, bad: await flood.hear<FloodReport>(), venueCpu }
}

const judged = ({ goal }: Siege, { bad, good }: Besieged, alone: SignInReport): Round => {
  const problems: Array<string> = []
  if (bad.statuses["200"] !== undefined) problems.push(`${bad.statuses["200"]} bad signatures were taken for good`)
  if (!allIn(alone)) problems.push(`sign-ins in peace: ${counts(alone.statuses)}`)
  // A row without a goal reports its outcome, so failed sign-ins do not void it.
  if (goal !== null && !allIn(good)) problems.push(`sign-ins: ${counts(good.statuses)}`)
  if (goal !== null && bad.sentPerSecond < 0.99 * badPerSecond) problems.push(`${figure(bad.sentPerSecond)}/s sent`)
  const found = round(good.p99Millis, alone.p99Millis)
  return problems.length === 0 ? found : { ...found, void: problems.join(", ") }
}

const allIn = ({ signIns, statuses }: SignInReport): boolean => statuses["200"] === signIns

const told = ({ bad, good, venueCpu }: Besieged): string =>
  `${figures(good)}, ${counts(good.statuses)}; bad ${figure(bad.sentPerSecond)}/s sent, ` +
  `${figure(bad.answeredPerSecond)}/s answered, ${counts(bad.statuses)}, ${bad.unanswered} not within 3 s, ` +
  `${bad.heldBack} held back by full sockets, venue at ${figure(100 * venueCpu)} % of a core`

const figures = ({ p50Millis, p99Millis, worstMillis }: SignInReport): string =>
  `p50 ${figure(p50Millis)} p99 ${figure(p99Millis)} worst ${figure(worstMillis)} ms`

const counts = (statuses: Readonly<Record<string, number>>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} x ${status}`)
    .join(", ")
