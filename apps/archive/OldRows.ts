/** Reads the rows of the next archive file: whole blocks of old rows, at most 10,000 rows or about 16 MiB. */
import type { MarketEvent } from "@venue/domain/Market"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { ArchivedRow } from "./ArchiveFile.ts"
import { values } from "./ArchiveTable.ts"

export interface Wanted {
  readonly stream: string
  /** Last archived row. */
  readonly after: number
  /** Last row that may be archived. */
  readonly last: number
  /** Rows written at this time or later stay in the journal. */
  readonly beforeMillis: number
}

/** Rows are archived in blocks of this number, which are also the ranges of the auditor's marks. */
export const blockRows = 500

export const read = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  wanted: Wanted
): Effect.fn.Return<ReadonlyArray<ArchivedRow>, SqlError> {
  const rows: Array<ArchivedRow> = []
  let bytes = 0
  for (;;) {
    const first = wanted.after + rows.length + 1
    const last = first + blockRows - 1
    if (last > wanted.last || rows.length === mostRows) return rows
    const [size] = yield* values(sql, sizeOf, [wanted.stream, BigInt(first), BigInt(last)])
    const [count, length, newestMicros] = [Number(size![0]), Number(size![1]), Number(size![2])]
    const isOld = count === blockRows && newestMicros < wanted.beforeMillis * 1_000
    if (!isOld || (rows.length > 0 && bytes + length > mostBytes)) return rows
    if (length > mostBlockBytes) {
      yield* Effect.logWarning(`rows ${first} to ${last} of ${wanted.stream} have ${length} bytes, too many to archive`)
      return rows
    }
    const block = (yield* values(sql, blockOf, [wanted.stream, BigInt(first), BigInt(last)])).map(
      ([seq, epoch, at, events]): ArchivedRow => ({
        seq: Number(seq),
        epoch: Number(epoch),
        recordedAtMicros: BigInt(String(at)),
        events: events as Uint8Array
      })
    )
    if (yield* isForCharts(sql, wanted.stream, block)) return rows
    rows.push(...block)
    bytes += length
  }
})

/**
 * Returns whether charts still need a split of these rows: its market has no trade between the split and the day before
 * the newest trades.
 */
const isForCharts = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  stream: string,
  rows: ReadonlyArray<ArchivedRow>
): Effect.fn.Return<boolean, SqlError> {
  if (!stream.startsWith(marketPrefix)) return false
  const splits = rows.flatMap(({ events }) =>
    events.length === 0 ? [] : MarketRecord.decode(events).filter(({ _tag }: MarketEvent) => _tag === "ContractSplit")
  )
  const split = splits.at(-1)
  if (split === undefined || !("atMillis" in split)) return false
  const [row] = yield* values(sql, hasTraded, [stream.slice(marketPrefix.length), BigInt(split.atMillis)])
  return row?.[0] !== true
})

const marketPrefix = "market/"

const sizeOf = `
  select count(*), coalesce(sum(octet_length(events)), 0), coalesce(max(extract(epoch from recorded_at)), 0) * 1000000
  from journal where stream = $1 and seq between $2 and $3`

const blockOf = `
  select seq, epoch, (extract(epoch from recorded_at) * 1000000)::bigint, events
  from journal where stream = $1 and seq between $2 and $3 order by seq`

const hasTraded = `
  select at_millis > $2 from trade
  where symbol = $1 and at_millis < (extract(epoch from clock_timestamp()) * 1000)::bigint - 172800000
  order by number desc limit 1`

const mostRows = 10_000
const mostBytes = 16 * 1024 * 1024
/** Largest block, which gets a file of its own. It must fit into memory, and into the limit of a file. */
const mostBlockBytes = 64 * 1024 * 1024
