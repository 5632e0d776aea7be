/** What became of each command, so that a repeat changes nothing: kept until a minute past its expiry. */
import { OrderRefusal, type Outcome } from "@venue/domain/Reject"
import * as Chain from "./Chain.ts"
import * as Uuid from "./Uuid.ts"

/**
 * A ring of records in the order they came, found by the 128 bits of the command id. There may be millions, so each
 * is eight words and a half and none is an object.
 */
export interface Outcomes {
  words: Int32Array
  expiresAtMillis: Float64Array
  heads: Int32Array
  /** Slot of the oldest record, and how many follow it. */
  first: number
  count: number
  /** Command ids that their words do not give back. */
  oddIds: Map<number, string>
}

export interface Remembered {
  readonly commandId: string
  readonly outcome: Outcome
  readonly expiresAtMillis: number
}

/** Copies of one request stop coming long before this. */
export const keptMillis = 60_000

export const make = (): Outcomes => ({
  words: new Int32Array(1025 << shift),
  expiresAtMillis: new Float64Array(1025),
  heads: new Int32Array(2048),
  first: 1,
  count: 0,
  oddIds: new Map()
})

/** The record of a command, or 0. A record past its time is not found, though it may not be gone yet. */
export const find = (outcomes: Outcomes, id: Int32Array, atMillis: number): number => {
  const { heads, words } = outcomes
  const a = id[0]!, b = id[1]!, c = id[2]!, d = id[3]!
  let slot = heads[Uuid.spread(a, b, c, d) & heads.length - 1]!
  while (slot !== 0) {
    const at = slot << shift
    if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) {
      return outcomes.expiresAtMillis[slot]! + keptMillis >= atMillis ? slot : 0
    }
    slot = words[at + CHAIN]!
  }
  return 0
}

export const at = (outcomes: Outcomes, slot: number): Outcome => names[outcomes.words[(slot << shift) + STATUS]!]!

export const remember = (
  outcomes: Outcomes,
  id: Int32Array,
  odd: string | undefined,
  user: number,
  outcome: Outcome,
  expiresAtMillis: number,
  atMillis: number
): void => {
  forget(outcomes, atMillis)
  if (outcomes.count === capacityOf(outcomes)) grow(outcomes)
  const slot = slotOf(outcomes, outcomes.count++)
  const at = slot << shift
  for (let i = 0; i < 4; i++) outcomes.words[at + i] = id[i]!
  outcomes.words[at + STATUS] = outcome === "DONE" ? 0 : numbers.get(outcome)!
  outcomes.words[at + USER] = user
  outcomes.expiresAtMillis[slot] = expiresAtMillis
  if (odd !== undefined) outcomes.oddIds.set(slot, odd)
  chain(outcomes, slot)
}

/** Every record still kept, oldest first. */
export const each = (outcomes: Outcomes, atMillis: number, visit: (slot: number, user: number) => void): void => {
  for (let i = 0; i < outcomes.count; i++) {
    const slot = slotOf(outcomes, i)
    if (outcomes.expiresAtMillis[slot]! + keptMillis >= atMillis) visit(slot, outcomes.words[(slot << shift) + USER]!)
  }
}

export const read = (outcomes: Outcomes, slot: number): Remembered => {
  const { words } = outcomes
  const first = slot << shift
  return {
    commandId: outcomes.oddIds.get(slot) ??
      Uuid.text(words[first]!, words[first + 1]!, words[first + 2]!, words[first + 3]!),
    outcome: at(outcomes, slot),
    expiresAtMillis: outcomes.expiresAtMillis[slot]!
  }
}

/** The records in the order they came, as bytes. */
export interface Stored {
  readonly words: Uint8Array
  readonly expiresAtMillis: Uint8Array
  /** Place of a record among those, and its id. */
  readonly oddIds: ReadonlyArray<readonly [number, string]>
}

