/** One panel as SVG: title, axes, lines or states, and legend. */
import type { Panel, ValueText } from "./Dashboard.ts"
import * as Series from "./Series.ts"
import * as Units from "./Units.ts"

export interface Range {
  /** Unix times in seconds. */
  readonly from: number
  readonly to: number
}

export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

interface Frame {
  readonly plot: Box
  readonly x: (at: number) => number
}

const titleHeight = 30
const timesHeight = 20
const legendLine = 17
const maxLegendLines = 4
/** Mean widths of capitals and of other characters in legends and labels. */
const [capitalWidth, characterWidth] = [7.8, 6.2]

/** Returns the SVG elements of a panel in its box. */
export const draw = (panel: Panel, all: ReadonlyArray<Series.Series>, range: Range, box: Box): string => {
  const { left, top, width, height } = box
  const frame = `<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="3" class="panel"/>`
  const title = `<text x="${left + 10}" y="${top + 20}" class="title">${escaped(panel.title)}</text>`
  if (all.length === 0) {
    const words = escaped(panel.fieldConfig.defaults.noValue ?? "No data")
    return `${frame}${title}<text x="${left + width / 2}" y="${top + height / 2 + 5}" class="none">${words}</text>`
  }
  const isStates = panel.type === "state-timeline"
  return `${frame}${title}${isStates ? states(panel, all, range, box) : lines(panel, all, range, box)}`
}

const lines = (panel: Panel, all: ReadonlyArray<Series.Series>, range: Range, box: Box): string => {
  const { defaults } = panel.fieldConfig
  const unit = Units.unitOf(defaults.unit)
  const legend = legendOf(all, (value) => Units.text(unit, value, defaults.decimals), box)
  const plot = {
    left: box.left + 66,
    top: box.top + titleHeight + 4,
    width: box.width - 66 - 14,
    height: box.height - titleHeight - 4 - timesHeight - legend.height - 6
  }
  const frame = { plot, x: xOf(range, plot) }
  const axis = Units.axisOf(unit, Series.valuesOf(all), defaults)
  const y = (value: number) => round(plot.top + plot.height * (1 - (value - axis.low) / (axis.high - axis.low)))
  const rules = axis.ticks.map(
    ({ text, value }) =>
      `<path d="M${plot.left} ${y(value)}h${plot.width}" class="grid"/>` +
      `<text x="${plot.left - 6}" y="${y(value) + 4}" class="tick end">${escaped(text)}</text>`
  )
  const paths = all.map(({ stretches }, index) => {
    const shape = stretches.map((points) => points.map(({ at, value }) => `${frame.x(at)} ${y(value)}`).join("L"))
    // A stretch of one point is a line without length, which a round cap makes visible.
    const path = shape.map((each) => `M${each}${each.includes("L") ? "" : "h0"}`).join("")
    return `<path d="${path}" class="line" stroke="${colourOf(index)}"/>`
  })
  return [...rules, times(range, frame), ...paths, legend.draw].join("")
}

/** Draws a row for each series, with a bar for each stretch of one value. */
const states = (panel: Panel, all: ReadonlyArray<Series.Series>, range: Range, box: Box): string => {
  const texts: Readonly<Record<string, ValueText>> = Object.assign(
    {},
    ...(panel.fieldConfig.defaults.mappings ?? []).map(({ options }) => options)
  )
  const labelWidth = Math.max(...all.map(({ name }) => widthOf(name))) + 20
  const plot = {
    left: box.left + labelWidth,
    top: box.top + titleHeight + 4,
    width: box.width - labelWidth - 14,
    height: box.height - titleHeight - 4 - timesHeight - 6
  }
  const frame = { plot, x: xOf(range, plot) }
  const rowHeight = plot.height / all.length
  const barHeight = Math.min(rowHeight * 0.8, 40)
  const rows = all.map(({ name, stretches }, index) => {
    const middle = round(plot.top + rowHeight * (index + 0.5))
    const bars = stretches.flatMap(runs).map(({ from, to, value }) => {
      const { color, text } = texts[String(value)] ?? { color: "text", text: Units.text(Units.unitOf("none"), value) }
      const [start, width] = [frame.x(from), round(frame.x(to) - frame.x(from))]
      const fits = width > widthOf(text) + 8
      return (
        `<rect x="${start}" y="${middle - barHeight / 2}" width="${Math.max(width, 1)}" height="${barHeight}" fill="${stateColours[color] ?? color}"/>` +
        (fits ? `<text x="${round(start + width / 2)}" y="${middle + 4}" class="state">${escaped(text)}</text>` : "")
      )
    })
    return `<text x="${plot.left - 8}" y="${middle + 4}" class="tick end">${escaped(name)}</text>${bars.join("")}`
  })
  return [times(range, frame), ...rows].join("")
}

