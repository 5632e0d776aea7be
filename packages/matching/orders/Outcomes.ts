/** Outcomes of commands, stored until one minute after expiry so that a repeated command has no effect. */
import { Id } from "@venue/domain/Id"
import { OrderRefusal, type Outcome } from "@venue/domain/Reject"
import * as CommandIndex from "../book/CommandIndex.ts"

/**
 * Records are stored in order of arrival and indexed by the 128-bit command id and by user. They fill pages, and a
 * page is freed when its last record is dropped. Records are packed words instead of objects, because there might be
 * millions of them.
 */
export interface Outcomes {
  /** Pages by number; numbers are reused. A slot combines a page number and a position in that page. */
  readonly pages: Array<Page>
  /** Numbers of the pages in use, oldest first, and of the freed pages. */
  readonly order: Array<number>
  readonly spare: Array<number>
  /** Number of dropped records in the oldest page, and of written records in the newest page. */
  forgotten: number
  written: number
  count: number
  /** Newest page, and its number shifted to the high bits of a slot. */
  page: Page
  base: number
  /** No record expires before this time. */
  quietUntilMillis: number
  readonly index: CommandIndex.CommandIndex
  /**
   * By user number: how many records the user has (`counts`), and the newest one (`newest`), which links to the one
   * before it.
   */
  readonly counts: Array<number>
  readonly newest: Array<number>
}

interface Page {
  readonly words: Int32Array
  /** The same memory viewed as 64-bit floats. */
  readonly doubles: Float64Array
}

export interface Remembered {
  readonly commandId: Id
  readonly outcome: Outcome
  readonly expiresAtMillis: number
}

/** Retention time after expiry, in milliseconds. Clients stop repeating a request well before that. */
const keptMillis = 60_000

export const make = (): Outcomes => ({
  pages: [],
  order: [],
  spare: [],
  forgotten: 0,
  written: pageSize,
  count: 0,
  page: noPage,
  base: 0,
  quietUntilMillis: -Infinity,
  index: CommandIndex.make(),
  counts: [],
  newest: []
})

/** Returns the slot of a command's record, or -1 if the record is unknown or expired. */
export const find = (outcomes: Outcomes, id: Id, atMillis: number): number => {
  const { index } = outcomes
  for (let bucket = CommandIndex.first(index, id); bucket !== 0; bucket = CommandIndex.next(index, bucket)) {
    const slot = CommandIndex.at(index, bucket, id) - 1
    if (slot !== -1 && isOf(outcomes, slot, id) && isKept(outcomes, slot, atMillis)) return slot
  }
  return -1
}

export const at = ({ pages }: Outcomes, slot: number): Outcome =>
  names[pages[slot >> pageBits]!.words[firstOf(slot) + KIND]! & statusMask]!

export const remember = (
  outcomes: Outcomes,
  id: Id,
  user: number,
  outcome: Outcome,
  expiresAtMillis: number,
  atMillis: number
): void => {
  if (atMillis > outcomes.quietUntilMillis) forget(outcomes, atMillis)
  const slot = next(outcomes)
  const { doubles, words } = outcomes.page
  const first = firstOf(slot)
  words[first] = id.a
  words[first + 1] = id.b
  words[first + 2] = id.c
  words[first + 3] = id.d
  words[first + KIND] = (user << userShift) | (outcome === "DONE" ? 0 : numbers.get(outcome)!)
  chain(outcomes, words, first, user, slot)
  doubles[(first + EXPIRY) >> 1] = expiresAtMillis
  CommandIndex.enter(outcomes.index, id, slot + 1)
}

/** Visits every retained record, oldest first. */
export const each = (outcomes: Outcomes, atMillis: number, visit: (slot: number, user: number) => void): void =>
  eachSlot(outcomes, (slot) => {
    if (isKept(outcomes, slot, atMillis)) visit(slot, userOf(outcomes, slot))
  })

/** Returns a user's retained records, oldest first. */
export const ofUser = (outcomes: Outcomes, user: number, atMillis: number): ReadonlyArray<Remembered> => {
  const found: Array<Remembered> = []
  let slot = outcomes.newest[user]!
  for (let left = outcomes.counts[user] ?? 0; left > 0; left--) {
    if (isKept(outcomes, slot, atMillis)) found.push(read(outcomes, slot))
    slot = wordsOf(outcomes, slot)[OLDER]!
  }
  return found.toReversed()
}

export const read = (outcomes: Outcomes, slot: number): Remembered => ({
  commandId: idOf(outcomes, slot),
  outcome: at(outcomes, slot),
  expiresAtMillis: expiryOf(outcomes, slot)
})

/** Returns all records as bytes, oldest first: the pages themselves, because written parts never change. */
export const store = ({ forgotten, order, pages, written }: Outcomes): ReadonlyArray<Uint8Array> =>
  order.map((number, turn) => {
    const from = turn === 0 ? forgotten : 0
    const to = turn === order.length - 1 ? written : pageSize
    return new Uint8Array(pages[number]!.words.buffer, from * recordBytes, (to - from) * recordBytes)
  })

