/** What became of each command, so that a repeat changes nothing: kept until a minute past its expiry. */
import { OrderRefusal, type Outcome } from "@venue/domain/Reject"
import * as Uuid from "./Uuid.ts"

/**
 * A ring of records in the order they came, found by the 128 bits of the command id. There may be millions, so none is
 * an object, and a look at the index alone tells that an id is new.
 */
export interface Outcomes {
  words: Int32Array
  expiresAtMillis: Float64Array
  /** Pairs of a hash and a slot, at the place the hash's high bits say or, where that is taken, soon after. */
  index: Int32Array
  /** Shifting a hash by this gives its place. */
  indexShift: number
  /** Slot of the oldest record, and how many there are. */
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
  words: new Int32Array((1 << 10) * width),
  expiresAtMillis: new Float64Array(1 << 10),
  index: new Int32Array(2 << 11),
  indexShift: 32 - 11,
  first: 0,
  count: 0,
  oddIds: new Map()
})

/** The slot of a command's record, or -1. A record past its time is not found, though it may not be gone yet. */
export const find = (outcomes: Outcomes, id: Int32Array, atMillis: number): number => {
  const { index, words } = outcomes
  const hash = id[Uuid.HASH]!
  const mask = index.length - 1
  for (let at = hash >>> outcomes.indexShift << 1; index[at + 1] !== 0; at = at + 2 & mask) {
    if (index[at] !== hash) continue
    const slot = index[at + 1]! - 1
    const first = slot * width
    if (
      words[first] === id[0] && words[first + 1] === id[1] && words[first + 2] === id[2] && words[first + 3] === id[3] &&
      outcomes.expiresAtMillis[slot]! + keptMillis >= atMillis
    ) return slot
  }
  return -1
}

export const at = (outcomes: Outcomes, slot: number): Outcome => names[outcomes.words[slot * width + STATUS]!]!

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
  const slot = next(outcomes)
  const { words } = outcomes
  const first = slot * width
  words[first] = id[0]!
  words[first + 1] = id[1]!
  words[first + 2] = id[2]!
  words[first + 3] = id[3]!
  words[first + STATUS] = outcome === "DONE" ? 0 : numbers.get(outcome)!
  words[first + USER] = user
  outcomes.expiresAtMillis[slot] = expiresAtMillis
  if (odd !== undefined) outcomes.oddIds.set(slot, odd)
  enter(outcomes, id[Uuid.HASH]!, slot)
}

/** Every record still kept, oldest first. */
export const each = (outcomes: Outcomes, atMillis: number, visit: (slot: number, user: number) => void): void => {
  for (let i = 0; i < outcomes.count; i++) {
    const slot = slotOf(outcomes, i)
    if (outcomes.expiresAtMillis[slot]! + keptMillis >= atMillis) visit(slot, outcomes.words[slot * width + USER]!)
  }
}

export const read = (outcomes: Outcomes, slot: number): Remembered => {
  const { words } = outcomes
  const first = slot * width
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
  const { expiresAtMillis, words } = unrolled(outcomes, outcomes.count)
  return {
    words: new Uint8Array(words.buffer),
    expiresAtMillis: new Uint8Array(expiresAtMillis.buffer),
    oddIds: [...outcomes.oddIds].map(([slot, id]) => [placeOf(outcomes, slot), id])
  }
}

export const load = (outcomes: Outcomes, stored: Stored): void => {
  const words = new Int32Array(new Uint8Array(stored.words).buffer)
  const expiresAtMillis = new Float64Array(new Uint8Array(stored.expiresAtMillis).buffer)
  const oddIds = new Map(stored.oddIds)
  for (let i = 0; i < expiresAtMillis.length; i++) {
    const slot = next(outcomes)
    for (let word = 0; word < width; word++) outcomes.words[slot * width + word] = words[i * width + word]!
    outcomes.expiresAtMillis[slot] = expiresAtMillis[i]!
    const odd = oddIds.get(i)
    if (odd !== undefined) outcomes.oddIds.set(slot, odd)
    enter(outcomes, hashOf(outcomes, slot), slot)
  }
}

