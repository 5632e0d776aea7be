/** A split is found in a journal of any length by a few reads, among rows without events and of the same time. */
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

/** Rows are a claim's, without events, or of a trade so much later than the row before. */
const log = fc.record({
  gaps: fc.array(fc.option(fc.nat({ max: 3 })), { minLength: 1, maxLength: 200 }),
  place: fc.nat({ max: 199 }),
  isSplit: fc.boolean()
})

it.effect("it is found where it is, and nothing where there is none", () =>
  Effect.gen(function* () {
    for (const { gaps, isSplit, place } of fc.sample(log, { numRuns: 300, seed: 5 })) {
      let atMillis = 1_000
      let happened = 0
      const times: Array<number> = []
      const rows = gaps.map((gap, at) => {
        const isHere = at === place % gaps.length
        atMillis += gap ?? 0
        if (isHere) happened = atMillis
        const trade: MarketEvent = traded("log", at + 1, { atMillis })
        const events = isHere ? (isSplit ? [trade, split(atMillis)] : [trade]) : gap === null ? [] : [trade]
        if (events.length > 0) times.push(atMillis)
        const record = events.length === 0 ? new Uint8Array() : MarketRecord.encode(events)
        return { stream: "market/LOG-USD", seq: at + 1, epoch: 1, events: record }
      })
      let reads = 0
      const read = (after: number) =>
        Effect.sync(() => {
          reads++
          return rows.slice(after, after + 8)
        })
      const found = yield* LastSplit.find(read, rows.length, happened)
      assert.deepEqual(found, isSplit ? { seq: (place % gaps.length) + 1, split: split(happened) } : undefined)
      assert.isBelow(reads, 16 + times.filter((time) => time === happened).length)
    }
  })
)
