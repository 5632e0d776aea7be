/** `npm run treasury-kills`: deposits and withdrawals while the venue's process is killed repeatedly. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Interruption from "../Interruption.ts"
import type { Fault } from "./Judge.ts"
import * as Options from "./Options.ts"
import * as Run from "./Run.ts"
import * as VenueProcess from "./VenueProcess.ts"

const startedAt = performance.now()
const say = (text: string): void => void process.stdout.write(`treasury-kills: ${text}\n`)
const seconds = (): string => `${Math.round((performance.now() - startedAt) / 1_000)} s`

const options = Options.read(process.argv.slice(2))
if (typeof options === "string") {
  say(options)
  process.exit(2)
}

const isOver = Interruption.make(say)

const table = (title: string, counts: ReadonlyMap<string, number>): void => {
  say(title)
  for (const [what, number] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    say(`  ${what.padEnd(44)}${number}`)
}

const report = ({
  answers,
  attempts,
  ends,
  findings,
  kills,
  met,
  moments,
  repeats,
  transfers
}: Run.Result): boolean => {
  for (const { fault, text } of findings.slice(0, 40)) say(`${fault}: ${text}`)
  table("kills by moment", moments)
  table("states at kills", met)
  table("final states", ends)
  table("answers to requests for withdrawals", answers)
  const outcomes = (outcome: string) => attempts.filter((attempt) => attempt.outcome === outcome).length
  say(`accepted ${outcomes("accepted")}, without key and without answer ${outcomes("unknown")}, repeated ${repeats}`)
  const faults = (fault: Fault) => findings.filter((finding) => finding.fault === fault).length
  say(
    `deposits ${transfers}, withdrawals ${attempts.length}, kills ${kills}: lost ${faults("lost")}, doubled ${faults("doubled")}, stuck ${faults("stuck")}, otherwise wrong ${faults("wrong")}`
  )
  return findings.length === 0
}

const folder = mkdtempSync(join(tmpdir(), `venue-treasury-${options.seed}-`))
say(`seed ${options.seed}`)
const venue = await VenueProcess.make(folder, isOver)
let isWell = false
try {
  const result = await Run.go(options, venue, (text) => say(`${text} (${seconds()})`), isOver)
  if (result !== undefined) isWell = report(result)
} catch (error) {
  say(`the run itself failed: ${(error as Error).stack}`)
}
await venue.stop()
if (isWell || isOver()) rmSync(folder, { recursive: true, force: true })
else say(`kept: ${folder}`)
say(seconds())
process.exit(isOver() ? 130 : isWell ? 0 : 1)
