/** Order-book trades of one market in each of the last 1,500 minutes, for candles and volumes. */
import type { Volume } from "@venue/api/marketData/StatsFrame"
import * as Candle from "@venue/domain/Candle"
import type { Traded } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import type { Ratio } from "@venue/domain/Split"

/** Trades of one minute. Minutes are numbered from 1970. */
export interface Minute extends Candle.Candle {
  readonly minute: number
}

/** Trades of one market, by minute. Mutable, so they must have a single owner. */
export interface Minutes {
  /** Minutes with a trade, oldest first. */
  readonly rows: Array<Row>
  /** Last price before the first row, in ticks; 0 if no trade was made before that row. */
  beforeTicks: number
}

/** A minute with the total volume before it, so that the volume of a range is a difference of two totals. */
interface Row {
  minute: Minute
  readonly before: Volume
}

/**
 * Trades in a window of minutes. A window without trades has the price of the last earlier trade, or 0 before the
 * first trade.
 */
export interface Window extends Candle.Candle {
  readonly startMinute: number
}

/** Number of stored minutes: 25 hours, which is the length of a day on which clocks are set back. */
export const keptMinutes = 1_500

export const none = (): Minutes => ({ rows: [], beforeTicks: 0 })

/**
 * Converts the minutes before each split, in order, to new units. Trades in the minute of a split count as made
 * before it.
 */
export const of = (
  minutes: ReadonlyArray<Minute>,
  beforeTicks: number,
  splits: ReadonlyArray<Ratio & { readonly atMillis: number }> = []
): Minutes => {
  const self: Minutes = { rows: [], beforeTicks }
  let next = 0
  for (const minute of minutes) {
    for (; next < splits.length && minuteOf(splits[next]!.atMillis) < minute.minute; next++) split(self, splits[next]!)
    add(self, minute)
  }
  for (const later of splits.slice(next)) split(self, later)
  return self
}

/** Adds a trade. Ignores a trade made off the order book, which counts neither for candles nor for volume. */
export const take = (self: Minutes, trade: Traded): void => {
  if (trade.offBook === undefined) add(self, { minute: minuteOf(trade.atMillis), ...Candle.ofTrade(trade) })
}

/** Converts all minutes to the units after a split: prices to the nearest tick, quantities down to whole lots. */
export const split = (self: Minutes, { denominator, numerator }: Ratio): void => {
  const price = (ticks: number) => Math.round((ticks * denominator) / numerator)
  const rows = self.rows.splice(0)
  self.beforeTicks = price(self.beforeTicks)
  for (const { minute } of rows) {
    add(self, {
      ...minute,
      openTicks: price(minute.openTicks),
      highTicks: price(minute.highTicks),
      lowTicks: price(minute.lowTicks),
      closeTicks: price(minute.closeTicks),
      volumeLots: (minute.volumeLots * BigInt(numerator)) / BigInt(denominator)
    })
  }
}

/** Returns the price of the last trade; 0 before the first trade. */
export const lastTicks = ({ beforeTicks, rows }: Minutes): number => rows.at(-1)?.minute.closeTicks ?? beforeTicks

export const since = ({ rows }: Minutes, fromMinute: number): Volume => {
  const first = rows[firstFrom(rows, fromMinute)]
  if (first === undefined) return nothing
  const all = after(rows.at(-1)!)
  return { lots: all.lots - first.before.lots, notional: all.notional - first.before.notional }
}

/** Returns the candle of the `length` minutes that begin at `startMinute`. */
export const candle = ({ beforeTicks, rows }: Minutes, startMinute: number, length: number): Window => {
  const from = firstFrom(rows, startMinute)
  const to = firstFrom(rows, startMinute + length)
  if (from === to) {
    const still = rows[from - 1]?.minute.closeTicks ?? beforeTicks
    const prices = { openTicks: still, highTicks: still, lowTicks: still, closeTicks: still }
    return { startMinute, ...prices, volumeLots: 0n, notional: 0n, trades: 0 }
  }
  const sum = rows
    .slice(from, to)
    .map(({ minute }) => minute)
    .reduce(Candle.merged<Minute>)
  // Rows loaded from the table have further members, which are not part of a window.
  const { closeTicks, highTicks, lowTicks, notional, openTicks, trades, volumeLots } = sum
  return { startMinute, openTicks, highTicks, lowTicks, closeTicks, volumeLots, notional, trades }
}

const nothing: Volume = { lots: 0n, notional: 0n }

const after = ({ before, minute }: Row): Volume => ({
  lots: before.lots + minute.volumeLots,
  notional: before.notional + minute.notional
})

/** Adds a minute. Times in a market never decrease, so it is the last minute or a later one. */
const add = (self: Minutes, minute: Minute): void => {
  const { rows } = self
  const last = rows.at(-1)
  if (last?.minute.minute === minute.minute) {
    last.minute = Candle.merged(last.minute, minute)
    return
  }
  rows.push({ minute, before: last === undefined ? nothing : after(last) })
  while (rows[0]!.minute.minute <= minute.minute - keptMinutes) {
    self.beforeTicks = rows.shift()!.minute.closeTicks
  }
}

const firstFrom = (rows: ReadonlyArray<Row>, minute: number): number => {
  let from = 0
  let to = rows.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (rows[middle]!.minute.minute < minute) from = middle + 1
    else to = middle
  }
  return from
}
