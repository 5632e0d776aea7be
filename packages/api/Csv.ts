/** Tables as text, as RFC 4180 has it: a line of names, then a line for each row. */
import type { Instrument } from "@venue/domain/Instrument"
import { instant } from "./Digits.ts"

/** What a file is called, and how a row of a market becomes the cells of a line. */
export interface File<Row> {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** Cells that may hold anything are made by `text`; all others are written as they are. */
  readonly cells: (instrument: Instrument, row: Row) => ReadonlyArray<string>
}

export const line = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

/**
 * A text of somebody else. What a spreadsheet would take for a formula gets an apostrophe before it, which makes it a text
 * there; numbers are no texts, so that their minus is left alone.
 */
export const text = (value: string): string => {
  const guarded = formula.test(value) ? `'${value}` : value
  return special.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** UTC with microseconds, though times count milliseconds; empty for none. */
export const moment = (millis: number | null): string => (millis === null ? "" : instant(millis).replace("Z", "000Z"))

const formula = /^[=+\-@\t\r]/
const special = /[",\r\n]/
