/** Tests of the volumes and candles of recent minutes, compared with sums over the individual trades. */
import type { Traded } from "@venue/domain/Market"
import * as Minutes from "@venue/gateway/marketData/Minutes"
import { expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const minuteMillis = 60_000
const trade = (minute: number, priceTicks: number, quantityLots: number, offBook?: Traded["offBook"]): Traded =>
  ({
    priceTicks,
    quantityLots,
    notional: priceTicks * quantityLots * 10,
    ...(offBook === undefined ? {} : { offBook }),
    atMillis: minute * minuteMillis + 30_000
  }) as Traded

const taken = (trades: ReadonlyArray<Traded>): Minutes.Minutes => {
  const minutes = Minutes.none()
  for (const each of trades) Minutes.take(minutes, each)
  return minutes
}

const minuteAt = ({ atMillis }: Traded) => Math.floor(atMillis / minuteMillis)
const ordered = fc
  .array(
    fc.tuple(fc.nat({ max: 400 }), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 9 }), fc.boolean()),
    {
      maxLength: 60
    }
  )
  .map((gaps) => {
    let minute = 10_000
    return gaps.map(([gap, ticks, lots, isOff]) =>
      trade((minute += Math.max(0, gap - 360)), ticks, lots, isOff ? "TAKEOVER" : undefined)
    )
  })

it("computes volumes and candles only from order-book trades within the time range", () => {
  fc.assert(
    fc.property(
      ordered,
      fc.constantFrom(1, 5, 15, 30, 60, 240, 1_440),
      fc.nat({ max: 1_500 }),
      (trades, length, back) => {
        const minutes = taken(trades)
        const onBook = trades.filter(({ offBook }) => offBook === undefined)
        const last = onBook.length === 0 ? 10_000 : minuteAt(onBook.at(-1)!)
        const from = last - Math.min(back, Minutes.keptMinutes - 1)
        const within = onBook.filter((each) => minuteAt(each) >= from)
        expect(Minutes.since(minutes, from)).toEqual({
          lots: BigInt(within.reduce((sum, { quantityLots }) => sum + quantityLots, 0)),
          notional: BigInt(within.reduce((sum, { notional }) => sum + notional, 0))
        })
        const start = last - (last % length)
        const inside = onBook.filter((each) => minuteAt(each) >= start)
        const ticks = inside.map(({ priceTicks }) => priceTicks)
        expect(Minutes.candle(minutes, start, length)).toEqual({
          startMinute: start,
          openTicks: ticks[0] ?? 0,
          highTicks: Math.max(0, ...ticks),
          lowTicks: ticks.length === 0 ? 0 : Math.min(...ticks),
          closeTicks: ticks.at(-1) ?? 0,
          volumeLots: BigInt(inside.reduce((sum, { quantityLots }) => sum + quantityLots, 0)),
          notional: BigInt(inside.reduce((sum, { notional }) => sum + notional, 0)),
          trades: inside.length
        })
      }
    )
  )
})

it("returns the last earlier price for a window without a trade, even if that price is older than the kept minutes", () => {
  const still = (price: number) => ({
    openTicks: price,
    highTicks: price,
    lowTicks: price,
    closeTicks: price,
    trades: 0
  })
  const minutes = taken([trade(100, 20, 1), trade(105, 30, 1)])
  expect(Minutes.candle(minutes, 102, 2)).toMatchObject(still(20))
  expect(Minutes.candle(minutes, 110, 5)).toMatchObject(still(30))
  expect(Minutes.candle(minutes, 90, 5)).toMatchObject(still(0))
  Minutes.take(minutes, trade(104 + Minutes.keptMinutes, 40, 1))
  expect(Minutes.candle(minutes, 104, 1)).toMatchObject(still(20))
  expect(Minutes.candle(Minutes.of([], 17), 110, 5)).toMatchObject(still(17))
  expect(Minutes.candle(Minutes.none(), 110, 5)).toMatchObject(still(0))
})

it("returns the same figures for minutes read from the tables and for trades received from the feed", () => {
  fc.assert(
    fc.property(ordered, fc.nat({ max: 60 }), (trades, cut) => {
      const whole = taken(trades)
      const loaded = taken(trades.slice(0, cut))
      const again = Minutes.of(
        loaded.rows.map(({ minute }) => minute),
        loaded.beforeTicks
      )
      for (const each of trades.slice(cut)) Minutes.take(again, each)
      const now = whole.rows.at(-1)?.minute.minute ?? 0
      expect(Minutes.since(again, now - 1_439)).toEqual(Minutes.since(whole, now - 1_439))
      expect(Minutes.candle(again, now - (now % 1_440), 1_440)).toEqual(
        Minutes.candle(whole, now - (now % 1_440), 1_440)
      )
    })
  )
})

it("keeps the minutes of the last 25 hours", () => {
  const minutes = taken(Array.from({ length: 4_000 }, (_, at) => trade(at, 10, 1)))
  expect(minutes.rows).toHaveLength(Minutes.keptMinutes)
  expect(Minutes.since(minutes, 0).lots).toBe(1_500n)
})

it("rule 19.2: converts prices and quantities at a split without changing the notional", () => {
  const minutes = taken([trade(1, 200, 5), trade(2, 100, 1)])
  Minutes.split(minutes, { numerator: 4, denominator: 1 })
  Minutes.take(minutes, trade(3, 26, 8))
  expect(Minutes.since(minutes, 0)).toEqual({ lots: 32n, notional: 10_000n + 1_000n + 2_080n })
  expect(Minutes.candle(minutes, 0, 5)).toMatchObject({ openTicks: 50, highTicks: 50, lowTicks: 25, closeTicks: 26 })
})

it("rule 19.2: returns the same minutes whether two splits are read from the log or arrive by the feed", () => {
  const [first, second] = [2, 4].map((minute) => ({ numerator: 4, denominator: 1, atMillis: minute * 60_000 + 1 }))
  const trades = [trade(1, 1_600, 5), trade(3, 400, 1), trade(5, 100, 8)]
  const followed = taken([trades[0]!])
  Minutes.split(followed, first!)
  Minutes.take(followed, trades[1]!)
  Minutes.split(followed, second!)
  Minutes.take(followed, trades[2]!)
  const read = trades.flatMap((each) => taken([each]).rows.map(({ minute }) => minute))
  expect(Minutes.of(read, 3_200, [first!, second!])).toEqual({ ...followed, beforeTicks: 200 })
  expect(Minutes.since(followed, 0).lots).toBe(80n + 4n + 8n)
})