/** Loads stored bytes; each piece contains whole records. */
export const load = (outcomes: Outcomes, stored: Uint8Array): void => {
  const record = new Int32Array(width)
  const bytes = new Uint8Array(record.buffer)
  for (let at = 0; at < stored.length; at += recordBytes) {
    bytes.set(stored.subarray(at, at + recordBytes))
    const slot = next(outcomes)
    const own = wordsOf(outcomes, slot)
    own.set(record)
    chain(outcomes, own, 0, own[KIND]! >>> userShift, slot)
    CommandIndex.enter(outcomes.index, idOf(outcomes, slot), slot + 1)
  }
}

/** A record consists of the four words of the id and the following words, 32 bytes in total. */
const KIND = 4
/** Slot of the user's previous record, if any. */
const OLDER = 5
/** Expiry time, a double. */
const EXPIRY = 6
const width = 8
const recordBytes = 4 * width
/** The low bits of the kind are the outcome; the user number is above them. */
const statusMask = 63
const userShift = 6
const pageBits = 12
const pageSize = 1 << pageBits

const names: ReadonlyArray<Outcome> = ["DONE", "EXPIRED", ...OrderRefusal.literals]
const numbers: ReadonlyMap<Outcome, number> = new Map(names.map((name, number) => [name, number]))

/** Maximum number of records that one command drops, so that the cleanup after a long idle time is spread out. */
const forgottenAtOnce = 4

function forget(outcomes: Outcomes, atMillis: number): void {
  for (let i = 0; i < forgottenAtOnce && outcomes.count > 0; i++) {
    const slot = (outcomes.order[0]! << pageBits) | outcomes.forgotten
    if (isKept(outcomes, slot, atMillis)) {
      outcomes.quietUntilMillis = expiryOf(outcomes, slot) + keptMillis
      return
    }
    CommandIndex.leave(outcomes.index, idOf(outcomes, slot), slot + 1)
    outcomes.counts[userOf(outcomes, slot)]!--
    outcomes.count--
    if (++outcomes.forgotten < pageSize) continue
    outcomes.forgotten = 0
    const page = outcomes.order.shift()!
    outcomes.pages[page] = noPage
    outcomes.spare.push(page)
  }
}

/** Makes a record the newest in its user's list. `first` is the index in `words` at which the record begins. */
function chain({ counts, newest }: Outcomes, words: Int32Array, first: number, user: number, slot: number): void {
  words[first + OLDER] = newest[user] ?? 0
  newest[user] = slot
  counts[user] = (counts[user] ?? 0) + 1
}

/** Returns the slot after the newest record. */
function next(outcomes: Outcomes): number {
  const { order, pages, spare } = outcomes
  outcomes.count++
  if (outcomes.written === pageSize) {
    outcomes.written = 0
    const page = spare.pop() ?? pages.length
    const words = new Int32Array(pageSize * width)
    outcomes.page = { words, doubles: new Float64Array(words.buffer) }
    outcomes.base = page << pageBits
    pages[page] = outcomes.page
    order.push(page)
  }
  return outcomes.base | outcomes.written++
}

const noPage: Page = { words: new Int32Array(0), doubles: new Float64Array(0) }

function eachSlot({ count, forgotten, order }: Outcomes, visit: (slot: number) => void): void {
  for (let i = forgotten; i < forgotten + count; i++) visit((order[i >> pageBits]! << pageBits) | (i & (pageSize - 1)))
}

/** Returns the position of a record's first word in its page. */
function firstOf(slot: number): number {
  return (slot & (pageSize - 1)) * width
}

function userOf({ pages }: Outcomes, slot: number): number {
  return pages[slot >> pageBits]!.words[firstOf(slot) + KIND]! >>> userShift
}

function wordsOf({ pages }: Outcomes, slot: number): Int32Array {
  const first = firstOf(slot)
  return pages[slot >> pageBits]!.words.subarray(first, first + width)
}

function expiryOf({ pages }: Outcomes, slot: number): number {
  return pages[slot >> pageBits]!.doubles[(firstOf(slot) + EXPIRY) >> 1]!
}

function isKept(outcomes: Outcomes, slot: number, atMillis: number): boolean {
  return expiryOf(outcomes, slot) + keptMillis >= atMillis
}

/** Compares the second half of the id; the bucket guarantees the first half. */
function isOf({ pages }: Outcomes, slot: number, { c, d }: Id): boolean {
  const { words } = pages[slot >> pageBits]!
  const first = firstOf(slot)
  return words[first + 2] === c && words[first + 3] === d
}

function idOf({ pages }: Outcomes, slot: number): Id {
  const { words } = pages[slot >> pageBits]!
  const first = firstOf(slot)
  return new Id(words[first]!, words[first + 1]!, words[first + 2]!, words[first + 3]!)
}