/** A record is the four words of the id, then these. */
const STATUS = 4
const USER = 5
const width = 6

const names: ReadonlyArray<Outcome> = ["DONE", "EXPIRED", ...OrderRefusal.literals]
const numbers: ReadonlyMap<Outcome, number> = new Map(names.map((name, number) => [name, number]))

/** Records dropped at most by one command, so that none pays for a long silence. */
const forgottenAtOnce = 4

function forget(outcomes: Outcomes, atMillis: number): void {
  for (let i = 0; i < forgottenAtOnce && outcomes.count > 0; i++) {
    const slot = outcomes.first
    if (outcomes.expiresAtMillis[slot]! + keptMillis >= atMillis) return
    leave(outcomes, hashOf(outcomes, slot), slot)
    if (outcomes.oddIds.size > 0) outcomes.oddIds.delete(slot)
    outcomes.first = slotOf(outcomes, 1)
    outcomes.count--
  }
}

/** The slot after the newest record; the ring doubles when it is full. */
function next(outcomes: Outcomes): number {
  if (outcomes.count === outcomes.expiresAtMillis.length) grow(outcomes)
  return slotOf(outcomes, outcomes.count++)
}

function slotOf(outcomes: Outcomes, nth: number): number {
  return outcomes.first + nth & outcomes.expiresAtMillis.length - 1
}

function placeOf(outcomes: Outcomes, slot: number): number {
  return slot - outcomes.first & outcomes.expiresAtMillis.length - 1
}

function hashOf({ words }: Outcomes, slot: number): number {
  const first = slot * width
  return Uuid.spread(words[first]!, words[first + 1]!, words[first + 2]!, words[first + 3]!)
}

/** At most half of the index is taken, so a free pair is near. */
function enter({ index, indexShift }: Outcomes, hash: number, slot: number): void {
  const mask = index.length - 1
  let at = hash >>> indexShift << 1
  while (index[at + 1] !== 0) at = at + 2 & mask
  index[at] = hash
  index[at + 1] = slot + 1
}

/** Later pairs that this one had pushed on move back, so that no search ends too early. */
function leave({ index, indexShift }: Outcomes, hash: number, slot: number): void {
  const mask = index.length - 1
  let hole = hash >>> indexShift << 1
  while (index[hole + 1] !== slot + 1) hole = hole + 2 & mask
  for (let at = hole + 2 & mask; index[at + 1] !== 0; at = at + 2 & mask) {
    const home = index[at]! >>> indexShift << 1
    if ((at - home & mask) < (at - hole & mask)) continue
    index[hole] = index[at]!
    index[hole + 1] = index[at + 1]!
    hole = at
  }
  index[hole + 1] = 0
}

/** Doubles the ring; the oldest record comes first again. */
function grow(outcomes: Outcomes): void {
  const { count, first, index, oddIds } = outcomes
  outcomes.oddIds = new Map([...oddIds].map(([slot, id]) => [placeOf(outcomes, slot), id]))
  Object.assign(outcomes, unrolled(outcomes, count * 2))
  outcomes.first = 0
  outcomes.indexShift--
  outcomes.index = new Int32Array(index.length * 2)
  // High bits say the place, so pairs are met in the order in which they are written again: one sweep through memory.
  for (let at = 0; at < index.length; at += 2) {
    if (index[at + 1] !== 0) enter(outcomes, index[at]!, index[at + 1]! - 1 - first & count - 1)
  }
}

/** The records from the oldest on, with room for as many as asked. */
function unrolled(outcomes: Outcomes, room: number): Pick<Outcomes, "words" | "expiresAtMillis"> {
  const { count, first } = outcomes
  const words = new Int32Array(room * width)
  const expiresAtMillis = new Float64Array(room)
  const before = Math.min(count, outcomes.expiresAtMillis.length - first)
  words.set(outcomes.words.subarray(first * width, (first + before) * width))
  words.set(outcomes.words.subarray(0, (count - before) * width), before * width)
  expiresAtMillis.set(outcomes.expiresAtMillis.subarray(first, first + before))
  expiresAtMillis.set(outcomes.expiresAtMillis.subarray(0, count - before), before)
  return { words, expiresAtMillis }
}
