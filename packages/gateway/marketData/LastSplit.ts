/** Finds a market's splits in its journal. Table rows keep their old units, so readers must apply later splits. */
import type { MarketEvent } from "@venue/domain/Market"
import type { ContractSplit } from "@venue/domain/Split"
import type { JournalUnavailable, Row } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Effect } from "effect"

/** Reads up to `limit` rows after a sequence number, in order. An empty page marks the end of the journal. */
type Read = (after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>

export interface SearchRange {
  /** Sequence number of the last row to search. */
  readonly lastSeq: number
  readonly fromMillis: number
  /** Time of the last split, at which the search ends. */
  readonly toMillis: number
}

/** Page size of the bisection. */
const placeRows = 8
/** Page size of the scan. */
const scanRows = 256

/** Returns the splits in the range, in order. Times in a log never decrease, so a bisection finds the first row. */
export const findAll = Effect.fnUntraced(function* (read: Read, { fromMillis, lastSeq, toMillis }: SearchRange) {
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

/** Returns a sequence number that precedes every event at or after the given time. */
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

/** Returns the first row with events after `seq`. An epoch's first row has no events, and therefore no time. */
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
