/** `npm run dashboard-pictures`: draws the Grafana dashboards from a run's Prometheus data, for the documents. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"
import * as Interruption from "../nodes/Interruption.ts"
import * as ClusterVenue from "./ClusterVenue.ts"
import * as Dashboard from "./Dashboard.ts"
import * as Options from "./Options.ts"
import type { Range } from "./PanelDrawing.ts"
import * as PalettePng from "./PalettePng.ts"
import * as Picture from "./Picture.ts"
import * as Prometheus from "./Prometheus.ts"
import * as Series from "./Series.ts"
import * as Story from "./Story.ts"

const say = (text: string): void => void process.stdout.write(`dashboard-pictures: ${text}\n`)
const images = join(import.meta.dirname, "../../docs/operate/images")
/** Points of a series, as many as a panel shows. */
const pointCount = 240

const options = Options.read(process.argv.slice(2), process.env)
if (typeof options === "string") {
  say(options)
  process.exit(2)
}

const seriesIn = async (dashboard: Dashboard.Dashboard, prometheus: Prometheus.Prometheus, { from, to }: Range) => {
  const step = Math.max(Prometheus.scrapeSeconds, Math.ceil((to - from) / pointCount))
  const panels = new Map<number, ReadonlyArray<Series.Series>>()
  for (const { id, targets } of dashboard.panels) {
    const all: Array<Series.Series> = []
    for (const target of targets)
      all.push(...Series.of(target, await prometheus.queryRange(target.expr, from, to, step), step))
    panels.set(id, all)
  }
  return panels
}

const draw = async (prometheus: Prometheus.Prometheus, range: Range, browserPath: string): Promise<void> => {
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] })
  for (const [name, dashboard] of Dashboard.all()) {
    const panels = await seriesIn(dashboard, prometheus, range)
    const empty = dashboard.panels.filter(({ id }) => panels.get(id)!.length === 0).map(({ title }) => title)
    const { height, svg } = Picture.draw(dashboard, ({ id }) => panels.get(id)!, range)
    const page = await browser.newPage({ viewport: { width: Picture.width, height } })
    await page.setContent(`<!doctype html><body style="margin:0">${svg}</body>`)
    const image = await PalettePng.of(page, await page.screenshot())
    writeFileSync(join(images, `${name}.png`), image)
    say(`${name}.png: ${Math.round(image.length / 1_024)} KiB, without data: ${empty.join(", ") || "-"}`)
  }
  await browser.close()
}

const folder = mkdtempSync(join(tmpdir(), "venue-pictures-"))
const isOver = Interruption.make(say)
const stops: Array<() => Promise<void>> = [async () => rmSync(folder, { recursive: true, force: true })]
let isWell = false
try {
  say("starting the venue")
  const venue = await ClusterVenue.start(folder, isOver)
  stops.unshift(venue.stop)
  const prometheus = await Prometheus.start(options.prometheus, join(folder, "prometheus"), venue.addresses)
  stops.unshift(prometheus.stop)
  const from = Math.floor(Date.now() / 1_000)
  say(`trading for ${options.minutes} minutes and the waits for two alerts`)
  await Story.run({ venue, prometheus, minutes: options.minutes, say, isOver })
  const rules = await prometheus.rules()
  const faulty = rules.filter(({ health }) => health !== "ok")
  for (const { lastError, name } of faulty) say(`rule ${name}: ${lastError}`)
  for (const { name, state } of rules) if (state !== "inactive") say(`rule ${name} is ${state} at the end`)
  say(`${rules.length - faulty.length} of ${rules.length} rules evaluate without an error`)
  await draw(prometheus, { from, to: Math.floor(Date.now() / 1_000) }, options.browser)
  isWell = faulty.length === 0
} catch (error) {
  if (!isOver()) say((error as Error).stack ?? String(error))
}
for (const stop of stops) await stop()
process.exit(isOver() ? 130 : isWell ? 0 : 1)
