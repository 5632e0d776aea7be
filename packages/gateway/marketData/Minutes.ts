/** What was traded on the book of one market in its last minutes: the candles that run, and what was traded since when. */
import type { Volume } from "@venue/api/marketData/StatsFrame"
import * as Candle from "@venue/domain/Candle"
import type { Traded } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import type { Ratio } from "@venue/domain/Split"

/** Trades of one minute, counted from 1970. */
export interface Minute extends Candle.Candle {
  readonly minute: number
}

/** Its one owner changes it in place. */
export interface Minutes {
  /** Those in which anything was traded, the oldest first. */
  readonly rows: Array<Row>
  /** The last price of before the first of them; 0 where nothing was traded by then. */
  beforeTicks: number
}

/** A minute with what was traded before it, so that a sum over some of them is a difference. */
interface Row {
  minute: Minute
  readonly before: Volume
}

/** Trades of a window of minutes. A window without a trade has the price of the last trade before it, 0 without one. */
export interface Window extends Candle.Candle {
  readonly startMinute: number
}

/** Enough for a day of 25 hours, as the one is in which clocks are put back. */
export const keptMinutes = 1_500

export const none = (): Minutes => ({ rows: [], beforeTicks: 0 })

/** Restates what was before each split, the earliest split first; trades of the minute of a split are of before it. */
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
  for (const happened of splits.slice(next)) split(self, happened)
  return self
}

/** Adds a trade; trades off the book count neither for candles nor for volume. */
export const take = (self: Minutes, trade: Traded): void => {
  if (trade.offBook === undefined) add(self, { minute: minuteOf(trade.atMillis), ...Candle.ofTrade(trade) })
}

/** All of it in new units: prices to the nearest tick, and quantities rounded down to whole lots. */
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

/** Of the last trade; 0 where there was none. */
export const lastTicks = ({ beforeTicks, rows }: Minutes): number => rows.at(-1)?.minute.closeTicks ?? beforeTicks

/** From the beginning of that minute on. */
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
  const { minute: _minute, ...sum } = rows
    .slice(from, to)
    .map(({ minute }) => minute)
    .reduce(Candle.merged<Minute>)
  return { startMinute, ...sum }
}

const nothing: Volume = { lots: 0n, notional: 0n }

const after = ({ before, minute }: Row): Volume => ({
  lots: before.lots + minute.volumeLots,
  notional: before.notional + minute.notional
})

/** Time never goes back in a market, so it is of the last minute or a later one. */
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
