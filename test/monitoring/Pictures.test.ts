/** The pictures of the dashboards: from a query's answer to series, ticks and places. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { inflateSync } from "node:zlib"
import { parse } from "yaml"
import * as Dashboard from "./Dashboard.ts"
import * as Options from "./Options.ts"
import * as PalettePng from "./PalettePng.ts"
import * as PanelDrawing from "./PanelDrawing.ts"
import * as Picture from "./Picture.ts"
import * as Prometheus from "./Prometheus.ts"
import * as Series from "./Series.ts"
import * as Units from "./Units.ts"

const range = { from: 0, to: 100 }
const box = { left: 0, top: 0, width: 400, height: 300 }
const panel: Dashboard.Panel = {
  id: 1,
  title: "Price <age>",
  type: "timeseries",
  gridPos: { x: 0, y: 0, w: 8, h: 8 },
  fieldConfig: { defaults: { unit: "s", min: 0 } },
  targets: []
}
const series = (name: string, ...values: ReadonlyArray<number>): Series.Series => ({
  name,
  stretches: [values.map((value, index) => ({ at: index * 10, value }))]
})

it("names series by their legend, sorts them, and breaks them at missing and infinite values", () => {
  const matrix: Series.Matrix = [
    { metric: { instance: "runner-10", kind: "a" }, values: [[0, "1"]] },
    {
      metric: { instance: "runner-2" },
      values: [
        [0, "1"],
        [5, "2"],
        [10, "+Inf"],
        [15, "4"],
        [30, "5"]
      ]
    },
    { metric: { instance: "runner-3" }, values: [[0, "NaN"]] }
  ]
  expect(Series.of({ expr: "", legendFormat: "{{instance}} {{kind}}" }, matrix, 5)).toEqual([
    {
      name: "runner-2",
      stretches: [
        [
          { at: 0, value: 1 },
          { at: 5, value: 2 }
        ],
        [{ at: 15, value: 4 }],
        [{ at: 30, value: 5 }]
      ]
    },
    { name: "runner-10 a", stretches: [[{ at: 0, value: 1 }]] }
  ])
})

it("writes values in the scale that fits them", () => {
  const texts = [
    ["s", 0.00042],
    ["s", 90],
    ["short", 1_234],
    ["percentunit", 0.125],
    ["bytes", 3 * 2 ** 20],
    ["Bps", 2_500],
    ["currencyUSD", -1_500],
    ["none", 0]
  ] as const
  expect(Units.text(Units.unitOf("short"), 28.2, 0)).toBe("28")
  expect(texts.map(([unit, value]) => Units.text(Units.unitOf(unit), value))).toEqual([
    "420 µs",
    "1.5 min",
    "1.23 K",
    "12.5 %",
    "3 MiB",
    "2.5 kB/s",
    "-$1.5 K",
    "0"
  ])
  expect(() => Units.unitOf("furlong")).toThrow('unit "furlong": expected one of none')
})

it("gives an axis round ticks that contain all values", () => {
  const axis = (unit: string, values: ReadonlyArray<number>, bounds: Units.Bounds) => {
    const { high, low, ticks } = Units.axisOf(Units.unitOf(unit), values, bounds)
    return { low, high, ticks: ticks.map(({ text }) => text) }
  }
  expect(axis("s", [0.012, 0.019], { min: 0 })).toEqual({
    low: 0,
    high: 0.02,
    ticks: ["0 s", "5 ms", "10 ms", "15 ms", "20 ms"]
  })
  expect(axis("currencyUSD", [-3, 5], {})).toEqual({ low: -4, high: 6, ticks: ["-$4", "-$2", "$0", "$2", "$4", "$6"] })
  expect(axis("short", [0, 0], { min: 0, decimals: 0 })).toEqual({ low: 0, high: 1, ticks: ["0", "1"] })
  expect(Units.timesOf(90, 400).map(({ text }) => text)).toEqual(["00:02", "00:03", "00:04", "00:05", "00:06"])
})

it("draws a line for each series, the reason for a missing one, and no markup of a title", () => {
  const drawn = PanelDrawing.draw(panel, [series("a", 1, 2, 3), series("b", 2)], range, box)
  expect(drawn).toContain("Price &lt;age&gt;")
  expect(drawn.match(/<path d="M[^"]*" class="line" stroke="#3a7d2c"\/>/g)).toHaveLength(2)
  expect(drawn).toContain("b  2 s")
  const empty = { ...panel, fieldConfig: { defaults: { unit: "s", noValue: "No chain is connected" } } }
  expect(PanelDrawing.draw(empty, [], range, box)).toContain(">No chain is connected<")
})

it("counts the series for which the legend has no room", () => {
  const many = Array.from({ length: 60 }, (_, index) => series(`symbol-${index}`, index))
  const drawn = PanelDrawing.draw(panel, many, range, box)
  const named = drawn.match(/symbol-\d+/g)!.length
  expect(named).toBeGreaterThan(8)
  expect(drawn).toContain(`+ ${60 - named} more`)
})

it("draws one bar for each stretch of a state, with the text and colour of its value", () => {
  const options = { "0": { text: "down", color: "red" }, "1": { text: "up", color: "green" } }
  const states = {
    ...panel,
    type: "state-timeline" as const,
    fieldConfig: { defaults: { unit: "none", mappings: [{ options }] } }
  }
  const drawn = PanelDrawing.draw(states, [series("runner-1", 1, 1, 1, 0, 0, 0, 1)], range, box)
  expect(drawn.match(/<rect/g)).toHaveLength(4)
  expect([...drawn.matchAll(/class="state">(\w+)</g)].map(([, text]) => text)).toEqual(["up", "down"])
})

it("no two panels of a dashboard overlap, all fit in the grid, and every unit is known", () => {
  for (const [, { panels }] of Dashboard.all()) {
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`)
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { fieldConfig, gridPos } of panels) {
      const { left, width } = Picture.boxOf(gridPos)
      expect(left + width).toBeLessThanOrEqual(Picture.width)
      expect(Units.unitOf(fieldConfig.defaults.unit)).toBeDefined()
    }
  }
})

it("keeps the jobs and the names of targets of prometheus.yml, at the addresses of the run", () => {
  const deployed = readFileSync(join(import.meta.dirname, "../../deploy/monitoring/prometheus.yml"), "utf8")
  const { global, rule_files, scrape_configs } = parse(
    Prometheus.configOf(deployed, "/rules.yml", { "runner-1:4010": "127.0.0.1:1", "auditor:4030": "127.0.0.1:2" })
  )
  expect(global).toEqual({ scrape_interval: "2s", evaluation_interval: "2s" })
  expect(rule_files).toEqual(["/rules.yml"])
  expect(
    (scrape_configs as ReadonlyArray<Record<string, ReadonlyArray<object>>>).map(
      ({ job_name, relabel_configs, static_configs }) => [job_name, static_configs, relabel_configs!.slice(1)]
    )
  ).toEqual([
    [
      "runner",
      [{ targets: ["runner-1:4010"] }],
      [
        {
          source_labels: ["__address__"],
          regex: "runner-1:4010",
          target_label: "__address__",
          replacement: "127.0.0.1:1"
        }
      ]
    ],
    ["gateway", [{ targets: [] }], []],
    [
      "auditor",
      [{ targets: ["auditor:4030"] }],
      [
        {
          source_labels: ["__address__"],
          regex: "auditor:4030",
          target_label: "__address__",
          replacement: "127.0.0.1:2"
        }
      ]
    ]
  ])
})

it("refuses invalid options with the limit, and a missing browser with the remedy", () => {
  expect(Options.read(["--minutes", "3"], { VENUE_PROMETHEUS: "/p" }, "/browser")).toEqual({
    minutes: 3,
    prometheus: "/p",
    browser: "/browser"
  })
  expect(Options.read(["--minutes", "90"], {}, "/browser")).toBe("--minutes 90: expected a number above 0, at most 60")
  expect(Options.read(["--hours", "1"], {}, "/browser")).toMatch("--hours")
})

it("writes a PNG with the 256 most frequent colours, and the nearest of them for the others", () => {
  // One row: red twice, then 256 shades of grey, of which the last has no place in the palette.
  const greys = Array.from({ length: 256 }, (_, grey) => [grey, grey, grey, 255])
  const pixels = Uint8Array.from([[255, 0, 0, 255], [255, 0, 0, 255], ...greys].flat())
  const png = PalettePng.encode(pixels, 258, 1)
  expect(png.subarray(1, 4).toString()).toBe("PNG")
  const chunk = (name: string) => {
    const at = png.indexOf(name)
    return png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4))
  }
  expect([...chunk("IHDR")]).toEqual([0, 0, 1, 2, 0, 0, 0, 1, 8, 3, 0, 0, 0])
  const palette = chunk("PLTE")
  expect(palette.length).toBe(256 * 3)
  const [filter, ...indexes] = inflateSync(chunk("IDAT"))
  const reds = indexes.map((index) => palette[index * 3])
  expect(filter).toBe(0)
  expect(reds).toEqual([255, 255, ...greys.slice(0, 255).map(([red]) => red), 254])
})
