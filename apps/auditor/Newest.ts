/** Marks of a table's newest rows, in the order of their first read. Above a limit, the oldest marks are dropped. */
import type { Mark } from "./Mark.ts"

export interface Newest {
  readonly marks: Set<Mark>
  /** Open mark for each name. The next row with this name might still belong to it. */
  readonly openByName: Map<string, Mark>
  /** Last row of a dropped open mark, by name. The next mark with this name starts after that row. */
  readonly givenUpByName: Map<string, number>
  count: number
}

export const make = (): Newest => ({ marks: new Set(), openByName: new Map(), givenUpByName: new Map(), count: 0 })

/** Adds a row. A name's rows must come in order. Returns the name's previous mark if the row starts a new one. */
export const add = (newest: Newest, name: string, row: number, hash: bigint, rows = 1): Mark | undefined => {
  newest.count += rows
  const open = newest.openByName.get(name)
  if (open !== undefined && row <= endOf(open.first)) {
    open.last = row
    open.count += rows
    open.hash ^= hash
    return undefined
  }
  const first = Math.max(endOf(row) - markRows, newest.givenUpByName.get(name) ?? 0) + 1
  const mark = { name, first, last: row, count: rows, hash }
  newest.givenUpByName.delete(name)
  newest.marks.add(mark)
  newest.openByName.set(name, mark)
  return open
}

/** Closes and returns a name's open mark, or returns undefined. */
export const close = ({ openByName }: Newest, name: string): Mark | undefined => {
  const open = openByName.get(name)
  openByName.delete(name)
  return open
}

/** Drops the oldest marks while at least `mostRows` rows remain. Returns the dropped marks that were still open. */
export const drop = (newest: Newest, mostRows: number): ReadonlyArray<Mark> => {
  const givenUp: Array<Mark> = []
  for (const mark of newest.marks) {
    if (newest.count - mark.count < mostRows) break
    newest.marks.delete(mark)
    newest.count -= mark.count
    if (newest.openByName.get(mark.name) !== mark) continue
    newest.openByName.delete(mark.name)
    newest.givenUpByName.set(mark.name, mark.last)
    givenUp.push(mark)
  }
  return givenUp
}

/** Number of rows in a full mark. Marks end at multiples of this number. */
export const markRows = 500
/** Number of the newest rows in each table that every pass reads again. */
export const newestRows = 50_000

const endOf = (row: number): number => Math.ceil(row / markRows) * markRows
