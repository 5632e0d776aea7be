/** `npm run drill`: rehearses restores, a failover and a lost key on real database servers, while users trade. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FrameFaults from "../FrameFaults.ts"
import * as BackedUp from "./BackedUp.ts"
import * as BehindWitness from "./BehindWitness.ts"
import * as Drilled from "./Drilled.ts"
import * as DrillServer from "./DrillServer.ts"
import * as Failover from "./Failover.ts"
import * as Options from "./Options.ts"
import * as PointInTime from "./PointInTime.ts"
import * as Report from "./Report.ts"
import * as SecretKey from "./SecretKey.ts"

const say = (text: string): void => void process.stdout.write(`drill: ${text}\n`)

const options = Options.read(process.argv.slice(2))
if (typeof options === "string") {
  say(options)
  process.exit(2)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130))

const folder = mkdtempSync(join(tmpdir(), "venue-drill-"))
const report = Report.make(() => performance.now(), say)
const has = (part: Options.Part): boolean => options.only.includes(part)

const runAll = async (drilled: Drilled.Drilled): Promise<void> => {
  if (has("backup") || has("witness")) {
    report.begin("backup under trade")
    const backedUp = await BackedUp.take(drilled)
    if (has("backup")) {
      report.begin("restore to a point in time")
      await PointInTime.run(drilled, backedUp)
    }
    if (has("witness")) {
      report.begin("restore behind the witness")
      await BehindWitness.run(drilled, backedUp)
    }
  }
  if (has("keys")) {
    report.begin("lost secret key")
    await SecretKey.run(drilled, DrillServer.urlOf([drilled.server]))
  }
  if (has("failover")) {
    report.begin("failover to a synchronous standby")
    await Failover.run(drilled)
  }
}

let failure: unknown
let drilled: Drilled.Drilled | undefined
try {
  report.begin("a venue with four users")
  drilled = await Drilled.found(options, folder, report)
  await runAll(drilled)
  report.check("frames that differ from their description", "none", Report.listed(FrameFaults.take()))
} catch (error) {
  failure = error
}
const isWell = failure === undefined && report.failures() === 0
const isKept = options.keep || !isWell
await drilled?.close(isKept)
const ending = [
  report.lines().at(-1)!,
  ...(failure === undefined ? [] : [`the drill itself failed: ${(failure as Error).stack}`])
]
for (const line of ending) say(line)
if (options.report !== undefined) {
  const title = `# Drill of ${new Date().toISOString()}: ${options.seconds} s of trade around each disaster`
  writeFileSync(options.report, `${[title, ...report.lines().slice(0, -1), ...ending].join("\n")}\n`)
}
if (isKept) say(`kept: ${folder}`)
else rmSync(folder, { recursive: true, force: true })
process.exit(isWell ? 0 : 1)
