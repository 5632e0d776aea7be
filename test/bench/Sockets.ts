/**
 * Durably acknowledged orders over the public WebSocket: the venue in one process, compared with the plain reference
 * server `Anchor.ts`.
 */
import { deepStrictEqual } from "node:assert"
import { join } from "node:path"
import { connect, type PostgresClient } from "./Database.ts"
import type { Checkout } from "./Checkout.ts"
import { alternated, both, type Found, type Pair, row as comparedRow } from "./Comparison.ts"
import * as Floor from "./Floor.ts"
import { makeFlow, type Totals, writeFlow } from "./Flow.ts"
import * as Load from "./Load.ts"
import type { LoadOptions, LoadReport } from "./LoadClient.ts"
import type { Options } from "./Options.ts"
import * as Recorded from "./Recorded.ts"
import { figure, type Goal, type Round, type Row, round, say } from "./Report.ts"
import { fund, type Server, settled, startServer, startVenue, startVenues, type Venue } from "./VenueProcess.ts"
import * as Worker from "./Worker.ts"

interface Shape {
  readonly connections: number
  readonly inFlight: number
  readonly figure: "rate" | "p99" | "p50 against the floor"
  readonly goal: Goal
}

const throughput: Goal = { better: "higher", solid: 0.4, aim: 0.75 }
const shapes: ReadonlyArray<Shape> = [
  { connections: 16, inFlight: 16, figure: "rate", goal: throughput },
  { connections: 128, inFlight: 1, figure: "rate", goal: throughput },
  { connections: 2000, inFlight: 1, figure: "rate", goal: throughput },
  { connections: 16, inFlight: 1, figure: "p99", goal: { better: "lower", solid: 2, aim: 1.2 } },
  { connections: 1, inFlight: 1, figure: "p50 against the floor", goal: { better: "lower", solid: 3, aim: 1.6 } }
]

interface Bench {
  readonly options: Options
  readonly venue: Venue
  readonly database: PostgresClient
  readonly anchorDatabase: PostgresClient
  readonly anchorPort: number
}

/**
 * Runs each shape with a separate database server, venue and reference server, so that one shape does not affect the
 * next.
 */
export const socket = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const wanted = wantedOf(options)
  const rows: Array<Row> = []
  for (const shape of wanted) {
    const server = await startServer(options.folder)
    const traders = 2 * shape.connections
    const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders })
    await fund(venue, 32)
    const anchor = Worker.start("Anchor.ts", [server.anchorUrl, "0"], { flags: ["--max-old-space-size=4096"] })
    const { port } = await anchor.hear<{ readonly port: number }>()
    const bench: Bench = { options, venue, ...(await databases(server)), anchorPort: port }
    if (shape === wanted[0]) await exact(bench)
    rows.push(await measure(bench, shape))
    await anchor.stop()
    await venue.stop()
    await Promise.all([bench.database.end(), bench.anchorDatabase.end()])
    await server.stop()
  }
  return rows
}

const wantedOf = ({ shapes: names }: Options): ReadonlyArray<Shape> =>
  shapes.filter((shape) => names.length === 0 || names.includes(nameOf(shape)))

const nameOf = ({ connections, inFlight }: Shape): string => `${connections}x${inFlight}`

async function databases(server: Server): Promise<Pick<Bench, "database" | "anchorDatabase">> {
  return { database: await connect(server.url), anchorDatabase: await connect(server.anchorUrl) }
}

/**
 * Sends the benchmark flow in exact order, with one connection for makers and one for takers. The fills must match
 * the control totals.
 */
async function exact(bench: Bench): Promise<void> {
  const flow = makeFlow(3_000, 500)
  const flowFile = join(bench.options.folder, "exact.bin")
  writeFlow(flowFile, flow)
  const { report } = await onVenue(bench, {
    ...terms(bench.options, bench.venue, flowFile, { connections: 1, inFlight: 8 }),
    seconds: 120,
    totals: true
  })
  const expected: Pick<Totals, "trades" | "volume" | "notional" | "resting"> = {
    trades: flow.totals.trades,
    volume: flow.totals.volume,
    notional: flow.totals.notional,
    resting: flow.totals.resting
  }
  deepStrictEqual(report.totals, expected, "the flow over one connection does not add up to its control totals")
  say(`control totals at one connection: ${JSON.stringify(report.totals)}`)
}

async function measure(bench: Bench, shape: Shape): Promise<Row> {
  const { options } = bench
  const once = terms(options, bench.venue, flowOf(options, shape), shape)
  const notes: Array<string> = []
  const rounds: Array<Round> = []
  say(`${nameOf(shape)}:`)
  // Round 0 takes twice as long and is excluded, because it only warms up both servers.
  for (let index = 0; index <= options.rounds; index++) {
    const load = index === 0 ? { ...once, seconds: 2 * once.seconds } : once
    const { problem, report, waited } = await onVenue(bench, load)
    const anchor = await baseline(bench, shape, load)
    const found = compare(shape, report, anchor)
    const note = `${index === 0 ? "warm-up" : `round ${index}`}: venue ${figures(report)}, at rest after ${waited.toFixed(1)} s; ${"orders" in anchor ? `anchor ${figures(anchor)}` : floorText(anchor)}`
    say(`  ${note}`)
    if (index === 0) continue
    rounds.push(problem === undefined ? found : { ...found, void: problem })
    notes.push(note)
  }
  return {
    name: `socket, ${nameOf(shape)}, ${shape.figure}`,
    unit: unitOf(shape),
    anchor: shape.connections === 1 ? "socket echo + one commit" : "plain Node, one journal row per batch",
    rounds,
    goal: shape.goal,
    notes
  }
}

