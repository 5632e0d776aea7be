/** The open orders of one market, sixteen words each in one array, found by id and by client order id. */
import * as Chain from "./Chain.ts"
import * as Texts from "./Texts.ts"
import * as Uuid from "./Uuid.ts"

/** A slot is a number from 1; 0 means none. An order's words stand together, most often on one line of the cache. */
export interface Slots {
  words: Int32Array
  /** Builder code and the traits of the order. */
  traits: Int32Array
  placedAtMillis: Float64Array
  /** Slots ever used, and the first of those given back. */
  used: number
  free: number
  open: number
  /** First order of each hash, by order id and by account and client order id. */
  idHeads: Int32Array
  clientHeads: Int32Array
  readonly clientIds: Texts.Texts
  /** Order ids that their words do not give back. */
  readonly oddIds: Map<number, string>
}

/** A slot's words begin at `slot << shift`: first the four of its id, then these. */
export const shift = 4
export const PRICE = 4
export const QUANTITY = 5
export const REMAINING = 6
export const ACCOUNT = 7
export const RATE = 8
export const NEXT = 9
export const PREVIOUS = 10
export const OLDER = 11
export const NEWER = 12
export const CLIENT = 13
const ID_CHAIN = 14
const CLIENT_CHAIN = 15

/** Traits, under the number of the builder code. */
export const sell = 1
export const addLiquidityOnly = 2
export const reduceOnly = 4
export const builderShift = 3

export const make = (): Slots => ({
  words: new Int32Array(64 << shift),
  traits: new Int32Array(64),
  placedAtMillis: new Float64Array(64),
  used: 1,
  free: 0,
  open: 0,
  idHeads: new Int32Array(64),
  clientHeads: new Int32Array(64),
  clientIds: Texts.make(),
  oddIds: new Map()
})

/**
 * A slot for an order whose id has these words, and this text where they do not give it back; the caller fills in the
 * rest before anything else is asked.
 */
export const take = (slots: Slots, id: Int32Array, odd: string | undefined): number => {
  let slot = slots.free
  if (slot !== 0) slots.free = slots.words[(slot << shift) + NEXT]!
  else {
    slot = slots.used++
    if (slot >= slots.traits.length) grow(slots)
  }
  if (++slots.open > slots.idHeads.length) index(slots)
  const at = slot << shift
  for (let i = 0; i < 4; i++) slots.words[at + i] = id[i]!
  if (odd !== undefined) slots.oddIds.set(slot, odd)
  const bucket = idBucket(slots, at)
  slots.words[at + ID_CHAIN] = slots.idHeads[bucket]!
  slots.idHeads[bucket] = slot
  return slot
}

/** Must follow the account: client order ids are looked up by account. */
export const name = (slots: Slots, slot: number, clientOrderId: string): void => {
  const at = slot << shift
  slots.words[at + CLIENT] = Texts.keep(slots.clientIds, clientOrderId)
  if (clientOrderId === "") return
  const bucket = clientBucket(slots, at)
  slots.words[at + CLIENT_CHAIN] = slots.clientHeads[bucket]!
  slots.clientHeads[bucket] = slot
}

export const release = (slots: Slots, slot: number): void => {
  const { words } = slots
  const at = slot << shift
  Chain.cut(words, slots.idHeads, idBucket(slots, at), slot, shift, ID_CHAIN)
  if (words[at + CLIENT] !== 0) {
    Chain.cut(words, slots.clientHeads, clientBucket(slots, at), slot, shift, CLIENT_CHAIN)
    Texts.drop(slots.clientIds, words[at + CLIENT]!)
  }
  if (slots.oddIds.size > 0) slots.oddIds.delete(slot)
  words[at + NEXT] = slots.free
  slots.free = slot
  slots.open--
}

export const find = (slots: Slots, id: Int32Array): number => {
  const { words } = slots
  const a = id[0]!, b = id[1]!, c = id[2]!, d = id[3]!
  let slot = slots.idHeads[Uuid.spread(a, b, c, d) & slots.idHeads.length - 1]!
  while (slot !== 0) {
    const at = slot << shift
    if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return slot
    slot = words[at + ID_CHAIN]!
  }
  return 0
}

/** All orders of an account with a client order id, in no order. */
export const named = (slots: Slots, account: number, clientOrderId: string): Array<number> => {
  const found: Array<number> = []
  if (clientOrderId === "") return found
  let slot = slots.clientHeads[Texts.hash(clientOrderId, account) & slots.clientHeads.length - 1]!
  while (slot !== 0) {
    const at = slot << shift
    const isSo = slots.words[at + ACCOUNT] === account && Texts.is(slots.clientIds, slots.words[at + CLIENT]!, clientOrderId)
    if (isSo) found.push(slot)
    slot = slots.words[at + CLIENT_CHAIN]!
  }
  return found
}

export const orderId = (slots: Slots, slot: number): string => {
  const odd = slots.oddIds.size === 0 ? undefined : slots.oddIds.get(slot)
  if (odd !== undefined) return odd
  const { words } = slots
  const at = slot << shift
  return Uuid.text(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!)
}

export const clientOrderId = (slots: Slots, slot: number): string =>
  Texts.read(slots.clientIds, slots.words[(slot << shift) + CLIENT]!)

function idBucket(slots: Slots, at: number): number {
  const { words } = slots
  return Uuid.spread(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!) & slots.idHeads.length - 1
}

function clientBucket(slots: Slots, at: number): number {
  const { clientIds, words } = slots
  return Texts.hashOf(clientIds, words[at + CLIENT]!, words[at + ACCOUNT]!) & slots.clientHeads.length - 1
}

/** Small books double; large ones grow by an eighth, since room that is not used counts as well. */
function grow(slots: Slots): void {
  const before = slots.traits.length
  const size = before < 65_536 ? before * 2 : before + (before >> 3)
  const words = new Int32Array(size << shift)
  words.set(slots.words)
  slots.words = words
  const traits = new Int32Array(size)
  traits.set(slots.traits)
  slots.traits = traits
  const placedAtMillis = new Float64Array(size)
  placedAtMillis.set(slots.placedAtMillis)
  slots.placedAtMillis = placedAtMillis
}

/** Doubles both indexes and puts every open order in again. */
function index(slots: Slots): void {
  const { words } = slots
  const open = chained(slots)
  slots.idHeads = new Int32Array(slots.idHeads.length * 2)
  slots.clientHeads = new Int32Array(slots.clientHeads.length * 2)
  for (const slot of open) {
    const at = slot << shift
    const bucket = idBucket(slots, at)
    words[at + ID_CHAIN] = slots.idHeads[bucket]!
    slots.idHeads[bucket] = slot
    if (words[at + CLIENT] === 0) continue
    const client = clientBucket(slots, at)
    words[at + CLIENT_CHAIN] = slots.clientHeads[client]!
    slots.clientHeads[client] = slot
  }
}

function chained(slots: Slots): Array<number> {
  const open: Array<number> = []
  for (const head of slots.idHeads) {
    for (let slot = head; slot !== 0; slot = slots.words[(slot << shift) + ID_CHAIN]!) open.push(slot)
  }
  return open
}
