/** Market data for 200 subscribers to every channel, compared with a server that only writes to sockets. */
import { initialInstruments } from "@venue/domain/Instrument"
import { startPrices } from "@venue/simulation/prices/SimulatedPrices"
import type { Checkout } from "./Checkout.ts"
import { alternated, both, type Found, type Pair, row as comparedRow } from "./Comparison.ts"
import type { Options } from "./Options.ts"
import { figure, type Goal, type Round, type Row, round, say } from "./Report.ts"
import type { FanOut } from "./StreamAnchor.ts"
import type { StreamMessage, StreamOptions, StreamReport } from "./StreamClient.ts"
import type { FlowMarket } from "./StreamFlow.ts"
import { cpuSeconds, fund, settled, startServer, startVenue, startVenues, type Venue } from "./VenueProcess.ts"
import * as Worker from "./Worker.ts"

const goal: Goal = { better: "higher", solid: 0.7, aim: 1 }

/** Number of subscribers, and number of trades in flight to them. */
interface Shape {
  readonly subscribers: number
  readonly inFlight: number
}

const shapes: ReadonlyArray<Shape> = [
  { subscribers: 200, inFlight: 14 },
  { subscribers: 200, inFlight: 224 }
]

const subscription = JSON.stringify({
  type: "subscribe",
  channels: [
    "level2",
    "bbo",
    "trade",
    "candle",
    "underlier",
    "mark_price",
    "funding",
    "open_interest",
    "minmax_price",
    "market_stats"
  ],
  symbols: ["*"],
  intervals: ["1MIN", "5MINS", "15MINS", "30MINS", "1HOUR", "4HOURS", "1DAY"],
  sig_figs: [0]
})

export const stream = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders: 2 })
  await open(venue)
  const anchor = Worker.start("StreamAnchor.ts", [], { flags: Worker.heapFlags })
  const anchorPort = await anchor.hear<number>()
  const rows: Array<Row> = []
  for (const shape of wantedOf(options)) rows.push(...(await measure({ options, venue, anchor, anchorPort }, shape)))
  await anchor.stop()
  await venue.stop()
  await server.stop()
  return rows
}

export const compared = async (options: Options, checkouts: Pair<Checkout>): Promise<ReadonlyArray<Row>> => {
  const { close, venues } = await startVenues(options.folder, checkouts, 2)
  await both(venues, open)
  const rows: Array<Row> = []
  for (const shape of wantedOf(options)) {
    const found = await alternated(options.rounds, async (side, index): Promise<Found> => {
      await settled(venues[side], null)
      const measured = await ofVenue({ options, venue: venues[side] }, shape)
      say(`  round ${index}, ${checkouts[side].name}: ${figures(measured)}`)
      return { figure: measured.report.deliveriesPerSecond, void: measured.report.problem ?? undefined }
    })
    const what = { name: `${rowName(shape)}, rate`, unit: "deliveries/s", better: "higher" } as const
    rows.push(comparedRow({ ...what, against: checkouts.theirs.name }, found))
  }
  await close()
  return rows
}

/** Sets a price for all markets and funds both traders. */
async function open(venue: Venue): Promise<void> {
  await fund(venue, 2)
  for (const { symbol } of initialInstruments) {
    await venue.admin("POST", "/prices", { symbol, price: startPrices.get(symbol)! / 1e8 })
  }
}

const wantedOf = ({ shapes: names }: Options): ReadonlyArray<Shape> =>
  shapes.filter(({ inFlight, subscribers }) => names.length === 0 || names.includes(`${subscribers}x${inFlight}`))

const rowName = ({ inFlight, subscribers }: Shape): string =>
  `market data to ${subscribers} subscribers, ${inFlight} trades on their way`

interface Bench {
  readonly options: Options
  readonly venue: Venue
  readonly anchor: Worker.Worker
  readonly anchorPort: number
}