export const store = (outcomes: Outcomes): Stored => {
  const { count, expiresAtMillis, words } = outcomes
  const stored = { words: new Int32Array(count << shift), expiresAtMillis: new Float64Array(count) }
  for (let i = 0; i < count; i++) {
    const slot = slotOf(outcomes, i)
    stored.words.set(words.subarray(slot << shift, slot + 1 << shift), i << shift)
    stored.expiresAtMillis[i] = expiresAtMillis[slot]!
  }
  return {
    words: new Uint8Array(stored.words.buffer),
    expiresAtMillis: new Uint8Array(stored.expiresAtMillis.buffer),
    oddIds: [...outcomes.oddIds].map(([slot, id]) => [slot - outcomes.first & capacityOf(outcomes) - 1, id])
  }
}

export const load = (outcomes: Outcomes, stored: Stored): void => {
  const words = new Int32Array(new Uint8Array(stored.words).buffer)
  const expiresAtMillis = new Float64Array(new Uint8Array(stored.expiresAtMillis).buffer)
  const oddIds = new Map(stored.oddIds)
  for (let i = 0; i < expiresAtMillis.length; i++) {
    if (outcomes.count === capacityOf(outcomes)) grow(outcomes)
    const slot = slotOf(outcomes, outcomes.count++)
    outcomes.words.set(words.subarray(i << shift, i + 1 << shift), slot << shift)
    outcomes.expiresAtMillis[slot] = expiresAtMillis[i]!
    const odd = oddIds.get(i)
    if (odd !== undefined) outcomes.oddIds.set(slot, odd)
    chain(outcomes, slot)
  }
}

/** A record's words begin at `slot << shift`: the four of its id, then these. */
const shift = 3
const CHAIN = 4
const STATUS = 5
const USER = 6

const names: ReadonlyArray<Outcome> = ["DONE", "EXPIRED", ...OrderRefusal.literals]
const numbers: ReadonlyMap<Outcome, number> = new Map(names.map((name, number) => [name, number]))

/** Records dropped at most by one command, so that none pays for a long silence. */
const forgottenAtOnce = 4

function forget(outcomes: Outcomes, atMillis: number): void {
  for (let i = 0; i < forgottenAtOnce && outcomes.count > 0; i++) {
    const slot = outcomes.first
    if (outcomes.expiresAtMillis[slot]! + keptMillis >= atMillis) return
    Chain.cut(outcomes.words, outcomes.heads, bucketOf(outcomes, slot), slot, shift, CHAIN)
    if (outcomes.oddIds.size > 0) outcomes.oddIds.delete(slot)
    outcomes.first = slotOf(outcomes, 1)
    outcomes.count--
  }
}

function capacityOf(outcomes: Outcomes): number {
  return outcomes.expiresAtMillis.length - 1
}

/** Slots count from 1; the ring's size is a power of two. */
function slotOf(outcomes: Outcomes, nth: number): number {
  return (outcomes.first - 1 + nth & capacityOf(outcomes) - 1) + 1
}

function bucketOf(outcomes: Outcomes, slot: number): number {
  const { heads, words } = outcomes
  const at = slot << shift
  return Uuid.spread(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!) & heads.length - 1
}

function chain(outcomes: Outcomes, slot: number): void {
  const bucket = bucketOf(outcomes, slot)
  outcomes.words[(slot << shift) + CHAIN] = outcomes.heads[bucket]!
  outcomes.heads[bucket] = slot
}

/** Doubles the ring; the oldest record comes first again. */
function grow(outcomes: Outcomes): void {
  const { count, expiresAtMillis, first, words } = outcomes
  const wrapped = first - 1
  outcomes.words = new Int32Array(2 * count + 1 << shift)
  outcomes.words.set(words.subarray(first << shift), 1 << shift)
  outcomes.words.set(words.subarray(1 << shift, first << shift), count - wrapped + 1 << shift)
  outcomes.expiresAtMillis = new Float64Array(2 * count + 1)
  outcomes.expiresAtMillis.set(expiresAtMillis.subarray(first), 1)
  outcomes.expiresAtMillis.set(expiresAtMillis.subarray(1, first), count - wrapped + 1)
  outcomes.oddIds = new Map(
    [...outcomes.oddIds].map(([slot, id]) => [(slot - first + count) % count + 1, id])
  )
  outcomes.heads = new Int32Array(4 * count)
  outcomes.first = 1
  for (let slot = 1; slot <= count; slot++) chain(outcomes, slot)
}
