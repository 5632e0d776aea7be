/** Random hours of a market's chart events: trades, prices, funding and holder counts, in order. */
import { OffBook } from "@venue/domain/Execution"
import type { MarketEvent, Priced } from "@venue/domain/Market"
import { minuteMillis, minuteOf } from "@venue/domain/Minute"
import type { CommittedRow } from "@venue/storage/history/Projection"
import * as fc from "fast-check"
import { traded } from "../../journal/EventsByHand.ts"

export const began = 1_790_503_244_118

const amount = fc.integer({ min: 1, max: 50 })
const step = fc.record({
  passedMillis: fc.constantFrom(0, 1, 1, 500, 500, 9_000, 20_000, 61_000, 700_000, 4_000_000),
  kind: fc.constantFrom("trade", "trade", "trade", "offBook", "price", "price", "funding", "holders"),
  isBuy: fc.boolean(),
  hasBook: fc.boolean(),
  price: amount,
  lots: amount,
  low: fc.nat(9),
  offBook: fc.constantFrom(...OffBook.literals)
})
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const hourMillis = 3_600_000
const nextOf = (atMillis: number, every: number) => (Math.floor(atMillis / every) + 1) * every

export const chartEvents: fc.Arbitrary<ReadonlyArray<MarketEvent>> = fc
  .array(step, { minLength: 1, maxLength: 60, size: "max" })
  .map((steps) => {
    let atMillis = began
    let counted = 0
    return steps.map((step, n) => {
      atMillis += step.passedMillis
      if (step.kind === "funding") atMillis = nextOf(atMillis, hourMillis)
      if (step.kind === "holders" && minuteOf(atMillis) === counted) atMillis = nextOf(atMillis, minuteMillis)
      if (step.kind === "holders") counted = minuteOf(atMillis)
      return eventOf(step, n, atMillis)
    })
  })

function eventOf({ hasBook, isBuy, kind, lots, low, offBook, price }: Step, n: number, atMillis: number): MarketEvent {
  switch (kind) {
    case "price":
      return priced(atMillis, price, hasBook ? low : 0, lots)
    case "funding":
      return {
        _tag: "Funded",
        rateE12: isBuy ? price : -price,
        markE8: 1,
        remainder: 0,
        fromMillis: atMillis - hourMillis,
        skipped: hasBook,
        atMillis
      }
    case "holders":
      return { _tag: "HoldersCounted", longUsers: price, shortUsers: low, atMillis }
    default: {
      const trade = traded("chart", n + 1, { atMillis, price, quantity: lots })
      const order = { ...trade.taker.order, side: isBuy ? ("BUY" as const) : ("SELL" as const) }
      const whole = { ...trade, taker: { ...trade.taker, order } }
      return kind === "offBook" ? { ...whole, offBook } : whole
    }
  }
}

export const priced = (atMillis: number, price: number, bidTicks: number, openInterestLots: number): Priced => ({
  _tag: "Priced",
  source: "external",
  oracleE8: price,
  toldE8: price,
  toldAtMillis: atMillis,
  rejections: 0,
  paused: false,
  markE8: price + 1,
  freshMarkE8: price + 1,
  premiumE8: 0,
  lowerTicks: 1,
  upperTicks: 100,
  minPriceTicks: 1,
  maxPriceTicks: 100,
  limitShareBps: 10_000,
  bidTicks,
  askTicks: 10,
  openInterestLots,
  atMillis
})

/** Splits events into rows and batches whose sizes repeat in this order. */
export const batchesOf = (
  events: ReadonlyArray<MarketEvent>,
  rowSizes: ReadonlyArray<number>,
  batchSizes: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<CommittedRow<MarketEvent>>> => {
  const rows = cut(events, rowSizes).map((events, at) => ({ seq: at + 1, events }))
  return cut(rows, batchSizes)
}

const cut = <A>(all: ReadonlyArray<A>, sizes: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<A>> => {
  const pieces: Array<ReadonlyArray<A>> = []
  for (let from = 0, at = 0; from < all.length; at++) {
    const size = sizes[at % sizes.length]!
    pieces.push(all.slice(from, from + size))
    from += size
  }
  return pieces
}
