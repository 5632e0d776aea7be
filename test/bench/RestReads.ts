/**
 * Authenticated reads over REST, 16 connections: signature, nonce, timestamp and permission, against a bare server, and
 * against one that does no more than it must before it answers.
 */
import type { Options } from "./Options.ts"
import { figure, type Goal, type Round, type Row, round, say } from "./Report.ts"
import type { RestOptions, RestReport } from "./RestClient.ts"
import { startServer, startVenue } from "./VenueProcess.ts"
import * as Worker from "./Worker.ts"

const goal: Goal = { better: "higher", solid: 0.45, aim: 0.75 }
const connections = 16

export const rest = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders: connections })
  const keys = venue.users.filter(({ name }) => name.startsWith("trader-"))
  const bare = Worker.start("HttpAnchor.ts", [], { flags: Worker.heapFlags })
  const least = Worker.start("NonceAnchor.ts", [server.anchorUrl, JSON.stringify(keys)], { flags: Worker.heapFlags })
  const ports = [Number(new URL(venue.urls.rest).port), await bare.hear<number>(), await least.hear<number>()]
  const againstBare: Array<Round> = []
  const againstLeast: Array<Round> = []
  const notes: Array<string> = []
  // The first round warms all up.
  for (let index = 0; index <= options.rounds; index++) {
    const reports: Array<RestReport> = []
    for (const port of ports) {
      reports.push(await load({ path: "/user/positions", keys, connections, seconds: options.seconds, port }))
    }
    const [ours, ofBare, ofLeast] = reports as [RestReport, RestReport, RestReport]
    const note =
      `${index === 0 ? "warm-up" : `round ${index}`}: venue ${figures(ours)}; ` +
      `bare server ${figures(ofBare)}; with signature and nonce ${figures(ofLeast)}`
    say(`  ${note}`)
    if (index === 0) continue
    againstBare.push(compared(ours, ofBare))
    againstLeast.push(compared(ours, ofLeast))
    notes.push(note)
  }
  await Promise.all([bare.stop(), least.stop()])
  await venue.stop()
  await server.stop()
  const name = `REST, GET /user/positions signed, ${connections} connections`
  return [
    { name, unit: "reads/s", anchor: "bare node:http", rounds: againstBare, goal, notes },
    {
      name: `${name}, durable`,
      unit: "reads/s",
      anchor: "node:http that checks the signature and commits the nonce",
      rounds: againstLeast,
      goal: null,
      notes: []
    }
  ]
}

/** Void when one was refused, on either side. */
const compared = (ours: RestReport, anchor: RestReport): Round => {
  const refusals = [ours, anchor].flatMap(({ refused }) =>
    Object.entries(refused).map(([status, count]) => `${count} x ${status}`)
  )
  const found = round(ours.readsPerSecond, anchor.readsPerSecond)
  return refusals.length === 0 ? found : { ...found, void: `refused ${refusals.join(", ")}` }
}

const load = async (options: RestOptions): Promise<RestReport> => {
  const client = Worker.start("RestClient.ts", [JSON.stringify(options)])
  const report = await client.hear<RestReport>()
  await client.stop()
  return report
}

const figures = ({ p50Millis, p99Millis, readsPerSecond }: RestReport): string =>
  `${figure(readsPerSecond)}/s p50 ${figure(p50Millis)} p99 ${figure(p99Millis)} ms`
