/** The price levels of one side, with a queue of orders at each and the best of them at hand. */
import type { Level } from "@venue/domain/Market"
import type { Side } from "@venue/domain/Order"

/**
 * Ticks are grouped in pages of 1,024 made when first used. A bit tells which ticks of a page have orders, another
 * which pages have any, so the next level is found by looking at words, and any price costs the same.
 */
export interface Ladder {
  readonly side: Side
  /** The best price in ticks, or one that no order can have: 0 for buys, `beyond` for sells. */
  best: number
  /** Each 1,024 ticks have the number of their page here, counted from 1; 0 where none was made. */
  directory: Int32Array
  /** Each entry of the directory that has orders has its bit set. */
  occupied: Int32Array
  pages: number
  /** Levels with orders, by page. */
  levels: Int32Array
  /** Each tick with orders has its bit set, by page. */
  bits: Int32Array
  /** Each tick whose total changed and was not asked for since has its bit set. */
  touched: Int32Array
  readonly touchedPrices: Array<number>
  /** First and last order of each tick, by page; 0 where there is none. */
  heads: Int32Array
  tails: Int32Array
  /** Lots of each tick, by page. */
  totals: Float64Array
}

/** Above any price in ticks. */
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

/** Finds where a price is kept, and makes its page if need be. */
export const place = (ladder: Ladder, priceTicks: number): number => {
  const entry = priceTicks >> 10
  const page = entry < ladder.directory.length ? ladder.directory[entry]! : 0
  return (((page === 0 ? addPage(ladder, entry) : page) - 1) << 10) + (priceTicks & 1023)
}

/** Finds where a price is kept that has orders. */
export const placeOf = (ladder: Ladder, priceTicks: number): number =>
  ((ladder.directory[priceTicks >> 10]! - 1) << 10) + (priceTicks & 1023)

/** A level's first order has come. */
export const open = (ladder: Ladder, priceTicks: number, at: number): void => {
  ladder.bits[at >> 5]! |= 1 << at
  if (ladder.levels[at >> 10]!++ === 0) ladder.occupied[priceTicks >> 15]! |= 1 << (priceTicks >> 10)
  if (ladder.side === "BUY" ? priceTicks > ladder.best : priceTicks < ladder.best) ladder.best = priceTicks
}

/** A level's last order has gone. */
export const close = (ladder: Ladder, priceTicks: number, at: number): void => {
  ladder.bits[at >> 5]! &= ~(1 << at)
  if (--ladder.levels[at >> 10]! === 0) ladder.occupied[priceTicks >> 15]! &= ~(1 << (priceTicks >> 10))
  if (priceTicks === ladder.best) ladder.best = next(ladder, priceTicks)
}

/** Finds the next worse price with orders, or one that no order can have. */
export const next = (ladder: Ladder, priceTicks: number): number =>
  ladder.side === "BUY" ? below(ladder, priceTicks) : above(ladder, priceTicks)

export const touch = (ladder: Ladder, priceTicks: number, at: number): void => {
  const bit = 1 << at
  const word = ladder.touched[at >> 5]!
  if ((word & bit) !== 0) return
  ladder.touched[at >> 5] = word | bit
  ladder.touchedPrices.push(priceTicks)
}

/** Gives the new totals of the levels that changed since this was last asked. */
export const drain = (ladder: Ladder): Array<Level> =>
  ladder.touchedPrices.splice(0).map((priceTicks) => {
    const at = placeOf(ladder, priceTicks)
    ladder.touched[at >> 5]! &= ~(1 << at)
    return { side: ladder.side, priceTicks, quantityLots: ladder.totals[at]! }
  })

/** Gives all levels, best first. */
export const levels = (ladder: Ladder): Array<Level> => [...each(ladder)]

/** Gives one level after the other, best first, for as long as the ladder stands still. */
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
    // At 31 the shifted two is 0, and one less than that is every bit, as it should be.
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
