/** What became of each command, so that a repeat changes nothing: kept until a minute past its expiry. */
import { OrderRefusal, type Outcome } from "@venue/domain/Reject"
import * as Uuid from "./Uuid.ts"

/**
 * Records in the order they came, in pages that are dropped when their last is forgotten, found by the 128 bits of the
 * command id. There may be millions, so none is an object, and two bytes tell of nearly every new id that it is new.
 */
export interface Outcomes {
  /** By their numbers, which are used again; a slot is a page's number and a place in it. */
  readonly pages: Array<Page>
  /** Numbers of the pages in use, oldest first, and of those given back. */
  readonly order: Array<number>
  readonly spare: Array<number>
  /** Records of the oldest page that are forgotten, and of the newest that are written. */
  forgotten: number
  written: number
  count: number
  /**
   * At the place that a hash's high bits say or, where that is taken, soon after: a mark, 0 where there is none, and
   * beside it the slot. A mark holds eleven bits of the hash and how far it is from where it belongs.
   */
  marks: Uint16Array
  slots: Int32Array
  /** Shifting a hash by this gives its place. */
  shift: number
  /** Command ids that their words do not give back. */
  readonly oddIds: Map<number, string>
}

interface Page {
  readonly words: Int32Array
  readonly expiresAtMillis: Float64Array
}

export interface Remembered {
  readonly commandId: string
  readonly outcome: Outcome
  readonly expiresAtMillis: number
}

/** Copies of one request stop coming long before this. */
export const keptMillis = 60_000

export const make = (): Outcomes => ({
  pages: [],
  order: [],
  spare: [],
  forgotten: 0,
  written: pageSize,
  count: 0,
  marks: new Uint16Array(1 << 11),
  slots: new Int32Array(1 << 11),
  shift: 32 - 11,
  oddIds: new Map()
})

/** The slot of a command's record, or -1. A record past its time is not found, though it may not be gone yet. */
export const find = (outcomes: Outcomes, id: Int32Array, atMillis: number): number => {
  const { marks } = outcomes
  const hash = id[Uuid.HASH]!
  const wanted = markOf(hash)
  const last = marks.length - 1
  for (let at = hash >>> outcomes.shift, mark = marks[at]!; mark !== 0; mark = marks[at = at + 1 & last]!) {
    if ((mark & ~farthest) !== wanted) continue
    const slot = outcomes.slots[at]!
    if (isOf(outcomes, slot, id) && isKept(outcomes, slot, atMillis)) return slot
  }
  return -1
}

export const at = ({ pages }: Outcomes, slot: number): Outcome =>
  names[pages[slot >> pageBits]!.words[(slot & pageSize - 1) * width + STATUS]!]!

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
  const { words, expiresAtMillis: expiries } = outcomes.pages[slot >> pageBits]!
  const first = (slot & pageSize - 1) * width
  words[first] = id[0]!
  words[first + 1] = id[1]!
  words[first + 2] = id[2]!
  words[first + 3] = id[3]!
  words[first + STATUS] = outcome === "DONE" ? 0 : numbers.get(outcome)!
  words[first + USER] = user
  expiries[slot & pageSize - 1] = expiresAtMillis
  if (odd !== undefined) outcomes.oddIds.set(slot, odd)
  enter(outcomes, id[Uuid.HASH]!, slot)
}

/** Every record still kept, oldest first. */
export const each = (outcomes: Outcomes, atMillis: number, visit: (slot: number, user: number) => void): void =>
  eachSlot(outcomes, (slot) => {
    if (isKept(outcomes, slot, atMillis)) visit(slot, wordsOf(outcomes, slot)[USER]!)
  })