async function measure(bench: Bench, shape: Shape): Promise<ReadonlyArray<Row>> {
  const rates: Array<Round> = []
  const costs: Array<Round> = []
  const notes: Array<string> = []
  say(`${rowName(shape)}:`)
  // Round 0 only warms up both servers.
  for (let index = 0; index <= bench.options.rounds; index++) {
    const ours = await ofVenue(bench, shape)
    await settled(bench.venue, null)
    const theirs = await ofAnchor(bench, shape, ours.report.frameBytes)
    const note = `${index === 0 ? "warm-up" : `round ${index}`}: venue ${figures(ours)}; anchor ${figures(theirs)}`
    say(`  ${note}`)
    if (index === 0) continue
    const problem = ours.report.problem ?? theirs.report.problem
    const judged = (one: Round): Round => (problem === null ? one : { ...one, void: problem })
    rates.push(judged(round(ours.report.deliveriesPerSecond, theirs.report.deliveriesPerSecond)))
    costs.push(judged(round(ours.perCpuSecond, theirs.perCpuSecond)))
    notes.push(note)
  }
  const name = rowName(shape)
  const anchor = "each message framed once and written to each socket"
  return [
    { name: `${name}, rate`, unit: "deliveries/s", anchor, rounds: rates, goal, notes },
    {
      name: `${name}, CPU`,
      unit: "deliveries for a second of CPU of the server",
      anchor,
      rounds: costs,
      goal: null,
      notes: []
    }
  ]
}

interface Measured {
  readonly report: StreamReport
  readonly perCpuSecond: number
  /** The client's CPU time, as a fraction of one core. */
  readonly clientShare: number
}

const ofVenue = (
  { options, venue }: Pick<Bench, "options" | "venue">,
  { inFlight, subscribers }: Shape
): Promise<Measured> => {
  const [maker, taker] = venue.users
    .filter(({ name }) => name.startsWith("trader-"))
    .map((user) => ({ publicKey: user.public_key, secretKey: user.secret_key }))
  const flow = { url: venue.urls.trade, maker: maker!, taker: taker!, markets, inFlight }
  const port = Number(new URL(venue.urls.market_data).port)
  return run({ port, subscribers, subscription, seconds: options.seconds, flow }, venue.pid)
}

const ofAnchor = async (
  { anchor, anchorPort: port, options }: Bench,
  { subscribers }: Shape,
  frameBytes: ReadonlyArray<number>
): Promise<Measured> => {
  await anchor.ask(JSON.stringify({ subscribers, frameBytes } satisfies FanOut))
  return run({ port, subscribers, subscription: null, seconds: options.seconds, flow: null }, anchor.pid)
}

async function run(options: StreamOptions, serverPid: number): Promise<Measured> {
  const client = Worker.start("StreamClient.ts", [JSON.stringify(options)], { flags: ["--max-semi-space-size=32"] })
  const used = () => ({ server: cpuSeconds(serverPid), client: cpuSeconds(client.pid) })
  await client.hear<StreamMessage>(({ event }) => event === "Flowing")
  const before = used()
  await client.hear<StreamMessage>(({ event }) => event === "Over")
  const now = used()
  const report = await client.hear<StreamReport>()
  await client.stop()
  return {
    report,
    perCpuSecond: report.deliveries / (now.server - before.server),
    clientShare: (now.client - before.client) / report.seconds
  }
}

/** Each order is worth 20 USD, or more if the market's minimum quantity is worth more. */
const markets = initialInstruments.map(({ lotE8, minQuantityLots, symbol, tickE8 }): FlowMarket => {
  const price = startPrices.get(symbol)!
  const lots = Math.max(minQuantityLots, Math.ceil(20 / ((price / 1e8) * (lotE8 / 1e8))))
  return {
    symbol,
    midTicks: Math.round(price / tickE8),
    ticksPerUnit: Math.round(1e8 / tickE8),
    quantity: (lots * lotE8) / 1e8
  }
})

const figures = ({ clientShare, perCpuSecond, report }: Measured): string => {
  const { bytes, deliveries, deliveriesPerSecond, trades } = report
  return (
    `${figure(deliveriesPerSecond)}/s of ${figure(bytes / deliveries)} bytes, ${figure((100 * trades) / deliveries)} % ` +
    `trades, ${figure(1e6 / perCpuSecond)} us of the server each, ${figure(100 * clientShare)} % of a core for the client`
  )
}
