/** The last split of a market, found in its journal by the time that it happened: tables keep the units of their time. */
import type { MarketEvent } from "@venue/domain/Market"
import type { ContractSplit } from "@venue/domain/Split"
import type { JournalUnavailable, Row } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Effect } from "effect"

export interface Found {
  readonly seq: number
  readonly split: ContractSplit
}

/** Reads rows after a seq, in order; none means there are none. */
type Read = (after: number) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>

/** Time never goes back in a log, so its place is found by halves. */
export const find = Effect.fnUntraced(function* (read: Read, lastSeq: number, atMillis: number) {
  let before = 0
  let end = lastSeq
  while (before < end) {
    const middle = Math.floor((before + end) / 2)
    const at = yield* firstAfter(read, middle)
    if (at === undefined || at.seq > end || at.events.at(-1)!.atMillis >= atMillis) end = middle
    else before = at.seq
  }
  for (let after = before; ;) {
    const at = yield* firstAfter(read, after)
    if (at === undefined || at.events[0]!.atMillis > atMillis) return undefined
    const split = at.events.find((event): event is ContractSplit => event._tag === "ContractSplit")
    if (split !== undefined) return { seq: at.seq, split } satisfies Found as Found
    after = at.seq
  }
})

/** The row of a claim has no events and tells no time. */
const firstAfter = Effect.fnUntraced(function* (read: Read, seq: number) {
  for (let after = seq; ;) {
    const rows = yield* read(after)
    if (rows.length === 0) return undefined
    const row = rows.find(({ events }) => events.length > 0)
    if (row !== undefined) {
      const events: ReadonlyArray<MarketEvent> = MarketRecord.decode(row.events)
      return { seq: row.seq, events }
    }
    after = rows.at(-1)!.seq
  }
})
