/** The file of a run: each line is in it before what it tells of goes on, so that a run that is cut short can be judged. */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs"
import type { Line } from "./HistoryLine.ts"

export interface History {
  readonly file: string
  readonly write: (line: Line) => void
  /** Lines of this run and of those that it goes on from. */
  readonly lines: ReadonlyArray<Line>
  readonly close: () => void
}

/** The time of the machine, carried by the monotonic clock. */
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

/** A last line that was cut short is left out. */
export const read = (file: string): ReadonlyArray<Line> =>
  readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((text) => JSON.parse(text) as Line)
