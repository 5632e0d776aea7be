/** Open orders of one market in a single array: twenty words per order, indexed by order id. */
import { Id, sharedRun } from "@venue/domain/Id"
import type { Bracket, OrderOrigin } from "@venue/domain/Order"
import { type OrderId, orderIdFrom } from "@venue/domain/OrderId"
import * as HashChain from "../state/HashChain.ts"
import { hashHalf } from "@venue/domain/BitMix"

/**
 * A slot is the array index of an order's first word; 0 means no order. All words of an order are adjacent, because
 * one more cache miss costs more than processing the order.
 */
export interface OrderPool {
  words: Int32Array
  /** The same memory viewed as 64-bit floats. */
  doubles: Float64Array
  /** Number of words that have ever been used; freed slots form a list that begins at `free`. */
  used: number
  free: number
  /** First order for each hash, as the head of a linked list. Consecutive ids have adjacent heads. */
  heads: Int32Array
  /** Right shift that turns the hash of an id's first half into the index of the first head for such ids. */
  shift: number
  count: number
  /** Client order ids by slot number. */
  readonly clientOrderIds: Array<string>
  /** Brackets by slot number; few orders have one. */
  readonly brackets: Map<number, Bracket>
}

/**
 * Layout of a slot: the four words of the id, the order's own words, then links to other orders. The number of words
 * is even so that doubles are aligned.
 */
const width = 20
export const PRICE = 4
export const QUANTITY = 5
export const REMAINING = 6
export const ACCOUNT = 7
export const RATE = 8
export const TRAITS = 9
/** Time of the last change, a double. */
export const UPDATED = 10
/** Index of the builder code in the market's list. */
export const BUILDER = 12
/** Number of words that describe the order itself, including one reserved word at the end. */
export const own = 14
export const NEXT = 14
export const PREVIOUS = 15
export const OLDER = 16
export const NEWER = 17
/** Link to the next order with the same hash. */
const CHAIN = 18

/** Flags, in the lowest bits. The leverage and the origin are above the flags, and the highest 16 bits are free. */
export const sell = 1
export const addLiquidityOnly = 2
export const reduceOnly = 4
export const modified = 8
export const leverageShift = 4
const leverageMask = 0xff
export const originShift = 12
const originMask = 0xf

/** Snapshots store indices into this list, so new origins must be appended. */
const origins: ReadonlyArray<OrderOrigin> = [
  "USER",
  "CLOSE_POSITION",
  "TWAP",
  "STOP",
  "LIQUIDATION",
  "ADL",
  "SETTLEMENT"
]

/** Maximum number of builder codes per market, including the entry that means no code. */
export const maxBuilderCodes = 2 ** 20

export const make = (): OrderPool => {
  const words = new Int32Array(64 * width)
  return {
    words,
    doubles: new Float64Array(words.buffer),
    used: width,
    free: 0,
    heads: new Int32Array(leastHeads),
    shift: 32 - Math.log2(leastHeads),
    count: 0,
    clientOrderIds: [""],
    brackets: new Map()
  }
}

/** Allocates a slot for an order. The caller must fill the remaining words before calling any other function. */
export const take = (pool: OrderPool, id: OrderId, clientOrderId: string): number => {
  let slot = pool.free
  if (slot !== 0) pool.free = pool.words[slot + NEXT]!
  else {
    slot = pool.used
    pool.used += width
    if (pool.used > pool.words.length) grow(pool)
  }
  const { words } = pool
  words[slot] = id.a
  words[slot + 1] = id.b
  words[slot + 2] = id.c
  words[slot + 3] = id.d
  pool.clientOrderIds[numberOf(slot)] = clientOrderId
  if (++pool.count > pool.heads.length >> 1) growHeads(pool)
  HashChain.link(pool.heads, headOfSlot(pool, slot), words, slot, CHAIN)
  return slot
}

export const release = (pool: OrderPool, slot: number): void => {
  const { words } = pool
  HashChain.unlink(pool.heads, headOfSlot(pool, slot), words, slot, CHAIN)
  pool.count--
  pool.clientOrderIds[numberOf(slot)] = ""
  if (pool.brackets.size > 0) pool.brackets.delete(numberOf(slot))
  words[slot + NEXT] = pool.free
  pool.free = slot
}

export const find = ({ heads, shift, words }: OrderPool, { a, b, c, d }: Id): number => {
  let slot = heads[headOf(shift, a, b, d)]!
  while (slot !== 0 && (words[slot] !== a || words[slot + 1] !== b || words[slot + 2] !== c || words[slot + 3] !== d)) {
    slot = words[slot + CHAIN]!
  }
  return slot
}

export const orderId = ({ words }: OrderPool, slot: number): OrderId =>
  orderIdFrom(new Id(words[slot]!, words[slot + 1]!, words[slot + 2]!, words[slot + 3]!))

export const clientOrderId = ({ clientOrderIds }: OrderPool, slot: number): string => clientOrderIds[numberOf(slot)]!

export const bracket = ({ brackets }: OrderPool, slot: number): Bracket | undefined =>
  brackets.size === 0 ? undefined : brackets.get(numberOf(slot))

export const setBracket = ({ brackets }: OrderPool, slot: number, bracket: Bracket | undefined): void => {
  if (bracket !== undefined) brackets.set(numberOf(slot), bracket)
  else if (brackets.size > 0) brackets.delete(numberOf(slot))
}

/** Returns the leverage of the account when the order was accepted. */
export const leverage = ({ words }: OrderPool, slot: number): number =>
  (words[slot + TRAITS]! >>> leverageShift) & leverageMask

export const origin = ({ words }: OrderPool, slot: number): OrderOrigin =>
  origins[(words[slot + TRAITS]! >>> originShift) & originMask]!

/** Returns an origin encoded as flags. */
export const originTrait = (origin: OrderOrigin): number => origins.indexOf(origin) << originShift

export const updatedAt = (pool: OrderPool, slot: number): number => pool.doubles[(slot + UPDATED) >> 1]!

export const setUpdatedAt = (pool: OrderPool, slot: number, millis: number): void => {
  pool.doubles[(slot + UPDATED) >> 1] = millis
}

const leastHeads = 64

function headOf(shift: number, a: number, b: number, d: number): number {
  return ((hashHalf(a, b) >>> shift) & -sharedRun) | (d & (sharedRun - 1))
}

function headOfSlot({ shift, words }: OrderPool, slot: number): number {
  return headOf(shift, words[slot]!, words[slot + 1]!, words[slot + 3]!)
}

function numberOf(slot: number): number {
  return (slot / width) | 0
}

function growHeads(pool: OrderPool): void {
  pool.shift--
  pool.heads = HashChain.twice(pool.heads, pool.words, CHAIN, (slot) => headOfSlot(pool, slot))
}

function grow(pool: OrderPool): void {
  const words = HashChain.larger(pool.words, width)
  pool.words = words
  pool.doubles = new Float64Array(words.buffer)
}
