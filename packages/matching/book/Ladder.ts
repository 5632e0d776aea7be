/** Price levels on one side of the book, with an order queue per level and the best price. */
import type { Level } from "@venue/domain/Market"
import type { Side } from "@venue/domain/Order"

/**
 * Ticks are grouped into pages of 1,024 ticks, which are allocated on first use. One bitmap marks the ticks that have
 * orders, and another marks the pages that have orders. The next level is found by scanning bitmap words, so the cost
 * does not depend on the price.
 */
export interface Ladder {
  readonly side: Side
  /** Best price in ticks. An empty side has a price that no order can have: 0 for buys, `beyond` for sells. */
  best: number
  /** Page number of each group of 1,024 ticks, counted from 1; 0 if the page is not allocated. */
  directory: Int32Array
  /** Bitmap of the directory entries that have orders. */
  occupied: Int32Array
  pages: number
  /** Number of levels with orders, by page. */
  levels: Int32Array
  /** Bitmap of the ticks with orders, by page. */
  bits: Int32Array
  /** Bitmap of the ticks whose total changed since the last `drain`. */
  touched: Int32Array
  readonly touchedPrices: Array<number>
  /**
   * First order at each tick, stored page by page; 0 if the tick has no orders. `tails` holds the last order at each
   * tick.
   */
  heads: Int32Array
  tails: Int32Array
  /** Total lots of each tick, by page. */
  totals: Float64Array
}

/** Price in ticks that is higher than any order's price. */
export const beyond = 0x7fffffff

export const make = (side: Side): Ladder => ({
  side,
  best: side === "BUY" ? 0 : beyond,
  directory: new Int32Array(64),
  occupied: new Int32Array(2),
  pages: 0,
  levels: new Int32Array(2),
  bits: new Int32Array(2 << 5),
  touched: new Int32Array(2 << 5),
  touchedPrices: [],
  heads: new Int32Array(2 << 10),
  tails: new Int32Array(2 << 10),
  totals: new Float64Array(2 << 10)
})

/** Returns the index of a price in the page arrays, allocating its page if needed. */
export const place = (ladder: Ladder, priceTicks: number): number => {
  const entry = priceTicks >> 10
  const page = entry < ladder.directory.length ? ladder.directory[entry]! : 0
  return (((page === 0 ? addPage(ladder, entry) : page) - 1) << 10) + (priceTicks & 1023)
}

/** Returns the index in the page arrays for a price that has orders. */
export const placeOf = (ladder: Ladder, priceTicks: number): number =>
  ((ladder.directory[priceTicks >> 10]! - 1) << 10) + (priceTicks & 1023)

/** Marks a level as occupied when its first order arrives. */
export const open = (ladder: Ladder, priceTicks: number, at: number): void => {
  ladder.bits[at >> 5]! |= 1 << at
  if (ladder.levels[at >> 10]!++ === 0) ladder.occupied[priceTicks >> 15]! |= 1 << (priceTicks >> 10)
  if (ladder.side === "BUY" ? priceTicks > ladder.best : priceTicks < ladder.best) ladder.best = priceTicks
}

/** Marks a level as empty when its last order leaves. */
export const close = (ladder: Ladder, priceTicks: number, at: number): void => {
  ladder.bits[at >> 5]! &= ~(1 << at)
  if (--ladder.levels[at >> 10]! === 0) ladder.occupied[priceTicks >> 15]! &= ~(1 << (priceTicks >> 10))
  if (priceTicks === ladder.best) ladder.best = next(ladder, priceTicks)
}

/** Returns the next worse price that has orders. If no such price exists, returns 0 for buys and `beyond` for sells. */
export const next = (ladder: Ladder, priceTicks: number): number =>
  ladder.side === "BUY" ? below(ladder, priceTicks) : above(ladder, priceTicks)

export const touch = (ladder: Ladder, priceTicks: number, at: number): void => {
  const bit = 1 << at
  const word = ladder.touched[at >> 5]!
  if ((word & bit) !== 0) return
  ladder.touched[at >> 5] = word | bit
  ladder.touchedPrices.push(priceTicks)
}