const baseline = async (bench: Bench, shape: Shape, once: LoadOptions): Promise<LoadReport | Floor.Floor> => {
  await bench.anchorDatabase.query("checkpoint")
  if (shape.figure === "p50 against the floor") return Floor.measure(bench.anchorDatabase, bench.options.seconds)
  return Load.run({ ...once, url: `ws://127.0.0.1:${bench.anchorPort}`, keysFile: null, tag: Load.nextTag() })
}

function compare(shape: Shape, venue: LoadReport, anchor: LoadReport | Floor.Floor): Round {
  const against = "orders" in anchor ? figureOf(shape, anchor) : anchor.echoMillis + anchor.commitMillis
  return round(figureOf(shape, venue), against)
}

interface VenueRound {
  readonly report: LoadReport
  /** Seconds until the venue finished its deferred work. */
  readonly waited: number
  readonly problem: string | undefined
}

/** Runs a load on the venue and the checks that a valid round must pass. */
async function onVenue({ database, venue }: Bench, options: LoadOptions): Promise<VenueRound> {
  const tag = Load.nextTag()
  await database.query("checkpoint")
  const head = await Recorded.headOf(database)
  const report = await Load.run({ ...options, tag })
  const recorded = await Recorded.since(database, head, tag)
  const waited = await settled(venue, database)
  const { accepted } = report
  const problem =
    problemOf(report) ??
    (recorded.accepted.count !== accepted.count || recorded.accepted.sum !== accepted.sum
      ? `acknowledged ${JSON.stringify(accepted)}, recorded ${JSON.stringify(recorded.accepted)}`
      : recorded.cancelled < report.cancelled.count
        ? `${report.cancelled.count} cancels acknowledged, ${recorded.cancelled} recorded`
        : await imbalanceOf(venue))
  return { report, waited, problem }
}

/** Returns a problem visible in the responses alone, without reading the journal. */
function problemOf({ refused, unanswered }: LoadReport): string | undefined {
  const refusals = Object.entries(refused).map(([status, count]) => `${count} x ${status}`)
  if (refusals.length > 0) return `refused ${refusals.join(", ")}`
  return unanswered > 0 ? `${unanswered} without an answer` : undefined
}

async function imbalanceOf(venue: Venue): Promise<string | undefined> {
  const proof = await venue.admin<{ readonly balanced: boolean; readonly positions: ReadonlyArray<{ sum: number }> }>(
    "GET",
    "/proof"
  )
  const balanced = proof.balanced && proof.positions.every(({ sum }) => sum === 0)
  return balanced ? undefined : `the books do not balance: ${JSON.stringify(proof)}`
}

/**
 * Compares the same shapes on two checkouts' venues, which share one database server. The journals are not read,
 * because another checkout might write them in a different format.
 */
export const compared = async (options: Options, checkouts: Pair<Checkout>): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const shape of wantedOf(options)) rows.push(await comparedOn(options, checkouts, shape))
  return rows
}

async function comparedOn(options: Options, checkouts: Pair<Checkout>, shape: Shape): Promise<Row> {
  const { close, database, venues } = await startVenues(options.folder, checkouts, 2 * shape.connections)
  await both(venues, (venue) => fund(venue, 32))
  const flowFile = flowOf(options, shape)
  const once = await both(venues, async (venue) => terms(options, venue, flowFile, shape))
  say(`${nameOf(shape)}:`)
  const found = await alternated(options.rounds, async (side, index): Promise<Found> => {
    await settled(venues[side], null)
    await database.query("checkpoint")
    const seconds = index === 0 ? 2 * once[side].seconds : once[side].seconds
    const report = await Load.run({ ...once[side], seconds, tag: Load.nextTag() })
    const waited = await settled(venues[side], null)
    say(`  round ${index}, ${checkouts[side].name}: ${figures(report)}, at rest after ${waited.toFixed(1)} s`)
    return { figure: figureOf(shape, report), void: problemOf(report) ?? (await imbalanceOf(venues[side])) }
  })
  await close()
  const better = shape.figure === "rate" ? "higher" : "lower"
  const name = `socket, ${nameOf(shape)}, ${shape.figure.slice(0, 4).trim()}`
  return comparedRow({ name, unit: unitOf(shape), better, against: checkouts.theirs.name }, found)
}

function flowOf(options: Options, shape: Shape): string {
  const small = shape.connections === 1
  const flowFile = join(options.folder, small ? "F1s.bin" : "F1.bin")
  writeFlow(flowFile, makeFlow(Math.max(200_000, options.operations), small ? 1_000 : 10_000))
  return flowFile
}

const unitOf = (shape: Shape): string => (shape.figure === "rate" ? "orders/s" : "ms")

const figureOf = (shape: Shape, { ordersPerSecond, p50Millis, p99Millis }: LoadReport): number =>
  shape.figure === "rate" ? ordersPerSecond : shape.figure === "p99" ? p99Millis : p50Millis

const terms = (
  options: Options,
  venue: Venue,
  flowFile: string,
  { connections, inFlight }: Pick<Shape, "connections" | "inFlight">
): LoadOptions => ({
  url: venue.urls.trade,
  flowFile,
  keysFile: venue.devFile,
  connections,
  inFlight,
  seconds: options.seconds,
  tag: "",
  lotsPerFlowLot: Load.lotsPerFlowLot,
  clear: true,
  totals: false
})

const figures = ({ ordersPerSecond, p50Millis, p99Millis }: LoadReport): string =>
  `${figure(ordersPerSecond)}/s p50 ${figure(p50Millis)} p99 ${figure(p99Millis)} ms`

const floorText = ({ commitMillis, echoMillis }: Floor.Floor): string =>
  `echo ${figure(echoMillis)} ms, commit ${figure(commitMillis)} ms`
