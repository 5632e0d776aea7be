/** CSV files (RFC 4180): a header line, then one line per row. */
import type { Instrument } from "@venue/domain/Instrument"
import { instant } from "./Digits.ts"

/** Format of a file: its name, its columns, and the cells of a row. */
export interface File<Row> {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** Returns the cells of a line. Cells with free text must be escaped with `text`. */
  readonly cells: (instrument: Instrument, row: Row) => ReadonlyArray<string>
}

/** Joins cells into a line that ends with CR LF. */
export const line = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

/**
 * Escapes text that does not come from the venue. Puts an apostrophe before text that a spreadsheet would run as a
 * formula. Numbers do not pass through this function, so they keep their minus sign.
 */
export const text = (value: string): string => {
  const guarded = formula.test(value) ? `'${value}` : value
  return special.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** Prints a time in ISO 8601 and UTC with six decimals of a second, the last three always 0; "" for null. */
export const moment = (millis: number | null): string => (millis === null ? "" : instant(millis).replace("Z", "000Z"))

const formula = /^[=+\-@\t\r]/
const special = /[",\r\n]/
