/**
 * The simplest fast order book: price-time priority on typed arrays. It generates the flow (the benchmark's recorded
 * order stream), and other books are compared with it.
 */

/** Called for each fill, before the resting order is removed from its list. */
export type OnFill = (maker: number, taker: number, quantity: number, price: number) => void

/**
 * Order ids are dense integers, prices are ticks, and quantities are lots. Side 0 buys and side 1 sells. Each price
 * level is a linked list of orders in the arrays below. A bitmap has one bit per price, set if the level has orders.
 */
export class BookAnchor {
  readonly ticks: number
  readonly price: Int32Array
  /** Remaining quantity by order id; 0 for an order that does not rest. */
  readonly quantity: Int32Array
  readonly side: Uint8Array
  /** Highest bid price (-1 without bids) and lowest offer price (`ticks` without offers). */
  readonly best: [number, number]
  trades = 0
  volume = 0
  notional = 0
  resting = 0
  onFill: OnFill | null = null
  /** Called when a resting order is filled, but not when it is cancelled. */
  onFilled: ((maker: number) => void) | null = null
  readonly #head: readonly [Int32Array, Int32Array]
  readonly #tail: readonly [Int32Array, Int32Array]
  readonly #bits: readonly [Int32Array, Int32Array]
  readonly #after: Int32Array
  readonly #before: Int32Array

  constructor(maxOrders: number, ticks = 1 << 17) {
    this.ticks = ticks
    this.price = new Int32Array(maxOrders)
    this.quantity = new Int32Array(maxOrders)
    this.side = new Uint8Array(maxOrders)
    this.best = [-1, ticks]
    this.#head = [new Int32Array(ticks).fill(none), new Int32Array(ticks).fill(none)]
    this.#tail = [new Int32Array(ticks).fill(none), new Int32Array(ticks).fill(none)]
    this.#bits = [new Int32Array(ticks >> 5), new Int32Array(ticks >> 5)]
    this.#after = new Int32Array(maxOrders)
    this.#before = new Int32Array(maxOrders)
  }

  /** Matches an order up to its price and rests the remainder. Returns the resting quantity. */
  add(id: number, side: 0 | 1, price: number, quantity: number): number {
    const rest = this.#cross(id, side, quantity, price)
    if (rest > 0) this.#link(id, side, price, rest)
    return rest
  }

  /** Matches an order at any price. Returns the unfilled quantity. */
  market(id: number, side: 0 | 1, quantity: number): number {
    return this.#cross(id, side, quantity, side === 0 ? this.ticks : -1)
  }

  cancel(id: number): boolean {
    if (this.quantity[id] === 0) return false
    this.#unlink(this.side[id] as 0 | 1, id)
    return true
  }

  #cross(taker: number, side: 0 | 1, quantity: number, limit: number): number {
    const other = side === 0 ? 1 : 0
    let left = quantity
    while (left > 0) {
      const price = this.best[other]
      if (other === 1 ? price > limit || price >= this.ticks : price < limit || price < 0) break
      let maker = this.#head[other][price]!
      while (maker !== none && left > 0) {
        const offered = this.quantity[maker]!
        const filled = offered < left ? offered : left
        left -= filled
        this.trades++
        this.volume += filled
        this.notional += filled * price
        if (this.onFill !== null) this.onFill(maker, taker, filled, price)
        const next = this.#after[maker]!
        if (filled < offered) {
          this.quantity[maker] = offered - filled
        } else {
          this.#unlink(other, maker)
          if (this.onFilled !== null) this.onFilled(maker)
        }
        maker = next
      }
    }
    return left
  }

  #link(id: number, side: 0 | 1, price: number, quantity: number): void {
    const last = this.#tail[side][price]!
    this.price[id] = price
    this.quantity[id] = quantity
    this.side[id] = side
    this.#after[id] = none
    this.#before[id] = last
    this.#tail[side][price] = id
    this.resting++
    if (last !== none) {
      this.#after[last] = id
      return
    }
    this.#head[side][price] = id
    this.#bits[side][price >> 5]! |= 1 << (price & 31)
    if (side === 0 ? price > this.best[0] : price < this.best[1]) this.best[side] = price
  }

  #unlink(side: 0 | 1, id: number): void {
    const price = this.price[id]!
    const after = this.#after[id]!
    const before = this.#before[id]!
    if (before !== none) this.#after[before] = after
    else this.#head[side][price] = after
    if (after !== none) this.#before[after] = before
    else this.#tail[side][price] = before
    this.quantity[id] = 0
    this.resting--
    if (this.#head[side][price] !== none) return
    this.#bits[side][price >> 5]! &= ~(1 << (price & 31))
    if (this.best[side] === price) this.best[side] = side === 0 ? this.#nextBid(price) : this.#nextAsk(price)
  }

  #nextBid(from: number): number {
    const bits = this.#bits[0]
    let word = from >> 5
    // `from & 31` = 31 also works: 2 << 31 wraps to 0 in 32 bits, so the mask is all ones.
    let found = bits[word]! & ((2 << (from & 31)) - 1)
    while (found === 0) {
      if (--word < 0) return -1
      found = bits[word]!
    }
    return (word << 5) + 31 - Math.clz32(found)
  }

  #nextAsk(from: number): number {
    const bits = this.#bits[1]
    let word = from >> 5
    let found = bits[word]! & (-1 << (from & 31))
    while (found === 0) {
      if (++word >= bits.length) return this.ticks
      found = bits[word]!
    }
    return (word << 5) + 31 - Math.clz32(found & -found)
  }
}

const none = -1
