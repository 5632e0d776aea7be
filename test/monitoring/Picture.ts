/** A dashboard as one SVG drawing on the dashboard's grid. */
import type { Dashboard, GridPos, Panel } from "./Dashboard.ts"
import * as PanelDrawing from "./PanelDrawing.ts"
import type { Series } from "./Series.ts"

export const width = 1_400
const columns = 24
const gap = 8
/** Height of one row of Grafana's grid. */
const rowHeight = 30
const headHeight = 44

/** Returns the box of these cells in pixels. */
export const boxOf = ({ h, w, x, y }: GridPos): PanelDrawing.Box => {
  const column = (width - gap) / columns
  return {
    left: Math.round(gap + x * column),
    top: headHeight + y * (rowHeight + gap),
    width: Math.round(w * column) - gap,
    height: h * (rowHeight + gap) - gap
  }
}

const heightOf = (panels: ReadonlyArray<Panel>): number =>
  Math.max(...panels.map(({ gridPos }) => boxOf(gridPos)).map(({ height, top }) => top + height)) + gap

export interface Drawn {
  readonly svg: string
  readonly height: number
}

export const draw = (
  { panels, title }: Dashboard,
  seriesOf: (panel: Panel) => ReadonlyArray<Series>,
  range: PanelDrawing.Range
): Drawn => {
  const height = heightOf(panels)
  const time = (at: number) => new Date(at * 1_000).toISOString().slice(11, 19)
  const drawn = panels.map((panel) => PanelDrawing.draw(panel, seriesOf(panel), range, boxOf(panel.gridPos)))
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><style>${style}</style>
<rect width="${width}" height="${height}" fill="#f4f5f7"/>
<text x="${gap + 4}" y="29" class="head">${PanelDrawing.escaped(title)}</text>
<text x="${width - gap - 4}" y="28" class="tick end">${time(range.from)} to ${time(range.to)} UTC</text>
${drawn.join("\n")}
</svg>`
  return { svg, height }
}

const style = `
text { font-family: "DejaVu Sans", Helvetica, Arial, sans-serif; fill: #24292e }
.panel { fill: #fff; stroke: #dcdfe4 }
.head { font-size: 19px; font-weight: bold }
.title { font-size: 13px; font-weight: bold }
.tick { font-size: 11px; fill: #5b6168 }
.legend { font-size: 11px }
.end { text-anchor: end }
.middle, .none, .state { text-anchor: middle }
.none { font-size: 14px; fill: #5b6168 }
.state { font-size: 11px; fill: #fff }
.grid { stroke: #e6e8ec; fill: none; shape-rendering: crispEdges }
.line { fill: none; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round }`
