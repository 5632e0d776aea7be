/** Mark prices of one market at the end of each of the last 1,440 minutes, for the change over a day. */
import { minuteOf } from "@venue/domain/Minute"
import { priceE8, type Ratio } from "@venue/domain/Split"

export interface Mark {
  readonly minute: number
  readonly markE8: number
}

/** Mark prices of one market. Mutable, so they must have a single owner. */
export interface Marks {
  /** Marks from oldest to newest. The first mark might be older than a day, because it applies until the next one. */
  readonly rows: Array<Mark>
}

/** Minutes in a day, including the current one. */
export const dayMinutes = 1_440

/**
 * Returns marks, with those before each split converted to new units. Splits are in order; the mark of a split's
 * minute already uses the new units.
 */
export const of = (
  rows: ReadonlyArray<Mark>,
  splits: ReadonlyArray<Ratio & { readonly atMillis: number }> = []
): Marks => ({
  rows: rows.map((mark) =>
    splits.reduce((row, split) => (row.minute < minuteOf(split.atMillis) ? inNewUnits(row, split) : row), mark)
  )
})

/** Adds a mark. Times in a market never decrease, so the mark belongs to the last minute or a later one. */
export const take = ({ rows }: Marks, atMillis: number, markE8: number): void => {
  const minute = minuteOf(atMillis)
  if (rows.at(-1)?.minute === minute) rows.pop()
  rows.push({ minute, markE8 })
  while (rows.length > 1 && rows[1]!.minute <= minute - dayMinutes) rows.shift()
}

/** Converts all marks to the units after a split. */
export const split = ({ rows }: Marks, ratio: Ratio): void => {
  for (const [at, row] of rows.entries()) rows[at] = inNewUnits(row, ratio)
}

/** Returns the change in percent from the mark 1,440 minutes ago, to two decimals; 0 if there is no such mark. */
export const changePercent = ({ rows }: Marks, markE8: number, nowMinute: number): number => {
  const later = rows.findIndex(({ minute }) => minute > nowMinute - dayMinutes)
  const before = later === -1 ? rows.at(-1) : rows[later - 1]
  return before === undefined ? 0 : Math.round(((markE8 - before.markE8) / before.markE8) * 10_000) / 100
}

const inNewUnits = ({ markE8, minute }: Mark, ratio: Ratio): Mark => ({ minute, markE8: priceE8(markE8, ratio) })
