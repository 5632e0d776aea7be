/** The members of a Grafana dashboard that the pictures show. */
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

/** Cells of Grafana's grid, which has 24 columns. */
export interface GridPos {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** Text and colour of a value in a state timeline. */
export interface ValueText {
  readonly text: string
  readonly color: string
}

export interface Target {
  readonly expr: string
  readonly legendFormat: string
}

export interface Panel {
  readonly id: number
  readonly title: string
  readonly type: "timeseries" | "state-timeline"
  readonly gridPos: GridPos
  readonly fieldConfig: {
    readonly defaults: {
      readonly unit: string
      readonly min?: number
      readonly max?: number
      readonly decimals?: number
      /** Text in the place of a drawing without data. */
      readonly noValue?: string
      readonly mappings?: ReadonlyArray<{ readonly options: Readonly<Record<string, ValueText>> }>
    }
  }
  readonly targets: ReadonlyArray<Target>
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly panels: ReadonlyArray<Panel>
}

const folder = join(import.meta.dirname, "../../deploy/monitoring/grafana/dashboards")

export const all = (): ReadonlyArray<readonly [name: string, dashboard: Dashboard]> =>
  globSync("*.json", { cwd: folder })
    .toSorted()
    .map((file) => [basename(file, ".json"), JSON.parse(readFileSync(join(folder, file), "utf8")) as Dashboard])
