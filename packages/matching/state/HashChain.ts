/**
 * Hash chains of fixed-width records in one array. A record is identified by the index of its first word; 0 means no
 * record. Records with the same hash form a linked list that starts at the head for that hash.
 */

/** Puts a record at the front of its chain. The record's word at `next` links to the previous front. */
export const link = (heads: Int32Array, head: number, words: Int32Array, record: number, next: number): void => {
  words[record + next] = heads[head]!
  heads[head] = record
}

/** Removes a record, which must be in that chain. */
export const unlink = (heads: Int32Array, head: number, words: Int32Array, record: number, next: number): void => {
  const after = words[record + next]!
  let before = heads[head]!
  if (before === record) heads[head] = after
  else {
    while (words[before + next] !== record) before = words[before + next]!
    words[before + next] = after
  }
}

/** Doubles the heads and relinks every record. Records of one chain can change their order. */
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

/** Returns a larger copy. A small array doubles; a large one grows by an eighth, because unused memory costs, too. */
export const larger = (words: Int32Array, width: number): Int32Array<ArrayBuffer> => {
  const before = words.length / width
  const larger = new Int32Array((before < 65_536 ? before * 2 : before + (before >> 3)) * width)
  larger.set(words)
  return larger
}
