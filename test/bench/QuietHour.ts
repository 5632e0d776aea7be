/** Real time that one simulated hour takes on an almost idle venue. */
import { type Checkout, ours } from "./Checkout.ts"
import { alternated, type Found, type Pair, row } from "./Comparison.ts"
import type { Options } from "./Options.ts"
import type { QuietHourReport } from "./QuietHourWorker.ts"
import { figure, type Round, type Row, round, say } from "./Report.ts"
import * as Worker from "./Worker.ts"

const name = "an hour of the test clock, 14 quiet markets"
const unit = "s"

export const clock = async ({ rounds }: Options): Promise<ReadonlyArray<Row>> => {
  const found: Array<Round> = []
  while (found.length < rounds) {
    const seconds = await hour(ours)
    say(`  round ${found.length + 1}: ${figure(seconds)} s`)
    found.push(round(seconds, 1))
  }
  const goal = { better: "lower", solid: 3, aim: 0.5 } as const
  return [{ name, unit, anchor: "1 s", rounds: found, goal, notes: [] }]
}

export const compared = async ({ rounds }: Options, checkouts: Pair<Checkout>): Promise<ReadonlyArray<Row>> => {
  const measure = async (side: keyof typeof checkouts, index: number): Promise<Found> => {
    const seconds = await hour(checkouts[side])
    say(`  round ${index}, ${checkouts[side].name}: ${figure(seconds)} s`)
    return { figure: seconds }
  }
  // Each measurement starts a new process without a warm-up, as a test does.
  const found = await alternated(rounds, measure, 1)
  return [row({ name, unit, better: "lower", against: checkouts.theirs.name }, found)]
}

const hour = async (checkout: Checkout): Promise<number> => {
  const worker = Worker.startOurs("QuietHourWorker.ts", checkout, { flags: Worker.heapFlagsOf(checkout) })
  const { seconds } = await worker.hear<QuietHourReport>()
  await worker.stop()
  return seconds
}
