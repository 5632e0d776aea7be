/** Index from command ids to the numbers of their records. */
import { type Id, sharedRun } from "@venue/domain/Id"
import * as HashChain from "../state/HashChain.ts"
import { hashHalf } from "@venue/domain/BitMix"

/**
 * Consecutive ids share their first half and differ in their last digit. A bucket stores the record numbers (above 0)
 * of such ids side by side, and a hash of the shared half finds the bucket. `last` caches the most recent bucket, so
 * consecutive ids need no search. If two ids share both half and digit, the second goes to another bucket for the
 * same half.
 */
export interface CommandIndex {
  /** First bucket for each hash, as the head of a linked list; 0 if the list is empty. */
  heads: Int32Array
  /** Right shift that turns a hash into an index of `heads`. */
  shift: number
  words: Int32Array
  /** Number of words that have ever been used; freed buckets form a list that begins at `free`. */
  used: number
  free: number
  count: number
  /** Most recently used bucket, or 0 if that bucket is not the first for its half. */
  last: number
}

export const make = (): CommandIndex => ({
  heads: new Int32Array(leastBuckets),
  shift: 32 - Math.log2(leastBuckets),
  words: new Int32Array(leastBuckets * width),
  used: width,
  free: 0,
  count: 0,
  last: 0
})

/** Returns the first bucket that might contain an id, or 0. `next` links each bucket to the next candidate. */
export const first = (index: CommandIndex, { a, b }: Id): number => {
  const { heads, last, shift, words } = index
  if (last !== 0 && words[last + A] === a && words[last + B] === b) return last
  return search(words, heads[hashHalf(a, b) >>> shift]!, a, b)
}

export const next = ({ words }: CommandIndex, bucket: number): number =>
  search(words, words[bucket + NEXT]!, words[bucket + A]!, words[bucket + B]!)

/** Returns the number of the record that might belong to this id, or 0. */
export const at = ({ words }: CommandIndex, bucket: number, { d }: Id): number => words[bucket + (d & lastPlace)]!

export const enter = (index: CommandIndex, id: Id, number: number): void => {
  let bucket = first(index, id)
  if (bucket !== 0) index.last = bucket
  while (bucket !== 0 && at(index, bucket, id) !== 0) bucket = next(index, bucket)
  if (bucket === 0) bucket = add(index, id)
  index.words[bucket + (id.d & lastPlace)] = number
  index.words[bucket + USED]!++
}

/** Removes a record number, which must be present. */
export const leave = (index: CommandIndex, id: Id, number: number): void => {
  let bucket = first(index, id)
  while (at(index, bucket, id) !== number) bucket = next(index, bucket)
  index.words[bucket + (id.d & lastPlace)] = 0
  if (--index.words[bucket + USED]! === 0) drop(index, bucket)
}

/** A bucket holds the record numbers first, then these words. */
const A = sharedRun
const B = sharedRun + 1
const NEXT = sharedRun + 2
const USED = sharedRun + 3
const width = sharedRun + 4
const lastPlace = sharedRun - 1
const leastBuckets = 16

function search(words: Int32Array, from: number, a: number, b: number): number {
  let bucket = from
  while (bucket !== 0 && (words[bucket + A] !== a || words[bucket + B] !== b)) bucket = words[bucket + NEXT]!
  return bucket
}

/** Adds an empty bucket in front of the other buckets for the same half. */
function add(index: CommandIndex, { a, b }: Id): number {
  if (++index.count > index.heads.length) growHeads(index)
  const bucket = take(index)
  const { words } = index
  words[bucket + A] = a
  words[bucket + B] = b
  HashChain.link(index.heads, headOf(index, bucket), words, bucket, NEXT)
  index.last = bucket
  return bucket
}

function drop(index: CommandIndex, bucket: number): void {
  const { heads, words } = index
  HashChain.unlink(heads, headOf(index, bucket), words, bucket, NEXT)
  words[bucket + NEXT] = index.free
  index.free = bucket
  index.count--
  if (index.last === bucket) index.last = 0
}

function headOf({ shift, words }: CommandIndex, bucket: number): number {
  return hashHalf(words[bucket + A]!, words[bucket + B]!) >>> shift
}

function take(index: CommandIndex): number {
  const bucket = index.free
  if (bucket !== 0) {
    index.free = index.words[bucket + NEXT]!
    return bucket
  }
  index.used += width
  if (index.used > index.words.length) index.words = HashChain.larger(index.words, width)
  return index.used - width
}

/** Growing can reorder the buckets for a half, so the cached bucket might no longer be the first. */
function growHeads(index: CommandIndex): void {
  index.shift--
  index.last = 0
  index.heads = HashChain.twice(index.heads, index.words, NEXT, (bucket) => headOf(index, bucket))
}
