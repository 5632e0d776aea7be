/**
 * Order books from npm packages, driven with the benchmark flow. As with the venue's engine, orders are created
 * before the clock starts.
 */
import { createRequire } from "node:module"
import { Kind, recordInts, type Totals } from "./Flow.ts"

export const npmBooks = ["hft-limit-order-book", "nodejs-order-book"] as const
export type NpmBookName = (typeof npmBooks)[number]

/** The part of both packages' interface that the bench uses. */
export interface NpmBook {
  readonly limit: (order: Order) => Answer
  readonly market: (order: { side: "buy" | "sell"; size: number }) => Answer
  readonly cancel: (id: string) => unknown
}

interface Order {
  readonly side: "buy" | "sell"
  readonly id: string
  readonly size: number
  readonly price: number
}

interface Answer {
  readonly err: Error | null
  readonly done: ReadonlyArray<unknown>
  readonly partial: unknown
  readonly quantityLeft: number
}

const load = createRequire(import.meta.url)

export const makeBook = (name: NpmBookName): NpmBook => {
  const { OrderBook } = load(name) as { readonly OrderBook: new () => NpmBook }
  return new OrderBook()
}

export class NpmRun {
  readonly book: NpmBook
  readonly #records: Int32Array
  readonly #idOf: (id: number) => string
  #batch: Array<{ readonly kind: number; readonly order: Order }> = []
  #trades = 0
  #volume = 0
  #resting = 0

  constructor(name: NpmBookName, records: Int32Array, idOf: (id: number) => string) {
    this.book = makeBook(name)
    this.#records = records
    this.#idOf = idOf
  }

  prepare(from: number, to: number): void {
    const records = this.#records
    this.#batch = []
    for (let at = from * recordInts; at < to * recordInts; at += recordInts) {
      const side = records[at + 1] === 0 ? "buy" : "sell"
      const id = this.#idOf(records[at + 4]!)
      this.#batch.push({ kind: records[at]!, order: { side, id, size: records[at + 3]!, price: records[at + 2]! } })
    }
  }

  run(): void {
    for (const { kind, order } of this.#batch) {
      if (kind === Kind.add) {
        const { err } = this.book.limit(order)
        if (err !== null) throw err
        this.#resting++
      } else if (kind === Kind.cancel) {
        if (this.book.cancel(order.id) === undefined) throw new Error("a cancel missed")
        this.#resting--
      } else {
        this.#market(order.side, order.size)
      }
    }
  }

  /** Returns the book's totals. They omit the notional, because the book does not report trade prices. */
  totals(): Pick<Totals, "trades" | "volume" | "resting"> {
    return { trades: this.#trades, volume: this.#volume, resting: this.#resting }
  }

  #market(side: "buy" | "sell", size: number): void {
    const { done, err, partial, quantityLeft } = this.book.market({ side, size })
    if (err !== null) throw err
    this.#trades += done.length + (partial === null ? 0 : 1)
    this.#volume += size - quantityLeft
    this.#resting -= done.length
  }
}
