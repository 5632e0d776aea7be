/**
 * CPU cost of positions while marks move without liquidations: a venue with positions minus a venue without
 * positions.
 */
import type { MarksReport } from "./MarksWorker.ts"
import type { Options } from "./Options.ts"
import { figure, median, type Round, type Row, round, say } from "./Report.ts"
import * as Worker from "./Worker.ts"

const traders = 10_000
/** Twenty symbols, each marked ten times a second. */
const marksPerSecond = 200

export const marks = async ({ rounds, seconds }: Options): Promise<ReadonlyArray<Row>> => {
  const [holding, empty] = await Promise.all([start(traders, seconds), start(0, seconds)])
  const found: Array<{ readonly holding: MarksReport; readonly empty: MarksReport }> = []
  // Round 0 only warms up both venues. The order of the venues alternates.
  for (let index = 0; index <= rounds; index++) {
    const reports = new Map<Worker.Worker, MarksReport>()
    for (const worker of index % 2 === 0 ? [holding, empty] : [empty, holding]) {
      reports.set(worker, await worker.ask<MarksReport>("turn"))
    }
    const one = { holding: reports.get(holding)!, empty: reports.get(empty)! }
    say(
      `  ${index === 0 ? "warm-up" : `round ${index}`}: ${figure(one.holding.cpu)} less ${figure(one.empty.cpu)} of a core`
    )
    if (index > 0) found.push(one)
  }
  await Promise.all([holding.stop(), empty.stop()])
  return [
    {
      name: `${(3 * traders).toLocaleString("en-US")} positions, 20 symbols, marks ten times a second`,
      unit: "of a core, less what the same venue takes without positions",
      anchor: "1 core",
      rounds: found.map(({ empty, holding }) => judged(round(holding.cpu - empty.cpu, 1), [holding, empty], seconds)),
      goal: { better: "lower", solid: 0.5, aim: 0.15 },
      notes: [
        `medians: ${figure(median(found.map(({ holding }) => holding.cpu)))} of a core with them,`,
        `${figure(median(found.map(({ empty }) => empty.cpu)))} without`
      ]
    }
  ]
}

/** Voids a round if marks were late or an account was close to liquidation. */
const judged = (one: Round, reports: ReadonlyArray<MarksReport>, seconds: number): Round => {
  const least = 0.95 * marksPerSecond * seconds
  for (const { marks, nearLiquidation } of reports) {
    if (marks < least) return { ...one, void: `${marks} marks in ${seconds} s` }
    if (nearLiquidation > 0) return { ...one, void: `${nearLiquidation} accounts near liquidation` }
  }
  return one
}

const start = async (count: number, seconds: number): Promise<Worker.Worker> => {
  const worker = Worker.start("MarksWorker.ts", [String(count), String(seconds)], { flags: Worker.heapFlags })
  await worker.hear<"ready">((message) => message === "ready")
  return worker
}
