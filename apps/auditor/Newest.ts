/** The marks of the newest rows of a table, in the order in which they were first read: the oldest go when there are enough. */
import type { Mark } from "./Mark.ts"

export interface Newest {
  readonly marks: Set<Mark>
  /** The mark that the next row of a name may still belong to. */
  readonly openByName: Map<string, Mark>
  /** Where the mark of a name was given up that its next row would have belonged to: up to this row. */
  readonly givenUpByName: Map<string, number>
  count: number
}

export const make = (): Newest => ({ marks: new Set(), openByName: new Map(), givenUpByName: new Map(), count: 0 })

/** Rows of one name come in the order of their numbers. Answers the mark that no more of them belong to. */
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

/** There are no more rows of that name. Answers its last mark. */
export const close = ({ openByName }: Newest, name: string): Mark | undefined => {
  const open = openByName.get(name)
  openByName.delete(name)
  return open
}

/** Takes the oldest away as long as enough rows are left. Answers those that more rows would have belonged to. */
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

/** A mark is of the rows from one multiple of this to the next. */
export const markRows = 500
/** So many of the newest rows of each table are read again and again. */
export const newestRows = 50_000

const endOf = (row: number): number => Math.ceil(row / markRows) * markRows
