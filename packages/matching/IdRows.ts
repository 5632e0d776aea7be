/** Where what is remembered of an id is. */
import { type Id, together } from "@venue/domain/Id"
import * as Chains from "./Chains.ts"
import { ofHalf } from "./Mix.ts"

/**
 * Ids drawn in turn share their first half and count in their last digit, so the numbers of their records, above 0,
 * stand side by side in one row, found by that half; while they come in turn, their row is at hand without a search.
 * An id that shares both with another stands in one more row of the same half.
 */
export interface IdRows {
  /** The first row of each hash, which leads to the others; 0 where there is none. */
  heads: Int32Array
  /** Shifting a hash by this gives its head. */
  shift: number
  words: Int32Array
  /** Words ever used, and the first of the rows given back. */
  used: number
  free: number
  count: number
  /** The row entered last, if it is the first of its half and still there; or 0. */
  last: number
}

export const make = (): IdRows => ({
  heads: new Int32Array(leastRows),
  shift: 32 - Math.log2(leastRows),
  words: new Int32Array(leastRows * width),
  used: width,
  free: 0,
  count: 0,
  last: 0
})

/** The first row where an id can be, or 0; `next` leads to the others. */
export const first = (rows: IdRows, { a, b }: Id): number => {
  const { heads, last, shift, words } = rows
  if (last !== 0 && words[last + A] === a && words[last + B] === b) return last
  return search(words, heads[ofHalf(a, b) >>> shift]!, a, b)
}

export const next = ({ words }: IdRows, row: number): number =>
  search(words, words[row + NEXT]!, words[row + A]!, words[row + B]!)

/** The number in a row that may be of this id, or 0. */
export const at = ({ words }: IdRows, row: number, { d }: Id): number => words[row + (d & lastPlace)]!

export const enter = (rows: IdRows, id: Id, number: number): void => {
  let row = first(rows, id)
  if (row !== 0) rows.last = row
  while (row !== 0 && at(rows, row, id) !== 0) row = next(rows, row)
  if (row === 0) row = add(rows, id)
  rows.words[row + (id.d & lastPlace)] = number
  rows.words[row + USED]!++
}

/** The number must be there. */
export const leave = (rows: IdRows, id: Id, number: number): void => {
  let row = first(rows, id)
  while (at(rows, row, id) !== number) row = next(rows, row)
  rows.words[row + (id.d & lastPlace)] = 0
  if (--rows.words[row + USED]! === 0) drop(rows, row)
}

/** Words of a row: first the numbers, then these. */
const A = together
const B = together + 1
const NEXT = together + 2
const USED = together + 3
const width = together + 4
const lastPlace = together - 1
const leastRows = 16

function search(words: Int32Array, from: number, a: number, b: number): number {
  let row = from
  while (row !== 0 && (words[row + A] !== a || words[row + B] !== b)) row = words[row + NEXT]!
  return row
}

/** An empty row, now the first of its half. */
function add(rows: IdRows, { a, b }: Id): number {
  if (++rows.count > rows.heads.length) growHeads(rows)
  const row = take(rows)
  const { words } = rows
  words[row + A] = a
  words[row + B] = b
  Chains.link(rows.heads, headOf(rows, row), words, row, NEXT)
  rows.last = row
  return row
}

function drop(rows: IdRows, row: number): void {
  const { heads, words } = rows
  Chains.unlink(heads, headOf(rows, row), words, row, NEXT)
  words[row + NEXT] = rows.free
  rows.free = row
  rows.count--
  if (rows.last === row) rows.last = 0
}

function headOf({ shift, words }: IdRows, row: number): number {
  return ofHalf(words[row + A]!, words[row + B]!) >>> shift
}

function take(rows: IdRows): number {
  const row = rows.free
  if (row !== 0) {
    rows.free = rows.words[row + NEXT]!
    return row
  }
  rows.used += width
  if (rows.used > rows.words.length) rows.words = Chains.larger(rows.words, width)
  return rows.used - width
}

/** Rows of one half may change their order, so none of them is known to be the first. */
function growHeads(rows: IdRows): void {
  rows.shift--
  rows.last = 0
  rows.heads = Chains.twice(rows.heads, rows.words, NEXT, (row) => headOf(rows, row))
}