interface Run {
  readonly from: number
  to: number
  readonly value: number
}

/** Merges consecutive points of one value. A value lasts until the next point. */
const runs = (points: ReadonlyArray<Series.Point>): ReadonlyArray<Run> => {
  const merged: Array<Run> = []
  for (const { at, value } of points) {
    const last = merged.at(-1)
    if (last !== undefined) last.to = at
    if (last?.value !== value) merged.push({ from: at, to: at, value })
  }
  return merged
}

const times = (range: Range, { plot, x }: Frame): string =>
  Units.timesOf(range.from, range.to)
    .map(
      ({ at, text }) =>
        `<path d="M${x(at)} ${plot.top}v${plot.height}" class="grid"/>` +
        `<text x="${x(at)}" y="${plot.top + plot.height + 15}" class="tick middle">${text}</text>`
    )
    .join("")

/** Places the names and last values in lines, and counts the series for which no room is left. */
const legendOf = (
  all: ReadonlyArray<Series.Series>,
  textOf: (value: number) => string,
  { height, left, top, width }: Box
) => {
  const entries = all.map((series, index) => ({
    text: `${series.name}  ${textOf(Series.lastOf(series))}`,
    colour: colourOf(index)
  }))
  const placed: Array<{ readonly text: string; readonly colour: string; readonly x: number; readonly line: number }> =
    []
  let [x, line] = [0, 0]
  for (const { colour, text } of entries) {
    const wide = widthOf(text) + 24
    const isLast = line === maxLegendLines - 1
    if (x + wide > width - 20 - (isLast ? 70 : 0) && x > 0) {
      if (isLast) break
      ;[x, line] = [0, line + 1]
    }
    placed.push({ text, colour, x, line })
    x += wide
  }
  const rest = entries.length - placed.length
  const lineCount = line + 1
  const yOf = (line: number) => top + height - 9 - (lineCount - 1 - line) * legendLine
  const drawn = placed.map(
    ({ colour, line, text, x }) =>
      `<path d="M${left + 10 + x} ${yOf(line) - 4}h12" class="line" stroke="${colour}"/>` +
      `<text x="${left + 26 + x}" y="${yOf(line)}" class="legend">${escaped(text)}</text>`
  )
  const more =
    rest === 0 ? "" : `<text x="${left + width - 10}" y="${yOf(line)}" class="legend end">+ ${rest} more</text>`
  return { height: lineCount * legendLine + 4, draw: drawn.join("") + more }
}

const xOf =
  ({ from, to }: Range, { left, width }: Box) =>
  (at: number): number =>
    round(left + (width * (at - from)) / (to - from))

const widthOf = (text: string): number => {
  const capitals = text.match(/[A-Z]/g)?.length ?? 0
  return capitals * capitalWidth + (text.length - capitals) * characterWidth
}

const round = (value: number): number => Math.round(value * 10) / 10

const colours =
  "#3a7d2c #c98a00 #2f6fb3 #d9631e #c4162a #7a4fb0 #0f8a8a #a3347d #6b6b00 #5578d6 #8f5a3c #1f9d55 #e0729b #4a4a4a".split(
    " "
  )
const colourOf = (index: number): string => colours[index % colours.length]!

/** Shades of the colours that Grafana knows by name. */
const stateColours: Readonly<Record<string, string>> = {
  green: "#56a64b",
  red: "#d8323f",
  blue: "#3274d9",
  orange: "#ff9830",
  text: "#c7ccd4"
}

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
