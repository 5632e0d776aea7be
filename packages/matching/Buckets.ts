/** Where the record of each hash is: buckets of seven places, looked through a whole bucket at a time. */

/**
 * A place has a byte of its hash, 0 where it is free, and the record's slot. The bytes of a bucket stand in two words,
 * so one look at one line of the cache tells of nearly every new hash that it is new, without a branch to guess.
 */
export interface Buckets {
  /** Two words of each bucket: seven bytes, and above them how many records that belong here found it full. */
  words: Int32Array
  /** The same memory by bytes. */
  bytes: Uint8Array
  /** Seven slots of each bucket. */
  slots: Int32Array
  /** Shifting a hash by this gives its bucket. */
  shift: number
  count: number
}

export const make = (bits: number): Buckets => {
  const words = new Int32Array(2 << bits)
  return {
    words,
    bytes: new Uint8Array(words.buffer),
    slots: new Int32Array(places << bits),
    shift: 32 - bits,
    count: 0
  }
}

/** Whether there are so many records that buckets begin to be full, and the next ones need more of them. */
export const isCrowded = ({ count, words }: Buckets): boolean => count > words.length << 1

/** The bucket where a search for a hash begins; it goes on in the next one while `isPassed`. */
export const first = ({ shift }: Buckets, hash: number): number => hash >>> shift

export const next = ({ words }: Buckets, bucket: number): number => bucket + 1 & (words.length >> 1) - 1

/** Whether a record that belongs in this bucket or an earlier one may be in the next. */
export const isPassed = ({ words }: Buckets, bucket: number): boolean => words[(bucket << 1) + 1]! >>> topByte !== 0

/** Whether a bucket may have a record of this hash; false is certain. */
export const mayHave = ({ words }: Buckets, bucket: number, hash: number): boolean => {
  const wanted = Math.imul(byteOf(hash), everyByte)
  const low = words[bucket << 1]! ^ wanted
  const high = (words[(bucket << 1) + 1]! ^ wanted) | 0xff << topByte
  return ((low - everyByte & ~low | high - everyByte & ~high) & everyTop) !== 0
}

/** The slot at a place of a bucket, or -1 where the place is another hash's. */
export const slotAt = ({ bytes, slots }: Buckets, bucket: number, place: number, hash: number): number =>
  bytes[(bucket << 3) + place] === byteOf(hash) ? slots[bucket * places + place]! : -1

/** Places of a bucket. */
export const places = 7

export const enter = (buckets: Buckets, hash: number, slot: number): void => {
  const { bytes, slots } = buckets
  let bucket = first(buckets, hash)
  let place = free(buckets, bucket)
  while (place === places) {
    if (bytes[(bucket << 3) + places]! < manyPassed) bytes[(bucket << 3) + places]!++
    bucket = next(buckets, bucket)
    place = free(buckets, bucket)
  }
  bytes[(bucket << 3) + place] = byteOf(hash)
  slots[bucket * places + place] = slot
  buckets.count++
}

/** The record must be there. */
export const leave = (buckets: Buckets, hash: number, slot: number): void => {
  const { bytes } = buckets
  for (let bucket = first(buckets, hash); ; bucket = next(buckets, bucket)) {
    for (let place = 0; place < places; place++) {
      if (slotAt(buckets, bucket, place, hash) !== slot) continue
      bytes[(bucket << 3) + place] = 0
      buckets.count--
      return
    }
    // Once as many as a byte can count went past, it counts no more and says so for ever.
    if (bytes[(bucket << 3) + places]! < manyPassed) bytes[(bucket << 3) + places]!--
  }
}

const topByte = 24
const everyByte = 0x01010101
const everyTop = 0x80808080
const manyPassed = 255

function byteOf(hash: number): number {
  return hash & 0xff || 1
}

/** The first free place, or `places`. */
function free({ words }: Buckets, bucket: number): number {
  const low = words[bucket << 1]!
  const lowFree = ~((low & ~everyTop) + ~everyTop | low) & everyTop
  if (lowFree !== 0) return lowest(lowFree)
  const high = words[(bucket << 1) + 1]! | 0xff << topByte
  const highFree = ~((high & ~everyTop) + ~everyTop | high) & everyTop
  return highFree === 0 ? places : 4 + lowest(highFree)
}

/** The number of the lowest byte that has its top bit. */
function lowest(word: number): number {
  return 31 - Math.clz32(word & -word) >> 3
}
