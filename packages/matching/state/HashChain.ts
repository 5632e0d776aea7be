/**
 * Records of a fixed number of words in one array, found by hash. A record is named by the position of its first word,
 * and 0 names none. Those of one hash form a chain, which begins at the head of that hash.
 */

/** Makes a record the first of its chain; the word at `next` leads to the one that was. */
export const link = (heads: Int32Array, head: number, words: Int32Array, record: number, next: number): void => {
  words[record + next] = heads[head]!
  heads[head] = record
}

/** The record must be in that chain. */
export const unlink = (heads: Int32Array, head: number, words: Int32Array, record: number, next: number): void => {
  const after = words[record + next]!
  let before = heads[head]!
  if (before === record) heads[head] = after
  else {
    while (words[before + next] !== record) before = words[before + next]!
    words[before + next] = after
  }
}

/** Doubles the heads and puts every record behind its new one. Records of one chain may change their order. */
export const twice = (
  heads: Int32Array,
  words: Int32Array,
  next: number,
  headOf: (record: number) => number
): Int32Array => {
  const wider = new Int32Array(2 * heads.length)
  for (const head of heads) {
    let record = head
    while (record !== 0) {
      const after = words[record + next]!
      link(wider, headOf(record), words, record, next)
      record = after
    }
  }
  return wider
}

/**
 * Makes a copy with room for more: twice as much for few records, an eighth more for many, since unused room costs as
 * well.
 */
export const larger = (words: Int32Array, width: number): Int32Array<ArrayBuffer> => {
  const before = words.length / width
  const larger = new Int32Array((before < 65_536 ? before * 2 : before + (before >> 3)) * width)
  larger.set(words)
  return larger
}
