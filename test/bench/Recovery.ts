/** Time from a log to a ready book, compared with replaying JSON lines in memory. */
import { deepStrictEqual } from "node:assert"
import { join } from "node:path"
import { makeFlow, writeFlow } from "./Flow.ts"
import type { Options } from "./Options.ts"
import type { RecoveryReport } from "./RecoveryWorker.ts"
import { type Round, type Row, round } from "./Report.ts"
import * as Worker from "./Worker.ts"

export const recovery = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const flow = makeFlow(options.operations)
  const flowFile = join(options.folder, "recovery.bin")
  writeFlow(flowFile, flow)
  const start = async (subject: string): Promise<Worker.Worker> => {
    const worker = Worker.start("RecoveryWorker.ts", [subject, flowFile, String(options.seconds)], {
      flags: Worker.heapFlags
    })
    await worker.hear((message) => message === "ready")
    return worker
  }
  const { ask, bid, resting, trades } = flow.totals
  const replay = async (worker: Worker.Worker): Promise<RecoveryReport> => {
    const report = await worker.ask<RecoveryReport>("round")
    deepStrictEqual(report.totals, { resting, bid, ask, trades }, "a replayed book does not add up")
    return report
  }
  const venue = await start("venue")
  const json = await start("json")
  const rounds: Array<Round> = []
  let ours: RecoveryReport | undefined
  let theirs: RecoveryReport | undefined
  while (rounds.length < options.rounds) {
    ours = await replay(venue)
    theirs = await replay(json)
    rounds.push(round(ours.events / ours.seconds, theirs.events / theirs.seconds))
  }
  await venue.stop()
  await json.stop()
  return [
    {
      name: "recovery",
      unit: "events/s, commands and trades",
      anchor: "JSON lines into the plain book",
      rounds,
      goal: { better: "higher", solid: 0.3, aim: 3 },
      notes: [
        "no snapshot: every event of the log is read; the state hash is that of the market that wrote the log",
        `our log: ${ours!.recorded} events in ${ours!.bytes} bytes; the anchor's: ${theirs!.recorded} in ${theirs!.bytes}`
      ]
    }
  ]
}
