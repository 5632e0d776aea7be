/** The last splits of a market, found in its journal by the time at which they happened: tables keep the units of their time. */
import type { MarketEvent } from "@venue/domain/Market"
import type { ContractSplit } from "@venue/domain/Split"
import type { JournalUnavailable, Row } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Effect } from "effect"

/** Reads up to `limit` rows after a seq, in order; none means there are none. */
type Read = (after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>

export interface Searched {
  /** Last row that is looked at. */
  readonly lastSeq: number
  readonly fromMillis: number
  /** Time of the last split, at which the search ends. */
  readonly toMillis: number
}

/** Rows that are read at once to find a place, and to look through all. */
const placeRows = 8
const scanRows = 256

/** Returns the splits of that time in order. Time never goes back in a log, so the first row is found by bisection. */
export const findAll = Effect.fnUntraced(function* (read: Read, { fromMillis, lastSeq, toMillis }: Searched) {
  let after = yield* placeOf(read, lastSeq, fromMillis)
  const splits: Array<ContractSplit> = []
  while (after < lastSeq) {
    const rows = yield* read(after, scanRows)
    if (rows.length === 0) return splits
    for (const { events, seq } of rows) {
      if (seq > lastSeq) return splits
      after = seq
      if (events.length === 0) continue
      for (const event of eventsOf(events)) {
        if (event.atMillis > toMillis) return splits
        if (event._tag === "ContractSplit" && event.atMillis >= fromMillis) splits.push(event)
      }
    }
  }
  return splits
})

/** Returns the seq after which the events of that time begin. */
const placeOf = Effect.fnUntraced(function* (read: Read, lastSeq: number, atMillis: number) {
  let before = 0
  let end = lastSeq
  while (before < end) {
    const middle = Math.floor((before + end) / 2)
    const at = yield* firstAfter(read, middle)
    if (at === undefined || at.seq > end || at.lastMillis >= atMillis) end = middle
    else before = at.seq
  }
  return before
})

/** The row of a claim has no events and tells no time. */
const firstAfter = Effect.fnUntraced(function* (read: Read, seq: number) {
  for (let after = seq; ;) {
    const rows = yield* read(after, placeRows)
    if (rows.length === 0) return undefined
    const row = rows.find(({ events }) => events.length > 0)
    if (row !== undefined) return { seq: row.seq, lastMillis: eventsOf(row.events).at(-1)!.atMillis }
    after = rows.at(-1)!.seq
  }
})

const eventsOf = (record: Row["events"]): ReadonlyArray<MarketEvent> => MarketRecord.decode(record)
