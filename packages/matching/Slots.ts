/** The open orders of one market, eighteen words each in one array, found by id. */
import { Id, together } from "@venue/domain/Id"
import * as Chains from "./Chains.ts"
import { ofHalf } from "./Mix.ts"

/**
 * A slot is the place of an order's first word; 0 means none. All numbers of an order stand together, since each line
 * of the cache that is fetched for it costs more than what is done with it.
 */
export interface Slots {
  words: Int32Array
  /** The same memory by eight bytes. */
  doubles: Float64Array
  /** Words ever used, and the first of the slots given back. */
  used: number
  free: number
  /** The first order of each hash, which leads to the others; ids drawn in turn have theirs side by side. */
  heads: Int32Array
  /** Shifting the hash of an id's first half by this gives the heads of such ids. */
  shift: number
  count: number
  /** As their clients gave them, by the number of the slot. */
  readonly clientOrderIds: Array<string>
}

/** Words of a slot: first the four of the id, then what is the order's own, then its links to others; even for doubles. */
const width = 18
export const PRICE = 4
export const QUANTITY = 5
export const REMAINING = 6
export const ACCOUNT = 7
export const RATE = 8
export const TRAITS = 9
/** When it changed last, a double. */
export const UPDATED = 10
/** Words of the order itself. */
export const own = 12
export const NEXT = 12
export const PREVIOUS = 13
export const OLDER = 14
export const NEWER = 15
/** The next order of the same hash. */
const CHAIN = 16

/** Traits, under the leverage and the number of the builder code. */
export const sell = 1
export const addLiquidityOnly = 2
export const reduceOnly = 4
export const modified = 8
export const leverageShift = 4
const leverageMask = 0xff
export const builderShift = 12
/** As many as have a number above that shift, none among them. */
export const maxBuilderCodes = 2 ** (32 - builderShift)

export const make = (): Slots => {
  const words = new Int32Array(64 * width)
  return {
    words,
    doubles: new Float64Array(words.buffer),
    used: width,
    free: 0,
    heads: new Int32Array(leastHeads),
    shift: 32 - Math.log2(leastHeads),
    count: 0,
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
  slots.clientOrderIds[numberOf(slot)] = clientOrderId
  if (++slots.count > slots.heads.length >> 1) growHeads(slots)
  Chains.link(slots.heads, headOfSlot(slots, slot), words, slot, CHAIN)
  return slot
}

export const release = (slots: Slots, slot: number): void => {
  const { words } = slots
  Chains.unlink(slots.heads, headOfSlot(slots, slot), words, slot, CHAIN)
  slots.count--
  slots.clientOrderIds[numberOf(slot)] = ""
  words[slot + NEXT] = slots.free
  slots.free = slot
}

export const find = ({ heads, shift, words }: Slots, { a, b, c, d }: Id): number => {
  let slot = heads[headOf(shift, a, b, d)]!
  while (slot !== 0 && (words[slot] !== a || words[slot + 1] !== b || words[slot + 2] !== c || words[slot + 3] !== d)) {
    slot = words[slot + CHAIN]!
  }
  return slot
}

export const orderId = ({ words }: Slots, slot: number): Id =>
  new Id(words[slot]!, words[slot + 1]!, words[slot + 2]!, words[slot + 3]!)

export const clientOrderId = ({ clientOrderIds }: Slots, slot: number): string => clientOrderIds[numberOf(slot)]!

/** The level its account had when the order was accepted. */
export const leverage = ({ words }: Slots, slot: number): number =>
  (words[slot + TRAITS]! >>> leverageShift) & leverageMask

export const updatedAt = (slots: Slots, slot: number): number => slots.doubles[(slot + UPDATED) >> 1]!

export const setUpdatedAt = (slots: Slots, slot: number, millis: number): void => {
  slots.doubles[(slot + UPDATED) >> 1] = millis
}

const leastHeads = 64

function headOf(shift: number, a: number, b: number, d: number): number {
  return ((ofHalf(a, b) >>> shift) & -together) | (d & (together - 1))
}

function headOfSlot({ shift, words }: Slots, slot: number): number {
  return headOf(shift, words[slot]!, words[slot + 1]!, words[slot + 3]!)
}

function numberOf(slot: number): number {
  return (slot / width) | 0
}

function growHeads(slots: Slots): void {
  slots.shift--
  slots.heads = Chains.twice(slots.heads, slots.words, CHAIN, (slot) => headOfSlot(slots, slot))
}

function grow(slots: Slots): void {
  const words = Chains.larger(slots.words, width)
  slots.words = words
  slots.doubles = new Float64Array(words.buffer)
}
