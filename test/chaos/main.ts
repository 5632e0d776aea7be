/** `npm run chaos`: a venue of several processes under faults and load. Its recorded history is checked afterwards. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Interruption from "../nodes/Interruption.ts"
import * as FrameFaults from "../FrameFaults.ts"
import * as Checker from "./Checker.ts"
import * as Figures from "./Figures.ts"
import * as History from "./History.ts"
import type { Line } from "./HistoryLine.ts"
import * as Options from "./Options.ts"
import * as Run from "./Run.ts"
import * as Venue from "./Venue.ts"

const say = (text: string): void => void process.stdout.write(`chaos: ${text}\n`)

/** Maximum number of printed violations. Further ones are usually of the same kind. */
const maxPrinted = 40

const judge = (lines: ReadonlyArray<Line>): boolean => {
  const verdict = Checker.check(lines)
  const { findings } = verdict
  for (const { rule, text } of findings.slice(0, maxPrinted)) say(`${rule}: ${text}`)
  if (findings.length > maxPrinted) say(`and ${findings.length - maxPrinted} more`)
  for (const line of Figures.lines(verdict)) say(line)
  return findings.length === 0
}

const options = Options.read(process.argv.slice(2))
if (typeof options === "string") {
  say(options)
  process.exit(2)
}
if (options.check !== undefined) process.exit(judge(History.read(options.check)) ? 0 : 1)

const isKept = options.folder !== undefined
const folder = options.folder ?? mkdtempSync(join(tmpdir(), `venue-chaos-${options.seed}-`))
mkdirSync(folder, { recursive: true })
const history = History.open(join(folder, "history.jsonl"))
say(`seed ${options.seed}, history ${history.file}`)

const isOver = Interruption.make(say)
const venue = await Venue.start(options, folder, say)
let failure: unknown
try {
  await Run.go({ options, venue, history, say, isOver })
} catch (error) {
  failure = error
}
await venue.stop()
history.close()
if (failure !== undefined) say(`the run itself failed: ${(failure as Error).stack}`)
const faults = FrameFaults.take()
for (const fault of faults) say(`not as it is described: ${fault}`)
const isWell = judge(history.lines) && failure === undefined && faults.length === 0
if (isWell && !isKept) rmSync(folder, { recursive: true, force: true })
else say(`kept: ${folder}; judge it again with --check ${history.file}, go on with --folder ${folder}`)
process.exit(isOver() ? 130 : isWell ? 0 : 1)
