/** Where the record of each hash is: buckets of twelve places, looked through a whole bucket at a time. */

/**
 * A bucket is sixteen words: a byte of the hash for each place, 0 where it is free, in three of them; how many records
 * that belong here found it full; and the slot of each place. One line of the cache so tells of nearly every new hash
 * that it is new, without a branch to guess, and takes it in.
 */
export interface Buckets {
  readonly words: Int32Array
  /** The same memory by bytes. */
  readonly bytes: Uint8Array
  /** Shifting a hash by this gives its bucket. */
  readonly shift: number
  count: number
}

export const make = (bits: number): Buckets => {
  const words = new Int32Array(width << bits)
  return { words, bytes: new Uint8Array(words.buffer), shift: 32 - bits, count: 0 }
}

/** Whether there are so many records that buckets begin to be full, and the next ones need more of them. */
export const isCrowded = ({ count, words }: Buckets): boolean => count > words.length >> 1

/** The first word of the bucket where a search for a hash begins; it goes on in the next one while `isPassed`. */
export const first = ({ shift }: Buckets, hash: number): number => (hash >>> shift) * width

export const next = ({ words }: Buckets, bucket: number): number => (bucket + width) & (words.length - 1)

/** Whether a record that belongs in this bucket or an earlier one may be in the next. */
export const isPassed = ({ words }: Buckets, bucket: number): boolean => words[bucket + PASSED] !== 0

/** Whether a bucket may have a record of this hash; false is certain. */
export const mayHave = ({ words }: Buckets, bucket: number, hash: number): boolean => {
  const wanted = Math.imul(byteOf(hash), everyByte)
  const a = words[bucket]! ^ wanted
  const b = words[bucket + 1]! ^ wanted
  const c = words[bucket + 2]! ^ wanted
  return ((((a - everyByte) & ~a) | ((b - everyByte) & ~b) | ((c - everyByte) & ~c)) & everyTop) !== 0
}

/** The slot at a place of a bucket, or -1 where the place is another hash's. */
export const slotAt = ({ bytes, words }: Buckets, bucket: number, place: number, hash: number): number =>
  bytes[(bucket << 2) + place] === byteOf(hash) ? words[bucket + SLOTS + place]! : -1

/** Places of a bucket. */
export const places = 12

export const enter = (buckets: Buckets, hash: number, slot: number): void => {
  const { bytes, words } = buckets
  let bucket = first(buckets, hash)
  let place = free(words, bucket)
  while (place === places) {
    words[bucket + PASSED]!++
    bucket = next(buckets, bucket)
    place = free(words, bucket)
  }
  bytes[(bucket << 2) + place] = byteOf(hash)
  words[bucket + SLOTS + place] = slot
  buckets.count++
}

/** The record must be there. */
export const leave = (buckets: Buckets, hash: number, slot: number): void => {
  const { bytes, words } = buckets
  for (let bucket = first(buckets, hash); ; bucket = next(buckets, bucket)) {
    for (let place = 0; place < places; place++) {
      if (slotAt(buckets, bucket, place, hash) !== slot) continue
      bytes[(bucket << 2) + place] = 0
      buckets.count--
      return
    }
    words[bucket + PASSED]!--
  }
}

const PASSED = 3
const SLOTS = 4
const width = 16
const everyByte = 0x01010101
const everyTop = 0x80808080 | 0
const everyRest = 0x7f7f7f7f

function byteOf(hash: number): number {
  return hash & 0xff || 1
}

/** The first free place, or `places`. */
function free(words: Int32Array, bucket: number): number {
  for (let word = 0; word < 3; word++) {
    const bytes = words[bucket + word]!
    const found = ~(((bytes & everyRest) + everyRest) | bytes) & everyTop
    if (found !== 0) return (word << 2) + ((31 - Math.clz32(found & -found)) >> 3)
  }
  return places
}
