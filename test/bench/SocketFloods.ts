/**
 * Traders at a steady rate while four sockets from one IP address flood a listener with frames, compared with the
 * same traders without a flood.
 */
import type { Checkout } from "./Checkout.ts"
import { alternated, both, type Found, type Pair, row } from "./Comparison.ts"
import { kinds, type FloodKind } from "./FloodFrames.ts"
import type { FrameFlood, FrameFloodReport } from "./FrameFlood.ts"
import type { Options } from "./Options.ts"
import type { OrderProbePlace, OrderProbeReport } from "./OrderProbe.ts"
import { figure, type Goal, type Round, type Row, round, say } from "./Report.ts"
import { settled, startServer, startVenue, startVenues, type Venue } from "./VenueProcess.ts"
import * as Worker from "./Worker.ts"

const traders = 8
const sockets = 4
const goal: Goal = { better: "lower", solid: 5, aim: 1.5 }
/** A flood starts this long before the measured trading, and stops this long after it. */
const marginSeconds = 0.5

interface Siege {
  readonly kind: FloodKind
  readonly listener: "trade" | "market_data"
}

const sieges = (["trade", "market_data"] as const).flatMap((listener) =>
  kinds.map((kind): Siege => ({ kind, listener }))
)
const rowName = ({ kind, listener }: Siege): string => `flood, p99 of orders beside ${kind} to ${listener}`
const calmName = "flood, p99 of orders in peace"

interface Bench {
  readonly venue: Venue
  readonly probe: Worker.Worker
  readonly flood: Worker.Worker
}

export const flood = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders, rateLimits: true })
  const bench = await begin(venue)
  const rounds = sieges.map(() => new Array<Round>())
  const notes = sieges.map(() => new Array<string>())
  // Round 0 only warms up all processes.
  for (let index = 0; index <= options.rounds; index++) {
    const calm = await inPeace(bench, options.seconds)
    for (const [place, siege] of sieges.entries()) {
      const besieged = await beside(bench, siege, options.seconds, addressOf(index, place))
      const note = `${index === 0 ? "warm-up" : `round ${index}`}: ${told(besieged)}; in peace ${figures(calm)}`
      say(`  ${rowName(siege)}, ${note}`)
      if (index === 0) continue
      const one = round(besieged.orders.p99Millis, calm.p99Millis)
      const problem = problemOf(calm) ?? absenceOf(besieged)
      rounds[place]!.push(problem === undefined ? one : { ...one, void: problem })
      notes[place]!.push(note)
    }
  }
  await end(bench)
  await venue.stop()
  await server.stop()
  return sieges.map((siege, place) => ({
    name: rowName(siege),
    unit: "ms",
    anchor: "the same in peace",
    rounds: rounds[place]!,
    goal,
    notes: notes[place]!
  }))
}

export const compared = async (options: Options, checkouts: Pair<Checkout>): Promise<ReadonlyArray<Row>> => {
  const { close, venues } = await startVenues(options.folder, checkouts, traders, true)
  const benches = await both(venues, begin)
  const found = await alternated(options.rounds, async (side, index): Promise<ReadonlyArray<Found>> => {
    const calm = await inPeace(benches[side], options.seconds)
    say(`  round ${index}, ${checkouts[side].name}: in peace ${figures(calm)}`)
    const reports = [{ figure: calm.p99Millis, void: problemOf(calm) }]
    for (const [place, siege] of sieges.entries()) {
      const besieged = await beside(benches[side], siege, options.seconds, addressOf(index, place))
      say(`  round ${index}, ${checkouts[side].name}: ${siege.kind} to ${siege.listener}: ${told(besieged)}`)
      reports.push({ figure: besieged.orders.p99Millis, void: absenceOf(besieged) })
    }
    return reports
  })
  await both(benches, end)
  await close()
  return [calmName, ...sieges.map(rowName)].map((name, place) =>
    row(
      { name, unit: "ms", better: "lower", against: checkouts.theirs.name },
      found.map(({ ours, theirs }) => ({ ours: ours[place]!, theirs: theirs[place]! }))
    )
  )
}

const begin = async (venue: Venue): Promise<Bench> => {
  const keys = venue.users
    .filter(({ name }) => name.startsWith("trader-"))
    .map((user) => ({ publicKey: user.public_key, secretKey: user.secret_key }))
  const place: OrderProbePlace = { url: venue.urls.trade, keys }
  const bench: Bench = {
    venue,
    probe: Worker.start("OrderProbe.ts", [JSON.stringify(place)]),
    flood: Worker.start("FrameFlood.ts", [])
  }
  await Promise.all([bench.probe.hear(), bench.flood.hear()])
  return bench
}

const end = async ({ flood, probe }: Bench): Promise<void> => {
  await Promise.all([flood.stop(), probe.stop()])
}

/** Returns a new IP address for each flood, so that one flood's rate limit does not affect the next. */
const addressOf = (index: number, place: number): string => `127.0.${index}.${2 + place}`

const inPeace = async ({ probe, venue }: Bench, seconds: number): Promise<OrderProbeReport> => {
  await settled(venue, null)
  return probe.ask<OrderProbeReport>(String(seconds))
}

interface Besieged {
  readonly orders: OrderProbeReport
  readonly frames: FrameFloodReport
}

const beside = async (
  { flood, probe, venue }: Bench,
  { kind, listener }: Siege,
  seconds: number,
  address: string
): Promise<Besieged> => {
  await settled(venue, null)
  const wave: FrameFlood = {
    kind,
    port: Number(new URL(venue.urls[listener]).port),
    address,
    sockets,
    seconds: seconds + 2 * marginSeconds
  }
  await flood.ask(JSON.stringify(wave))
  await new Promise((resolve) => setTimeout(resolve, marginSeconds * 1000))
  const orders = await probe.ask<OrderProbeReport>(String(seconds))
  return { orders, frames: await flood.hear<FrameFloodReport>() }
}

/** Returns why the round without a flood is void: without a flood, every command must succeed. */
const problemOf = (calm: OrderProbeReport): string | undefined => {
  const failures = failuresOf(calm)
  return failures === "" ? undefined : `in peace${failures}`
}

/** Returns a problem if the flood opened no socket. The listener is allowed to stop a flood that has started. */
const absenceOf = ({ frames }: Besieged): string | undefined =>
  frames.opened === 0 ? "no socket of the flood was let in" : undefined

const failuresOf = ({ refused, unanswered }: OrderProbeReport): string => {
  const refusals = Object.entries(refused).map(([status, count]) => `, ${count} x ${status}`)
  return `${refusals.join("")}${unanswered === 0 ? "" : `, ${unanswered} never answered`}`
}

const told = ({ frames, orders }: Besieged): string =>
  `${figures(orders)}; ${figure(frames.framesPerSecond)} frames/s taken, ${frames.opened} upgrades, ` +
  `${frames.refused} refused, ${frames.cut} cut off`

const figures = (report: OrderProbeReport): string =>
  `p50 ${figure(report.p50Millis)} p99 ${figure(report.p99Millis)} worst ${figure(report.worstMillis)} ms` +
  failuresOf(report)
