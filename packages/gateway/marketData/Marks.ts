/** The mark of one market as each of its last minutes left it: what the mark of now is compared with. */
import { minuteOf } from "@venue/domain/Minute"
import { priceE8, type Ratio } from "@venue/domain/Split"

export interface Mark {
  readonly minute: number
  readonly markE8: number
}

/** Its one owner changes it in place. */
export interface Marks {
  /** The oldest first; the first one may be older than a day, as it stood until the next. */
  readonly rows: Array<Mark>
}

/** So many minutes are a day, with the one that runs. */
export const dayMinutes = 1_440

/** Restates marks of before each split, the earliest split first; the mark of the minute of a split is of after it. */
export const of = (
  rows: ReadonlyArray<Mark>,
  splits: ReadonlyArray<Ratio & { readonly atMillis: number }> = []
): Marks => ({
  rows: rows.map((mark) =>
    splits.reduce((row, split) => (row.minute < minuteOf(split.atMillis) ? inNewUnits(row, split) : row), mark)
  )
})

/** Time never goes back in a market, so it is of the last minute or a later one. */
export const take = ({ rows }: Marks, atMillis: number, markE8: number): void => {
  const minute = minuteOf(atMillis)
  if (rows.at(-1)?.minute === minute) rows.pop()
  rows.push({ minute, markE8 })
  while (rows.length > 1 && rows[1]!.minute <= minute - dayMinutes) rows.shift()
}

export const split = ({ rows }: Marks, ratio: Ratio): void => {
  for (const [at, row] of rows.entries()) rows[at] = inNewUnits(row, ratio)
}

/**
 * By how much a mark differs from the one that stood when the day began, in percent with two places, rounded to the
 * nearest; 0 where there was none by then.
 */
export const changePercent = ({ rows }: Marks, markE8: number, nowMinute: number): number => {
  const later = rows.findIndex(({ minute }) => minute > nowMinute - dayMinutes)
  const before = later === -1 ? rows.at(-1) : rows[later - 1]
  return before === undefined ? 0 : Math.round(((markE8 - before.markE8) / before.markE8) * 10_000) / 100
}

const inNewUnits = ({ markE8, minute }: Mark, ratio: Ratio): Mark => ({ minute, markE8: priceE8(markE8, ratio) })
