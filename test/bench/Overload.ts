/**
 * A load of three times the venue's capacity, with some clients that stop reading. The venue must bound its memory,
 * refuse commands with a clear error, and recover quickly.
 */
import { connect } from "./Database.ts"
import type { FloodOptions, FloodReport } from "./FloodClient.ts"
import type { Options } from "./Options.ts"
import { figure, type Round, type Row, round, say } from "./Report.ts"
import { residentBytes, settled, startServer, startVenue, type Venue } from "./VenueProcess.ts"
import * as Worker from "./Worker.ts"

const connections = 200
/** Percentage of connections that never read. */
const frozen = 2
const times = 3
/**
 * Fraction of the maximum rate for ordinary load. The maximum needs many commands per flush; single commands cost
 * about four times as much.
 */
const ordinary = 0.1
const normalAgainSeconds = 30
const limitBytes = 1024 ** 3

export const overload = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders: connections })
  const database = await connect(server.url)
  // Tries several times, because code that is not yet optimised would show too low a capacity.
  const tries: Array<number> = []
  for (let i = 0; i < 3; i++) {
    tries.push((await flood(venue, { rate: 0, window: 16, seconds: 2 * options.seconds })).answeredPerSecond)
  }
  const capacity = Math.max(...tries)
  await settled(venue, database)
  const usual = { rate: ordinary * capacity, seconds: options.seconds }
  say(`it takes ${figure(capacity)} commands/s; ordinary is ${figure(usual.rate)}`)
  const rows = [...(await drowned(options, venue, capacity, usual))]
  const long = { ...usual, seconds: collected * options.seconds }
  rows.push(await slowReaders(options, () => settled(venue, database), venue, long))
  await database.end()
  await venue.stop()
  await server.stop()
  return rows
}

type Pace = Pick<FloodOptions, "rate" | "seconds">

async function drowned(options: Options, venue: Venue, capacity: number, usual: Pace): Promise<ReadonlyArray<Row>> {
  const before = await flood(venue, usual)
  const atRest = residentBytes(venue.pid)
  let peak = 0
  const watch = setInterval(() => (peak = Math.max(peak, residentBytes(venue.pid))), 100)
  const wave = await flood(venue, { rate: times * capacity, seconds: options.overloadSeconds })
  const endedAt = performance.now()
  say(`the wave is over: ${mebibytes(residentBytes(venue.pid))} resident`)
  const probes: Array<string> = []
  let seconds: number
  for (;;) {
    const probe = await flood(venue, { ...usual, seconds: 1 })
    // Subtracts the probe's own 3 s: after its second of sending, it waits for late responses.
    seconds = (performance.now() - endedAt) / 1000 - 3
    probes.push(figure(probe.p99Millis))
    if (probe.p99Millis <= 2 * before.p99Millis || seconds > 2 * normalAgainSeconds) break
  }
  clearInterval(watch)
  const back = round(Math.max(0, seconds), normalAgainSeconds)
  const done = (wave.answers["ACK"] ?? 0) + (wave.answers["CANCELLED"] ?? 0)
  const overloaded = done < (options.overloadSeconds * wave.sentPerSecond) / 2 || wave.heldBack > done
  const notes = [
    `${figure(wave.sentPerSecond)} commands/s sent for ${options.overloadSeconds} s, ${figure(wave.answeredPerSecond)} answered, ${figure(wave.heldBack)} held back by full sockets, ${wave.unanswered} unanswered 3 s after the end, ${wave.closed} connections closed`,
    `answers: ${JSON.stringify(wave.answers)}; p99 ${figure(wave.p99Millis)} ms`,
    `p99 before ${figure(before.p99Millis)} ms; of each second after: ${probes.join(", ")} ms`,
    `resident ${mebibytes(atRest)} before, ${mebibytes(peak)} at the highest`
  ]
  return [
    {
      name: `latency normal again after ${options.overloadSeconds} s of ${times}x load`,
      unit: "s until p99 is at most twice what it was",
      anchor: "30 s",
      rounds: [overloaded ? back : { ...back, void: "it took all that was sent" }],
      goal: { better: "lower", solid: 1, aim: 1 },
      notes
    },
    {
      name: `memory under ${times}x load`,
      unit: "bytes resident at the highest",
      anchor: "1 GiB",
      rounds: [round(peak, limitBytes)],
      goal: { better: "lower", solid: 1, aim: 1 },
      notes: []
    }
  ]
}

/** Number of garbage collections per turn. A full collection every few seconds determines the p99. */
const collected = 4

/** Runs each load only after the venue has finished the previous load's work. */
async function slowReaders(options: Options, settle: () => Promise<unknown>, venue: Venue, usual: Pace): Promise<Row> {
  const rounds: Array<Round> = []
  const notes: Array<string> = []
  for (let index = 0; index <= options.rounds; index++) {
    await settle()
    const beside = await flood(venue, { ...usual, frozen })
    await settle()
    const alone = await flood(venue, usual)
    if (index === 0) continue
    rounds.push(round(beside.p99Millis, alone.p99Millis))
    notes.push(
      `round ${index}: p50 ${figure(beside.p50Millis)} / ${figure(alone.p50Millis)} ms; ${beside.frozenClosed} of ${frozen} frozen closed`
    )
  }
  return {
    name: "p99 of the others beside 1 % frozen readers",
    unit: "ms",
    anchor: "the same load without them",
    rounds,
    goal: { better: "lower", solid: 1.5, aim: 1.1 },
    notes
  }
}

let floods = 0

const flood = async (venue: Venue, options: Partial<FloodOptions>): Promise<FloodReport> => {
  const full: FloodOptions = {
    url: venue.urls.trade,
    keysFile: venue.devFile,
    connections,
    frozen: 0,
    seconds: 1,
    rate: 0,
    window: 1,
    trades: false,
    tag: `f${++floods}-`,
    ...options
  }
  const client = Worker.start("FloodClient.ts", [JSON.stringify(full)], { flags: ["--max-semi-space-size=32"] })
  return client.hear<FloodReport>(({ event }) => event === "Finished")
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`