/** Returns the new totals of the levels changed since the previous call. */
export const drain = (ladder: Ladder): Array<Level> =>
  ladder.touchedPrices.splice(0).map((priceTicks) => {
    const at = placeOf(ladder, priceTicks)
    ladder.touched[at >> 5]! &= ~(1 << at)
    return { side: ladder.side, priceTicks, quantityLots: ladder.totals[at]! }
  })

/** Returns all levels, best first. */
export const levels = (ladder: Ladder): Array<Level> => [...each(ladder)]

/** Yields the levels one by one, best first. The ladder must not change meanwhile. */
export function* each(ladder: Ladder): Iterable<Level> {
  for (let priceTicks = ladder.best; priceTicks !== 0 && priceTicks !== beyond; priceTicks = next(ladder, priceTicks)) {
    yield { side: ladder.side, priceTicks, quantityLots: ladder.totals[placeOf(ladder, priceTicks)]! }
  }
}

function below(ladder: Ladder, priceTicks: number): number {
  const { bits, directory, occupied } = ladder
  let entry = priceTicks >> 10
  let start = priceTicks - 1
  if (start >> 10 === entry) {
    const base = (directory[entry]! - 1) << 5
    let word = (start >> 5) & 31
    // If `start` is 31, `2 << start` overflows to 0, and 0 - 1 sets every bit, as intended.
    let found = bits[base + word]! & ((2 << start) - 1)
    while (found === 0 && --word >= 0) found = bits[base + word]!
    if (found !== 0) return (entry << 10) + (word << 5) + 31 - Math.clz32(found)
  }
  if (--entry < 0) return 0
  let group = entry >> 5
  let pages = occupied[group]! & ((2 << entry) - 1)
  while (pages === 0) {
    if (--group < 0) return 0
    pages = occupied[group]!
  }
  entry = (group << 5) + 31 - Math.clz32(pages)
  const base = (directory[entry]! - 1) << 5
  let word = 31
  while (bits[base + word] === 0) word--
  start = bits[base + word]!
  return (entry << 10) + (word << 5) + 31 - Math.clz32(start)
}

function above(ladder: Ladder, priceTicks: number): number {
  const { bits, directory, occupied } = ladder
  let entry = priceTicks >> 10
  const start = priceTicks + 1
  if (start >> 10 === entry) {
    const base = (directory[entry]! - 1) << 5
    let word = (start >> 5) & 31
    let found = bits[base + word]! & (-1 << start)
    while (found === 0 && ++word < 32) found = bits[base + word]!
    if (found !== 0) return (entry << 10) + (word << 5) + lowest(found)
  }
  entry++
  let group = entry >> 5
  if (group >= occupied.length) return beyond
  let pages = occupied[group]! & (-1 << entry)
  while (pages === 0) {
    if (++group >= occupied.length) return beyond
    pages = occupied[group]!
  }
  entry = (group << 5) + lowest(pages)
  const base = (directory[entry]! - 1) << 5
  let word = 0
  while (bits[base + word] === 0) word++
  return (entry << 10) + (word << 5) + lowest(bits[base + word]!)
}

function lowest(word: number): number {
  return 31 - Math.clz32(word & -word)
}

function addPage(ladder: Ladder, entry: number): number {
  if (entry >= ladder.directory.length) {
    const entries = Math.ceil((entry + 1) / 32) * 32
    ladder.directory = widened(ladder.directory, entries)
    ladder.occupied = widened(ladder.occupied, entries >> 5)
  }
  const page = ++ladder.pages
  ladder.directory[entry] = page
  if (page > ladder.levels.length) {
    const pages = ladder.levels.length * 2
    ladder.levels = widened(ladder.levels, pages)
    ladder.bits = widened(ladder.bits, pages << 5)
    ladder.touched = widened(ladder.touched, pages << 5)
    ladder.heads = widened(ladder.heads, pages << 10)
    ladder.tails = widened(ladder.tails, pages << 10)
    const totals = new Float64Array(pages << 10)
    totals.set(ladder.totals)
    ladder.totals = totals
  }
  return page
}

function widened(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(length)
  wider.set(array)
  return wider
}
