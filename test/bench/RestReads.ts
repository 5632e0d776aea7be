/** Authenticated reads over REST, 16 connections: signature, nonce, timestamp and permission, against a bare server. */
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
  const anchor = Worker.start("HttpAnchor.ts", [], { flags: Worker.heapFlags })
  const anchorPort = await anchor.hear<number>()
  const keys = venue.users.filter(({ name }) => name.startsWith("trader-"))
  const terms = { path: "/user/positions", keys, connections, seconds: options.seconds }
  const rounds: Array<Round> = []
  const notes: Array<string> = []
  // The first round warms both up.
  for (let index = 0; index <= options.rounds; index++) {
    const ours = await load({ ...terms, port: Number(new URL(venue.urls.rest).port) })
    const bare = await load({ ...terms, port: anchorPort })
    const note = `${index === 0 ? "warm-up" : `round ${index}`}: venue ${figures(ours)}; bare server ${figures(bare)}`
    say(`  ${note}`)
    if (index === 0) continue
    const refusals = Object.entries(ours.refused).map(([status, count]) => `${count} x ${status}`)
    const found = round(ours.readsPerSecond, bare.readsPerSecond)
    rounds.push(refusals.length === 0 ? found : { ...found, void: `refused ${refusals.join(", ")}` })
    notes.push(note)
  }
  await anchor.stop()
  await venue.stop()
  await server.stop()
  return [
    {
      name: `REST, GET /user/positions signed, ${connections} connections`,
      unit: "reads/s",
      anchor: "bare node:http",
      rounds,
      goal,
      notes
    }
  ]
}

const load = async (options: RestOptions): Promise<RestReport> => {
  const client = Worker.start("RestClient.ts", [JSON.stringify(options)])
  const report = await client.hear<RestReport>()
  await client.stop()
  return report
}

const figures = ({ p50Millis, p99Millis, readsPerSecond }: RestReport): string =>
  `${figure(readsPerSecond)}/s p50 ${figure(p50Millis)} p99 ${figure(p99Millis)} ms`
