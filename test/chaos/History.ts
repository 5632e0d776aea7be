/**
 * History file of a run: each line is written before its effect continues, so that an interrupted run can be judged.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs"
import type { Line } from "./HistoryLine.ts"

export interface History {
  readonly file: string
  readonly write: (line: Line) => void
  /** Lines of this run and of the earlier runs it continues. */
  readonly lines: ReadonlyArray<Line>
  readonly close: () => void
}

/** Wall-clock time of the start, advanced by the monotonic clock. */
export const now = (): number => performance.timeOrigin + performance.now()

export const open = (file: string): History => {
  const lines = existsSync(file) ? [...read(file)] : []
  const target = openSync(file, "a")
  return {
    file,
    lines,
    write: (line) => {
      lines.push(line)
      writeSync(target, `${JSON.stringify(line)}\n`)
    },
    close: () => closeSync(target)
  }
}

/** Ignores an incomplete last line. */
export const read = (file: string): ReadonlyArray<Line> =>
  readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((text) => JSON.parse(text) as Line)
