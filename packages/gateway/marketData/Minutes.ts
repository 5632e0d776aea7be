/** What was traded on the book of one market in its last minutes: the candles that run, and what was traded since when. */
import type { Volume } from "@venue/api/marketData/StatsFrame"
import type { Traded } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import type { Ratio } from "@venue/domain/Split"

/** Prices count ticks, and money 1e-6 USD. */
export interface Minute {
  readonly minute: number
  readonly openTicks: number
  readonly highTicks: number
  readonly lowTicks: number
  readonly closeTicks: number
  readonly volumeLots: bigint
  readonly notional: bigint
  readonly trades: number
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

/** A window of minutes. One without a trade has the price of before, and 0 as long as there was none. */
export interface Candle {
  readonly startMinute: number
  readonly openTicks: number
  readonly highTicks: number
  readonly lowTicks: number
  readonly closeTicks: number
  readonly notional: bigint
  readonly trades: number
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

/** What is traded off the book moves no candle and is no volume. */
export const take = (self: Minutes, { atMillis, notional, offBook, priceTicks, quantityLots }: Traded): void => {
  if (offBook !== undefined) return
  add(self, {
    minute: minuteOf(atMillis),
    openTicks: priceTicks,
    highTicks: priceTicks,
    lowTicks: priceTicks,
    closeTicks: priceTicks,
    volumeLots: BigInt(quantityLots),
    notional: BigInt(notional),
    trades: 1
  })
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

/** The window of so many minutes that begins there. */
export const candle = ({ beforeTicks, rows }: Minutes, startMinute: number, length: number): Candle => {
  const from = firstFrom(rows, startMinute)
  const to = firstFrom(rows, startMinute + length)
  if (from === to) {
    const still = rows[from - 1]?.minute.closeTicks ?? beforeTicks
    const prices = { openTicks: still, highTicks: still, lowTicks: still, closeTicks: still }
    return { startMinute, ...prices, notional: 0n, trades: 0 }
  }
  const { notional, openTicks } = rows[from]!.minute
  let { highTicks, lowTicks, trades } = rows[from]!.minute
  let sum = notional
  for (let at = from + 1; at < to; at++) {
    const { minute } = rows[at]!
    highTicks = Math.max(highTicks, minute.highTicks)
    lowTicks = Math.min(lowTicks, minute.lowTicks)
    trades += minute.trades
    sum += minute.notional
  }
  return {
    startMinute,
    openTicks,
    highTicks,
    lowTicks,
    closeTicks: rows[to - 1]!.minute.closeTicks,
    notional: sum,
    trades
  }
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
    last.minute = together(last.minute, minute)
    return
  }
  rows.push({ minute, before: last === undefined ? nothing : after(last) })
  while (rows[0]!.minute.minute <= minute.minute - keptMinutes) {
    self.beforeTicks = rows.shift()!.minute.closeTicks
  }
}

const together = (before: Minute, next: Minute): Minute => ({
  minute: before.minute,
  openTicks: before.openTicks,
  highTicks: Math.max(before.highTicks, next.highTicks),
  lowTicks: Math.min(before.lowTicks, next.lowTicks),
  closeTicks: next.closeTicks,
  volumeLots: before.volumeLots + next.volumeLots,
  notional: before.notional + next.notional,
  trades: before.trades + next.trades
})

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
