/** Tests of the search for splits in a log that has empty rows and equal times. */
import type { MarketEvent } from "@venue/domain/Market"
import type { ContractSplit } from "@venue/domain/Split"
import * as LastSplit from "@venue/gateway/marketData/LastSplit"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { traded } from "../../journal/EventsByHand.ts"

const split = (atMillis: number): ContractSplit => ({
  _tag: "ContractSplit",
  exDay: 20_000,
  numerator: 4,
  denominator: 1,
  markE8: 1,
  fundLots: 0,
  remainder: 0,
  atMillis
})

/**
 * Rows of a log. Null is a claim row, which has no events. A number is a row with a trade, this many ms after the
 * previous row.
 */
const log = fc.record({
  gaps: fc.array(fc.option(fc.nat({ max: 3 })), { minLength: 1, maxLength: 200 }),
  places: fc.uniqueArray(fc.nat({ max: 199 }), { maxLength: 3 }),
  /** Last row of the search, and the row at whose time the search starts. */
  bounds: fc.tuple(fc.nat({ max: 199 }), fc.nat({ max: 199 }))
})

it.effect("returns every split from the given time up to the last row of the table", () =>
  Effect.gen(function* () {
    for (const { bounds, gaps, places } of fc.sample(log, { numRuns: 300, seed: 5 })) {
      let atMillis = 1_000
      const times: Array<number> = []
      const rows = gaps.map((gap, at) => {
        atMillis += gap ?? 0
        times.push(atMillis)
        const trade: MarketEvent = traded("log", at + 1, { atMillis })
        const events = places.includes(at) ? [trade, split(atMillis)] : gap === null ? [] : [trade]
        const record = events.length === 0 ? new Uint8Array() : MarketRecord.encode(events)
        return { stream: "market/LOG-USD", seq: at + 1, epoch: 1, events: record }
      })
      let reads = 0
      const read = (after: number, limit: number) =>
        Effect.sync(() => {
          reads++
          return rows.slice(after, after + limit)
        })
      const [lastRow, startRow] = bounds.map((bound) => bound % gaps.length)
      const happened = places.filter((place) => place < gaps.length).toSorted((a, b) => a - b)
      const toMillis = times[happened.at(-1) ?? 0]!
      const range = { lastSeq: lastRow! + 1, fromMillis: times[startRow!]!, toMillis }
      const expected = happened.filter((place) => place <= lastRow! && times[place]! >= range.fromMillis)
      assert.deepEqual(
        yield* LastSplit.findAll(read, range),
        expected.map((place) => split(times[place]!))
      )
      assert.isBelow(reads, 20)
    }
  })
)
