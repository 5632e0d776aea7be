/**
 * A run's history file. Each line is written before the run continues, so that an interrupted run can still be
 * checked.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs"
import type { Line } from "./HistoryLine.ts"

export interface History {
  readonly file: string
  readonly write: (line: Line) => void
  /** Lines of this run and of the earlier runs that it continues. */
  readonly lines: ReadonlyArray<Line>
  readonly close: () => void
}

/** Wall-clock time at the tool's start, advanced by the monotonic clock, in Unix milliseconds. */
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
