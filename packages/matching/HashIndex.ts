/** Finds a record by the hash of its id: open addressing, so one line of the cache tells of most new ids that they are. */

/** A place is two words: the hash, and the number of the record, above 0; 0 where the place is free. */
export interface HashIndex {
  words: Int32Array
  /** Shifting a hash by this gives its first place. */
  shift: number
  count: number
}

export const make = (): HashIndex => ({ words: new Int32Array(2 << leastBits), shift: 32 - leastBits, count: 0 })

/** The first place where a record of this hash can be; the search goes on with `next` until a place is free. */
export const first = ({ shift }: HashIndex, hash: number): number => (hash >>> shift) << 1

export const next = ({ words }: HashIndex, place: number): number => (place + 2) & (words.length - 1)

/** The number at the first place of a hash, which may be another's or 0. */
export const touch = (index: HashIndex, hash: number): number => index.words[first(index, hash) + 1]!

export const enter = (index: HashIndex, hash: number, number: number): void => {
  if (++index.count > index.words.length >> 2) grow(index)
  put(index, hash, number)
}

/** The record must be there. What stands behind it moves up, so that no search ends too early. */
export const leave = (index: HashIndex, hash: number, number: number): void => {
  const { words } = index
  const last = words.length - 1
  let free = first(index, hash)
  while (words[free + 1] !== number) free = next(index, free)
  for (let place = next(index, free); words[place + 1] !== 0; place = next(index, place)) {
    const home = first(index, words[place]!)
    if (((place - home) & last) < ((place - free) & last)) continue
    words[free] = words[place]!
    words[free + 1] = words[place + 1]!
    free = place
  }
  words[free + 1] = 0
  index.count--
}

const leastBits = 6

function put(index: HashIndex, hash: number, number: number): void {
  const { words } = index
  let place = first(index, hash)
  while (words[place + 1] !== 0) place = next(index, place)
  words[place] = hash
  words[place + 1] = number
}

/** Twice the places. They are in the order of their hashes, so both the old and the new ones are walked in turn. */
function grow(index: HashIndex): void {
  const { words } = index
  index.words = new Int32Array(words.length * 2)
  index.shift--
  for (let place = 0; place < words.length; place += 2) {
    if (words[place + 1] !== 0) put(index, words[place]!, words[place + 1]!)
  }
}
