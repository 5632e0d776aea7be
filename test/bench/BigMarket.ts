/** Memory use of one venue with 100,000 resting orders and 2,000 connected traders. */
import { join } from "node:path"
import { connect } from "./Database.ts"
import { makeFlow, writeFlow } from "./Flow.ts"
import * as Load from "./Load.ts"
import type { Options } from "./Options.ts"
import * as Recorded from "./Recorded.ts"
import { figure, type Row, round } from "./Report.ts"
import { residentBytes, settled, startServer, startVenue } from "./VenueProcess.ts"

const resting = 100_000
const traders = 2_000
const limit = 1024 ** 3

export const bigMarket = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders })
  const database = await connect(server.url)
  const flowFile = join(options.folder, "big.bin")
  writeFlow(flowFile, makeFlow(50_000, resting))
  const before = residentBytes(venue.pid)
  let peak = 0
  const watch = setInterval(() => (peak = Math.max(peak, residentBytes(venue.pid))), 100)
  const tag = Load.nextTag()
  const report = await Load.run({
    url: venue.urls.trade,
    flowFile,
    keysFile: venue.devFile,
    connections: traders / 2,
    inFlight: 1,
    seconds: options.seconds,
    tag,
    lotsPerFlowLot: Load.lotsPerFlowLot,
    clear: false,
    totals: false
  })
  const { accepted } = await Recorded.since(database, 0, tag)
  const waited = await settled(venue, database)
  clearInterval(watch)
  const after = residentBytes(venue.pid)
  await database.end()
  await venue.stop()
  await server.stop()
  const wrong =
    Object.keys(report.refused).length > 0 ||
    accepted.count < report.accepted.count ||
    accepted.count > report.accepted.count + report.unanswered ||
    accepted.count < resting
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`
  return [
    {
      name: "a market of 100,000 orders and 2,000 traders",
      unit: "bytes resident at the highest",
      anchor: "1 GiB",
      rounds: [
        wrong
          ? { ...round(peak, limit), void: `${JSON.stringify(accepted)} recorded: ${JSON.stringify(report)}` }
          : round(peak, limit)
      ],
      goal: { better: "lower", solid: 1, aim: 1 },
      notes: [
        `${mebibytes(before)} when empty, ${mebibytes(peak)} at the highest, ${mebibytes(after)} at rest ${waited.toFixed(0)} s later`,
        `${accepted.count} orders accepted; then ${figure(report.ordersPerSecond)} orders/s on the full book, one in flight on each of ${traders / 2} sockets, p50 ${figure(report.p50Millis)} ms, ${report.unanswered} without an answer 2 s after the end`
      ]
    }
  ]
}
