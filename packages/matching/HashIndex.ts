/** Finds a record by the hash of its id: open addressing, so one line of the cache tells of most new ids that they are. */
import type { Id } from "@venue/domain/Id"

/**
 * A place is two words: the hash, and the number of the record, above 0; 0 where the place is free. Places stand in
 * rows of sixteen. Ids given one after the other share a row, each at a place of its own, so that most searches find
 * their line of the cache at hand; where a place is taken, the one below it is tried, and below the last row the top of
 * the next column.
 */
export interface HashIndex {
  words: Int32Array
  /** Shifting a hash by this gives its row. */
  shift: number
  count: number
}

export const make = (): HashIndex => ({
  words: new Int32Array(leastRows * rowWords),
  shift: 32 - Math.log2(leastRows),
  count: 0
})

export const hash = ({ a, b, d }: Id): number => hashOf(a, b, d)

/** Of the words of an id: its row follows from the half it shares with others, its place there from its last digit. */
export const hashOf = (a: number, b: number, d: number): number =>
  (mix(Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77)) & ~lastPlace) | (d & lastPlace)

/** A bijection of 32 bits in which every bit of the input reaches every bit of the result. */
export const mix = (word: number): number => {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return h ^ (h >>> 16)
}

/** The first place where a record of this hash can be; the search goes on with `next` until a place is free. */
export const first = ({ shift }: HashIndex, hash: number): number =>
  (hash >>> shift) * rowWords + ((hash & lastPlace) << 1)

export const next = ({ words }: HashIndex, place: number): number => {
  const below = place + rowWords
  return below < words.length ? below : (below + 2) & (rowWords - 1)
}

/** The number at the first place of a hash, which may be another's or 0. */
export const touch = (index: HashIndex, hash: number): number => index.words[first(index, hash) + 1]!

export const enter = (index: HashIndex, hash: number, number: number): void => {
  if (++index.count > index.words.length >> 2) grow(index)
  put(index, hash, number)
}

/** The record must be there. What stands behind it moves up, so that no search ends too early. */
export const leave = (index: HashIndex, hash: number, number: number): void => {
  const { words } = index
  const last = (words.length >> 1) - 1
  let free = first(index, hash)
  while (words[free + 1] !== number) free = next(index, free)
  for (let place = next(index, free); words[place + 1] !== 0; place = next(index, place)) {
    const home = first(index, words[place]!)
    const turn = turnOf(index, place)
    if (((turn - turnOf(index, home)) & last) < ((turn - turnOf(index, free)) & last)) continue
    words[free] = words[place]!
    words[free + 1] = words[place + 1]!
    free = place
  }
  words[free + 1] = 0
  index.count--
}

/** Of a row, and in the last four bits of an id. */
const lastPlace = 15
const rowWords = 32
const leastRows = 4

/** Places in the order in which a search goes through them: column by column. */
function turnOf({ shift }: HashIndex, place: number): number {
  return ((place & (rowWords - 1)) << (31 - shift)) | (place >>> 5)
}

function put(index: HashIndex, hash: number, number: number): void {
  const { words } = index
  let place = first(index, hash)
  while (words[place + 1] !== 0) place = next(index, place)
  words[place] = hash
  words[place + 1] = number
}

/** Twice the places. Rows are in the order of their hashes, so both the old and the new ones are walked in turn. */
function grow(index: HashIndex): void {
  const { words } = index
  index.words = new Int32Array(words.length * 2)
  index.shift--
  for (let place = 0; place < words.length; place += 2) {
    if (words[place + 1] !== 0) put(index, words[place]!, words[place + 1]!)
  }
}
