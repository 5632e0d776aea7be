/** The flow: the benchmark's recorded order stream, with the same records and control totals for every engine. */
import { readFileSync, writeFileSync } from "node:fs"
import { BookAnchor } from "./BookAnchor.ts"

/** Int32 values per record: kind, side (0 buy, 1 sell), price in ticks, quantity in lots, id. */
export const recordInts = 5
export const Kind = { add: 0, cancel: 1, market: 2 } as const

/**
 * Control totals after the prefill and all operations. An engine with different totals did not run this flow
 * correctly.
 */
export interface Totals {
  readonly trades: number
  readonly volume: number
  /** Sum of ticks × lots over all trades. */
  readonly notional: number
  readonly resting: number
  readonly bid: number
  readonly ask: number
}

export interface Flow {
  /** Number of passive orders placed before the clock starts. */
  readonly prefill: number
  readonly operations: number
  readonly records: Int32Array
  readonly totals: Totals
}

/**
 * Generates a flow. F1 has 1,000,000 operations on a book of 10,000 orders. F1s has the same operations on a book of
 * 1,000 orders.
 */
export const makeFlow = (operations = 1_000_000, prefill = 10_000, seed = 20_260): Flow => {
  const count = operations + prefill
  const records = new Int32Array(count * recordInts)
  const book = new BookAnchor(count + 2)
  const live = new LiveOrders(count + 2)
  const draw = xorshift(seed)
  let written = 0
  let nextId = 1
  let lastPrice = 65_536
  book.onFilled = (maker) => live.remove(maker)
  book.onFill = (_maker, _taker, _quantity, price) => {
    lastPrice = price
  }

  const write = (kind: number, side: number, price: number, quantity: number, id: number): void => {
    records.set([kind, side, price, quantity, id], written)
    written += recordInts
  }
  // The product of two uniform draws favours prices near the best price. The price never crosses the book.
  const add = (): void => {
    const side = (draw() & 1) as 0 | 1
    const distance = 1 + Math.floor(((draw() % 20) * (draw() % 20)) / 10)
    const [bid, ask] = book.best
    const price =
      side === 0 ? (ask < book.ticks ? ask : lastPrice + 1) - distance : (bid >= 0 ? bid : lastPrice - 1) + distance
    const quantity = 1 + (draw() % 100)
    const id = nextId++
    write(Kind.add, side, price, quantity, id)
    book.add(id, side, price, quantity)
    live.push(id)
  }
  // Cancels only resting orders, so that every cancel succeeds.
  const cancel = (): void => {
    const id = live.at(draw())
    write(Kind.cancel, book.side[id]!, book.price[id]!, 0, id)
    book.cancel(id)
    live.remove(id)
  }
  const market = (): void => {
    const side = (draw() & 1) as 0 | 1
    const quantity = 1 + (draw() % 300)
    const id = nextId++
    write(Kind.market, side, 0, quantity, id)
    book.market(id, side, quantity)
  }

  for (let i = 0; i < prefill; i++) add()
  for (let i = 0; i < operations; i++) {
    const lot = draw() % 100
    if (live.size < 1_000) add()
    else if (live.size > 2 * prefill + 20_000) cancel()
    else if (lot < 60) add()
    else if (lot < 90) cancel()
    else market()
  }
  const totals = {
    trades: book.trades,
    volume: book.volume,
    notional: book.notional,
    resting: book.resting,
    bid: book.best[0],
    ask: book.best[1]
  }
  return { prefill, operations, records, totals }
}

/**
 * Writes the counts of operations and prefill orders as two int32 values, then the records. The file omits the
 * totals.
 */
export const writeFlow = (path: string, flow: Flow): void =>
  writeFileSync(
    path,
    Buffer.concat([Buffer.from(Int32Array.of(flow.operations, flow.prefill).buffer), Buffer.from(flow.records.buffer)])
  )

export const readFlow = (path: string): Omit<Flow, "totals"> => {
  const file = readFileSync(path)
  const ints = new Int32Array(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength))
  return { operations: ints[0]!, prefill: ints[1]!, records: ints.subarray(2) }
}

/** An unordered set of ids with constant-time draw and removal. */
class LiveOrders {
  size = 0
  readonly #ids: Int32Array
  readonly #slot: Int32Array

  constructor(maxOrders: number) {
    this.#ids = new Int32Array(maxOrders)
    this.#slot = new Int32Array(maxOrders)
  }

  push(id: number): void {
    this.#slot[id] = this.size
    this.#ids[this.size++] = id
  }

  at(draw: number): number {
    return this.#ids[draw % this.size]!
  }

  remove(id: number): void {
    const last = this.#ids[--this.size]!
    const slot = this.#slot[id]!
    this.#ids[slot] = last
    this.#slot[last] = slot
  }
}

function xorshift(seed: number): () => number {
  let state = seed | 0
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
