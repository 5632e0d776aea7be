/** The open orders of one market, sixteen words each in one array, found by id and by client order id. */
import * as Texts from "./Texts.ts"
import * as Uuid from "./Uuid.ts"

/**
 * A slot is the place of an order's first word; 0 means none. All that is known of an order stands together, most often
 * on two lines of the cache.
 */
export interface Slots {
  words: Int32Array
  /** The same memory by eight bytes. */
  doubles: Float64Array
  /** Words ever used, and the first of the slots given back. */
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

/** Words of a slot: first the four of the id, then these, and in the last two the time it was placed. */
export const width = 20
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
const CLIENT = 14
const ID_CHAIN = 15
const CLIENT_CHAIN = 16
/** The order before this one in the chain of its client order id, or where the chain begins, as `-1 - bucket`. */
const CLIENT_BACK = 17
export const PLACED = 18

/** Traits, under the leverage and the number of the builder code. */
export const sell = 1
export const addLiquidityOnly = 2
export const reduceOnly = 4
export const leverageShift = 3
const leverageMask = 0xff
export const builderShift = 11

export const make = (): Slots => {
  const words = new Int32Array(64 * width)
  return {
    words,
    doubles: new Float64Array(words.buffer),
    used: width,
    free: 0,
    open: 0,
    idHeads: new Int32Array(64),
    clientHeads: new Int32Array(64),
    clientIds: Texts.make(),
    oddIds: new Map()
  }
}

/**
 * A slot for an order whose id has these words, and this text where they do not give it back; the caller fills in the
 * rest before anything else is asked.
 */
export const take = (slots: Slots, id: Int32Array, odd: string | undefined): number => {
  let slot = slots.free
  if (slot !== 0) slots.free = slots.words[slot + NEXT]!
  else {
    slot = slots.used
    slots.used += width
    if (slots.used > slots.words.length) grow(slots)
  }
  if (++slots.open > slots.idHeads.length) index(slots)
  const { words } = slots
  for (let i = 0; i < 4; i++) words[slot + i] = id[i]!
  if (odd !== undefined) slots.oddIds.set(slot, odd)
  const bucket = id[Uuid.HASH]! & (slots.idHeads.length - 1)
  words[slot + ID_CHAIN] = slots.idHeads[bucket]!
  slots.idHeads[bucket] = slot
  return slot
}

/** Must follow the account: client order ids are looked up by account. */
export const name = (slots: Slots, slot: number, clientOrderId: string): void => {
  const handle = Texts.keep(slots.clientIds, clientOrderId)
  slots.words[slot + CLIENT] = handle
  if (handle !== 0) chainClient(slots, slot, slots.clientIds.hash)
}

export const release = (slots: Slots, slot: number): void => {
  const { words } = slots
  unchain(slots, slot)
  if (words[slot + CLIENT] !== 0) unchainClient(slots, slot)
  if (slots.oddIds.size > 0) slots.oddIds.delete(slot)
  words[slot + NEXT] = slots.free
  slots.free = slot
  slots.open--
}

export const find = (slots: Slots, id: Int32Array): number => {
  const { words } = slots
  const a = id[0]!,
    b = id[1]!,
    c = id[2]!,
    d = id[3]!
  let slot = slots.idHeads[id[Uuid.HASH]! & (slots.idHeads.length - 1)]!
  while (slot !== 0) {
    if (words[slot] === a && words[slot + 1] === b && words[slot + 2] === c && words[slot + 3] === d) return slot
    slot = words[slot + ID_CHAIN]!
  }
  return 0
}

/** All orders of an account with a client order id, in no order. */
export const named = (slots: Slots, account: number, clientOrderId: string): Array<number> => {
  const { clientHeads, clientIds, words } = slots
  const found: Array<number> = []
  if (clientOrderId === "") return found
  let slot = clientHeads[clientBucket(slots, account, Texts.hash(clientOrderId))]!
  while (slot !== 0) {
    if (words[slot + ACCOUNT] === account && Texts.is(clientIds, words[slot + CLIENT]!, clientOrderId)) found.push(slot)
    slot = words[slot + CLIENT_CHAIN]!
  }
  return found
}

export const orderId = (slots: Slots, slot: number): string => {
  const odd = slots.oddIds.size === 0 ? undefined : slots.oddIds.get(slot)
  if (odd !== undefined) return odd
  const { words } = slots
  return Uuid.text(words[slot]!, words[slot + 1]!, words[slot + 2]!, words[slot + 3]!)
}

export const clientOrderId = (slots: Slots, slot: number): string =>
  Texts.read(slots.clientIds, slots.words[slot + CLIENT]!)

/** The level its account had when the order was accepted. */
export const leverage = ({ words }: Slots, slot: number): number =>
  (words[slot + TRAITS]! >>> leverageShift) & leverageMask

export const placedAt = (slots: Slots, slot: number): number => slots.doubles[(slot + PLACED) >> 1]!

export const setPlacedAt = (slots: Slots, slot: number, millis: number): void => {
  slots.doubles[(slot + PLACED) >> 1] = millis
}

function idBucket({ idHeads, words }: Slots, slot: number): number {
  return Uuid.spread(words[slot]!, words[slot + 1]!, words[slot + 2]!, words[slot + 3]!) & (idHeads.length - 1)
}

function unchain(slots: Slots, slot: number): void {
  const { idHeads, words } = slots
  const bucket = idBucket(slots, slot)
  const rest = words[slot + ID_CHAIN]!
  let before = idHeads[bucket]!
  if (before === slot) idHeads[bucket] = rest
  else {
    while (words[before + ID_CHAIN] !== slot) before = words[before + ID_CHAIN]!
    words[before + ID_CHAIN] = rest
  }
}

function clientBucket({ clientHeads }: Slots, account: number, hash: number): number {
  return (hash ^ Math.imul(account, 0x9e3779b1)) & (clientHeads.length - 1)
}

/** Linked both ways: one client may give all its orders the same id, and each leaves at the same cost. */
function chainClient(slots: Slots, slot: number, hash: number): void {
  const { clientHeads, words } = slots
  const bucket = clientBucket(slots, words[slot + ACCOUNT]!, hash)
  const head = clientHeads[bucket]!
  words[slot + CLIENT_CHAIN] = head
  words[slot + CLIENT_BACK] = -1 - bucket
  if (head !== 0) words[head + CLIENT_BACK] = slot
  clientHeads[bucket] = slot
}

function unchainClient({ clientHeads, clientIds, words }: Slots, slot: number): void {
  const next = words[slot + CLIENT_CHAIN]!
  const back = words[slot + CLIENT_BACK]!
  if (back < 0) clientHeads[-1 - back] = next
  else words[back + CLIENT_CHAIN] = next
  if (next !== 0) words[next + CLIENT_BACK] = back
  Texts.drop(clientIds, words[slot + CLIENT]!)
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

/** Doubles both indexes and puts every open order in again. */
function index(slots: Slots): void {
  const { words } = slots
  const open = chained(slots)
  slots.idHeads = new Int32Array(slots.idHeads.length * 2)
  slots.clientHeads = new Int32Array(slots.clientHeads.length * 2)
  for (const slot of open) {
    const bucket = idBucket(slots, slot)
    words[slot + ID_CHAIN] = slots.idHeads[bucket]!
    slots.idHeads[bucket] = slot
    if (words[slot + CLIENT] !== 0) chainClient(slots, slot, Texts.hash(clientOrderId(slots, slot)))
  }
}

function chained({ idHeads, words }: Slots): Array<number> {
  const open: Array<number> = []
  for (const head of idHeads) for (let slot = head; slot !== 0; slot = words[slot + ID_CHAIN]!) open.push(slot)
  return open
}
