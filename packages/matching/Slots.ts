/** The open orders of one market, sixteen words each in one array, found by id. */
import { Id } from "@venue/domain/Id"
import * as HashIndex from "./HashIndex.ts"

/**
 * A slot is the place of an order's first word; 0 means none. All numbers of an order stand together, as many as fit a
 * line of the cache.
 */
export interface Slots {
  words: Int32Array
  /** The same memory by eight bytes. */
  doubles: Float64Array
  /** Words ever used, and the first of the slots given back. */
  used: number
  free: number
  readonly index: HashIndex.HashIndex
  /** As their clients gave them, by slot / width. */
  readonly clientOrderIds: Array<string>
}

/** Words of a slot: first the four of the id, then these, and in the last two when it changed last. */
export const width = 16
const widthBits = 4
export const PRICE = 4
export const QUANTITY = 5
export const REMAINING = 6
export const ACCOUNT = 7
export const RATE = 8
export const TRAITS = 9
export const NEXT = 10
export const PREVIOUS = 11
export const OLDER = 12
export const NEWER = 13
export const UPDATED = 14

/** Traits, under the leverage and the number of the builder code. */
export const sell = 1
export const addLiquidityOnly = 2
export const reduceOnly = 4
export const modified = 8
export const leverageShift = 4
const leverageMask = 0xff
export const builderShift = 12

export const make = (): Slots => {
  const words = new Int32Array(64 * width)
  return {
    words,
    doubles: new Float64Array(words.buffer),
    used: width,
    free: 0,
    index: HashIndex.make(),
    clientOrderIds: [""]
  }
}

/** A slot for an order; the caller fills in the rest before anything else is asked. */
export const take = (slots: Slots, id: Id, clientOrderId: string): number => {
  let slot = slots.free
  if (slot !== 0) slots.free = slots.words[slot + NEXT]!
  else {
    slot = slots.used
    slots.used += width
    if (slots.used > slots.words.length) grow(slots)
  }
  const { words } = slots
  words[slot] = id.a
  words[slot + 1] = id.b
  words[slot + 2] = id.c
  words[slot + 3] = id.d
  slots.clientOrderIds[slot >> widthBits] = clientOrderId
  HashIndex.enter(slots.index, HashIndex.hash(id), slot)
  return slot
}

export const release = (slots: Slots, slot: number): void => {
  const { words } = slots
  HashIndex.leave(slots.index, hashOf(slots, slot), slot)
  slots.clientOrderIds[slot >> widthBits] = ""
  words[slot + NEXT] = slots.free
  slots.free = slot
}

export const find = ({ index, words }: Slots, id: Id): number => {
  const { words: places } = index
  const hash = HashIndex.hash(id)
  for (let place = HashIndex.first(index, hash); places[place + 1] !== 0; place = HashIndex.next(index, place)) {
    if (places[place] !== hash) continue
    const slot = places[place + 1]!
    if (words[slot] === id.a && words[slot + 1] === id.b && words[slot + 2] === id.c && words[slot + 3] === id.d)
      return slot
  }
  return 0
}

export const orderId = ({ words }: Slots, slot: number): Id =>
  new Id(words[slot]!, words[slot + 1]!, words[slot + 2]!, words[slot + 3]!)

export const clientOrderId = ({ clientOrderIds }: Slots, slot: number): string => clientOrderIds[slot >> widthBits]!

/** The level its account had when the order was accepted. */
export const leverage = ({ words }: Slots, slot: number): number =>
  (words[slot + TRAITS]! >>> leverageShift) & leverageMask

export const updatedAt = (slots: Slots, slot: number): number => slots.doubles[(slot + UPDATED) >> 1]!

export const setUpdatedAt = (slots: Slots, slot: number, millis: number): void => {
  slots.doubles[(slot + UPDATED) >> 1] = millis
}

function hashOf({ words }: Slots, slot: number): number {
  return HashIndex.hashOf(words[slot]!, words[slot + 1]!, words[slot + 3]!)
}

/** Small books double; large ones grow by an eighth, since room that is not used counts as well. */
function grow(slots: Slots): void {
  const before = slots.words.length / width
  const size = before < 65_536 ? before * 2 : before + (before >> 3)
  const words = new Int32Array(size * width)
  words.set(slots.words)
  slots.words = words
  slots.doubles = new Float64Array(words.buffer)
}