export const read = (outcomes: Outcomes, slot: number): Remembered => {
  const words = wordsOf(outcomes, slot)
  return {
    commandId: outcomes.oddIds.get(slot) ?? Uuid.text(words[0]!, words[1]!, words[2]!, words[3]!),
    outcome: at(outcomes, slot),
    expiresAtMillis: expiryOf(outcomes, slot)
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
  const words = new Int32Array(outcomes.count * width)
  const expiresAtMillis = new Float64Array(outcomes.count)
  const oddIds: Array<readonly [number, string]> = []
  let place = 0
  eachSlot(outcomes, (slot) => {
    words.set(wordsOf(outcomes, slot), place * width)
    expiresAtMillis[place] = expiryOf(outcomes, slot)
    const odd = outcomes.oddIds.get(slot)
    if (odd !== undefined) oddIds.push([place, odd])
    place++
  })
  return { words: new Uint8Array(words.buffer), expiresAtMillis: new Uint8Array(expiresAtMillis.buffer), oddIds }
}

export const load = (outcomes: Outcomes, stored: Stored): void => {
  const words = new Int32Array(new Uint8Array(stored.words).buffer)
  const expiresAtMillis = new Float64Array(new Uint8Array(stored.expiresAtMillis).buffer)
  const oddIds = new Map(stored.oddIds)
  for (let place = 0; place < expiresAtMillis.length; place++) {
    const slot = next(outcomes)
    wordsOf(outcomes, slot).set(words.subarray(place * width, (place + 1) * width))
    outcomes.pages[slot >> pageBits]!.expiresAtMillis[slot & pageSize - 1] = expiresAtMillis[place]!
    const odd = oddIds.get(place)
    if (odd !== undefined) outcomes.oddIds.set(slot, odd)
    enter(outcomes, hashOf(outcomes, slot), slot)
  }
}

/** A record is the four words of the id, then these. */
const STATUS = 4
const USER = 5
const width = 6
const pageBits = 12
const pageSize = 1 << pageBits

const names: ReadonlyArray<Outcome> = ["DONE", "EXPIRED", ...OrderRefusal.literals]
const numbers: ReadonlyMap<Outcome, number> = new Map(names.map((name, number) => [name, number]))

/** Records dropped at most by one command, so that none pays for a long silence. */
const forgottenAtOnce = 4

function forget(outcomes: Outcomes, atMillis: number): void {
  for (let i = 0; i < forgottenAtOnce && outcomes.count > 0; i++) {
    const slot = outcomes.order[0]! << pageBits | outcomes.forgotten
    if (isKept(outcomes, slot, atMillis)) return
    leave(outcomes, hashOf(outcomes, slot), slot)
    if (outcomes.oddIds.size > 0) outcomes.oddIds.delete(slot)
    outcomes.count--
    if (++outcomes.forgotten < pageSize) continue
    outcomes.forgotten = 0
    const page = outcomes.order.shift()!
    outcomes.pages[page] = noPage
    outcomes.spare.push(page)
  }
}

/** The slot after the newest record. */
function next(outcomes: Outcomes): number {
  const { order, pages, spare } = outcomes
  if (++outcomes.count > outcomes.marks.length >> 1) grow(outcomes)
  if (outcomes.written === pageSize) {
    outcomes.written = 0
    const page = spare.pop() ?? pages.length
    pages[page] = { words: new Int32Array(pageSize * width), expiresAtMillis: new Float64Array(pageSize) }
    order.push(page)
  }
  return order[order.length - 1]! << pageBits | outcomes.written++
}

const noPage: Page = { words: new Int32Array(0), expiresAtMillis: new Float64Array(0) }

function eachSlot({ count, forgotten, order }: Outcomes, visit: (slot: number) => void): void {
  for (let i = forgotten; i < forgotten + count; i++) visit(order[i >> pageBits]! << pageBits | i & pageSize - 1)
}

function wordsOf({ pages }: Outcomes, slot: number): Int32Array {
  const first = (slot & pageSize - 1) * width
  return pages[slot >> pageBits]!.words.subarray(first, first + width)
}

function expiryOf({ pages }: Outcomes, slot: number): number {
  return pages[slot >> pageBits]!.expiresAtMillis[slot & pageSize - 1]!
}

function isKept(outcomes: Outcomes, slot: number, atMillis: number): boolean {
  return expiryOf(outcomes, slot) + keptMillis >= atMillis
}

function isOf({ pages }: Outcomes, slot: number, id: Int32Array): boolean {
  const { words } = pages[slot >> pageBits]!
  const first = (slot & pageSize - 1) * width
  return words[first] === id[0] && words[first + 1] === id[1] &&
    words[first + 2] === id[2] && words[first + 3] === id[3]
}

function hashOf({ pages }: Outcomes, slot: number): number {
  const { words } = pages[slot >> pageBits]!
  const first = (slot & pageSize - 1) * width
  return Uuid.spread(words[first]!, words[first + 1]!, words[first + 2]!, words[first + 3]!)
}

/** The part of a mark that says how far it is from its place; at its greatest it says no more than that it is far. */
const farthest = 15

function markOf(hash: number): number {
  return 0x8000 | (hash & 0x7ff) << 4
}

/** At most half of the places are taken, so a free one is near. */
function enter({ marks, shift, slots }: Outcomes, hash: number, slot: number): void {
  const last = marks.length - 1
  const home = hash >>> shift
  let at = home
  while (marks[at] !== 0) at = at + 1 & last
  marks[at] = markOf(hash) | Math.min(farthest, at - home & last)
  slots[at] = slot
}

/** Later marks that this one had pushed on move back, so that no search ends too early. */
function leave(outcomes: Outcomes, hash: number, slot: number): void {
  const { marks, shift, slots } = outcomes
  const last = marks.length - 1
  let hole = hash >>> shift
  while (slots[hole] !== slot || marks[hole] === 0) hole = hole + 1 & last
  for (let at = hole + 1 & last; marks[at] !== 0; at = at + 1 & last) {
    const told = marks[at]! & farthest
    const distance = told < farthest ? told : at - (hashOf(outcomes, slots[at]!) >>> shift) & last
    const moved = at - hole & last
    if (distance < moved) continue
    marks[hole] = marks[at]! & ~farthest | Math.min(farthest, distance - moved)
    slots[hole] = slots[at]!
    hole = at
  }
  marks[hole] = 0
}

/** Doubles the index; the records stay where they are. One more is counted than is there. */
function grow(outcomes: Outcomes): void {
  const size = outcomes.marks.length * 2
  outcomes.shift--
  outcomes.marks = new Uint16Array(size)
  outcomes.slots = new Int32Array(size)
  const { count, forgotten, order } = outcomes
  for (let i = forgotten; i < forgotten + count - 1; i++) {
    const slot = order[i >> pageBits]! << pageBits | i & pageSize - 1
    enter(outcomes, hashOf(outcomes, slot), slot)
  }
}
