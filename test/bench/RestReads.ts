/**
 * Authenticated REST reads on 16 connections, with signature, nonce, timestamp and permission checks. Compares the
 * venue with a bare server, and with a server that does only the minimum work before it responds.
 */
import type { Checkout } from "./Checkout.ts"
import { alternated, type Found, type Pair, row as comparedRow } from "./Comparison.ts"
import type { Options } from "./Options.ts"
import { figure, type Goal, type Round, type Row, round, say } from "./Report.ts"
import type { RestOptions, RestReport } from "./RestClient.ts"
import { settled, startServer, startVenue, startVenues, type Venue } from "./VenueProcess.ts"
import * as Worker from "./Worker.ts"

/** Goal relative to a server that stores each nonce, as a venue must. The bare server shows the cost of storing. */
const goal: Goal = { better: "higher", solid: 0.35, aim: 0.75 }
const connections = 16
const path = "/user/positions"
const name = `REST, GET ${path} signed, ${connections} connections`

export const rest = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders: connections })
  const keys = keysOf(venue)
  const bare = Worker.start("HttpAnchor.ts", [], { flags: Worker.heapFlags })
  const least = Worker.start("NonceAnchor.ts", [server.anchorUrl, JSON.stringify(keys)], { flags: Worker.heapFlags })
  const ports = [portOf(venue), await bare.hear<number>(), await least.hear<number>()]
  const againstBare: Array<Round> = []
  const againstLeast: Array<Round> = []
  const notes: Array<string> = []
  // Round 0 only warms up all servers.
  for (let index = 0; index <= options.rounds; index++) {
    const reports: Array<RestReport> = []
    for (const port of ports) {
      reports.push(await load({ path, keys, connections, seconds: options.seconds, port }))
    }
    const [ours, ofBare, ofLeast] = reports as [RestReport, RestReport, RestReport]
    const note =
      `${index === 0 ? "warm-up" : `round ${index}`}: venue ${figures(ours)}; ` +
      `bare server ${figures(ofBare)}; with signature and nonce ${figures(ofLeast)}`
    say(`  ${note}`)
    if (index === 0) continue
    againstBare.push(judged(ours, ofBare))
    againstLeast.push(judged(ours, ofLeast))
    notes.push(note)
  }
  await Promise.all([bare.stop(), least.stop()])
  await venue.stop()
  await server.stop()
  return [
    { name, unit: "reads/s", anchor: "bare node:http", rounds: againstBare, goal: null, notes },
    {
      name: `${name}, durable`,
      unit: "reads/s",
      anchor: "node:http that checks the signature and commits the nonce",
      rounds: againstLeast,
      goal,
      notes: []
    }
  ]
}

const keysOf = ({ users }: Venue): Venue["users"] => users.filter(({ name }) => name.startsWith("trader-"))

const portOf = ({ urls }: Venue): number => Number(new URL(urls.rest).port)

export const compared = async (options: Options, checkouts: Pair<Checkout>): Promise<ReadonlyArray<Row>> => {
  const { close, venues } = await startVenues(options.folder, checkouts, connections)
  const { seconds } = options
  const found = await alternated(options.rounds, async (side, index): Promise<Found> => {
    const venue = venues[side]
    await settled(venue, null)
    const report = await load({ path, keys: keysOf(venue), connections, seconds, port: portOf(venue) })
    say(`  round ${index}, ${checkouts[side].name}: ${figures(report)}`)
    const refusals = refusalsOf(report)
    const fault = refusals.length === 0 ? undefined : `refused ${refusals.join(", ")}`
    return { figure: report.readsPerSecond, void: fault }
  })
  await close()
  return [comparedRow({ name, unit: "reads/s", better: "higher", against: checkouts.theirs.name }, found)]
}

/** Voids a round in which the venue or the reference server refused a read. */
const judged = (ours: RestReport, anchor: RestReport): Round => {
  const refusals = [ours, anchor].flatMap(refusalsOf)
  const found = round(ours.readsPerSecond, anchor.readsPerSecond)
  return refusals.length === 0 ? found : { ...found, void: `refused ${refusals.join(", ")}` }
}

export const refusalsOf = ({ refused }: RestReport): ReadonlyArray<string> =>
  Object.entries(refused).map(([status, count]) => `${count} x ${status}`)

export const load = async (options: RestOptions): Promise<RestReport> => {
  const client = Worker.start("RestClient.ts", [JSON.stringify(options)])
  const report = await client.hear<RestReport>()
  await client.stop()
  return report
}

export const figures = ({ p50Millis, p99Millis, readsPerSecond }: RestReport): string =>
  `${figure(readsPerSecond)}/s p50 ${figure(p50Millis)} p99 ${figure(p99Millis)} ms`
