/** The open orders of one market, sixteen words each in one array, found by id and by client order id. */
import * as Texts from "./Texts.ts"
import * as Uuid from "./Uuid.ts"

/** A slot is a number from 1; 0 means none. An order's words stand together, most often on one line of the cache. */
export interface Slots {
  words: Int32Array
  /** Builder code and the traits of the order. */
  traits: Int32Array
  placedAtMillis: Float64Array
  /** The order before this one in the chain of its client order id, or where the chain begins, as `-1 - bucket`. */
  clientBack: Int32Array
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
  clientBack: new Int32Array(64),
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
  if (++slots.open > slots.idHeads.length << 1) index(slots)
  const at = slot << shift
  for (let i = 0; i < 4; i++) slots.words[at + i] = id[i]!
  if (odd !== undefined) slots.oddIds.set(slot, odd)
  const bucket = id[Uuid.HASH]! & slots.idHeads.length - 1
  slots.words[at + ID_CHAIN] = slots.idHeads[bucket]!
  slots.idHeads[bucket] = slot
  return slot
}

/** Must follow the account: client order ids are looked up by account. */
export const name = (slots: Slots, slot: number, clientOrderId: string): void => {
  const at = slot << shift
  const handle = Texts.keep(slots.clientIds, clientOrderId)
  slots.words[at + CLIENT] = handle
  if (handle !== 0) chainClient(slots, slot, slots.clientIds.hash)
}

export const release = (slots: Slots, slot: number): void => {
  const { words } = slots
  const at = slot << shift
  unchain(slots, slot, idBucket(slots, at))
  if (words[at + CLIENT] !== 0) {
    const next = words[at + CLIENT_CHAIN]!
    const back = slots.clientBack[slot]!
    if (back < 0) slots.clientHeads[-1 - back] = next
    else words[(back << shift) + CLIENT_CHAIN] = next
    if (next !== 0) slots.clientBack[next] = back
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
  let slot = slots.idHeads[id[Uuid.HASH]! & slots.idHeads.length - 1]!
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
  let slot = slots.clientHeads[clientBucket(slots, account, Texts.hash(clientOrderId))]!
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

function unchain({ idHeads, words }: Slots, slot: number, bucket: number): void {
  const rest = words[(slot << shift) + ID_CHAIN]!
  let before = idHeads[bucket]!
  if (before === slot) idHeads[bucket] = rest
  else {
    while (words[(before << shift) + ID_CHAIN] !== slot) before = words[(before << shift) + ID_CHAIN]!
    words[(before << shift) + ID_CHAIN] = rest
  }
}

function clientBucket(slots: Slots, account: number, hash: number): number {
  return (hash ^ Math.imul(account, 0x9e3779b1)) & slots.clientHeads.length - 1
}

/** Linked both ways: one client may give all its orders the same id, and each leaves at the same cost. */
function chainClient(slots: Slots, slot: number, hash: number): void {
  const { clientBack, clientHeads, words } = slots
  const at = slot << shift
  const bucket = clientBucket(slots, words[at + ACCOUNT]!, hash)
  const head = clientHeads[bucket]!
  words[at + CLIENT_CHAIN] = head
  if (head !== 0) clientBack[head] = slot
  clientBack[slot] = -1 - bucket
  clientHeads[bucket] = slot
}

/** Small books double; large ones grow by an eighth, since room that is not used counts as well. */
function grow(slots: Slots): void {
  const before = slots.traits.length
  const size = before < 65_536 ? before * 2 : before + (before >> 3)
  const placedAtMillis = new Float64Array(size)
  placedAtMillis.set(slots.placedAtMillis)
  slots.placedAtMillis = placedAtMillis
  slots.words = widened(slots.words, size << shift)
  slots.traits = widened(slots.traits, size)
  slots.clientBack = widened(slots.clientBack, size)
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
    if (words[at + CLIENT] !== 0) chainClient(slots, slot, Texts.hash(clientOrderId(slots, slot)))
  }
}

function chained(slots: Slots): Array<number> {
  const open: Array<number> = []
  for (const head of slots.idHeads) {
    for (let slot = head; slot !== 0; slot = slots.words[(slot << shift) + ID_CHAIN]!) open.push(slot)
  }
  return open
}

function widened(array: Int32Array, length: number): Int32Array {
  const wider = new Int32Array(length)
  wider.set(array)
  return wider
}
