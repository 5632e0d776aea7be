/** The auditor's queries. All reads in a transaction use one snapshot. */
import type { Row } from "@venue/journal/Journal"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type CompleteMark, journalBytes, type Tables, tradeColumns } from "./Books.ts"
import type { Entry } from "./Entries.ts"
import * as Mark from "./Mark.ts"
import { lengthBytes } from "./SavedStates.ts"
import type { RowPlace } from "./Stream.ts"

type Values = ReadonlyArray<ReadonlyArray<unknown>>

/** Last row read under a name. */
export interface From {
  readonly name: string
  readonly after: number
}

export interface Range {
  readonly name: string
  readonly first: number
  readonly last: number
}

/** A snapshot from one run of the database server. */
export interface Cursor {
  /** Text of the `pg_snapshot`, which determines the transactions that this reading could not see. */
  readonly snapshot: string
  /** Upper bound of the completed transaction ids, exclusive. */
  readonly end: bigint
  /**
   * Identifies the server run. A server might assign ids again after a restart, a recovery from a crash, or a
   * replacement.
   */
  readonly startedAt: string
}

export interface RangeHash {
  readonly count: number
  readonly hash: bigint
}

export interface Reading {
  /** Fixes the snapshot of the transaction's further reads and makes the transaction read-only. */
  readonly begin: Effect.Effect<void, SqlError>
  /** Returns the current snapshot as a cursor for `tradersSince`. */
  readonly cursor: Effect.Effect<Cursor, SqlError>
  /**
   * Returns the trader streams with rows that are visible now and were not in the cursor's snapshot. If `cursor` is
   * undefined, returns all trader streams.
   */
  readonly tradersSince: (cursor: Cursor | undefined) => Effect.Effect<ReadonlyArray<string>, SqlError>
  /** Returns the rows of each stream after the given sequence number, at most `limit` per stream. */
  readonly rows: (of: ReadonlyArray<From>, limit: number) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  /** Returns the rows of `places` that exist, ordered by stream and number. */
  readonly rowsAt: (places: ReadonlyArray<RowPlace>) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  /** Returns the sequence number of the last projected row at each position. */
  readonly projected: (positions: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, number>, SqlError>
  readonly entries: (
    of: ReadonlyArray<Range>
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Entry & { readonly hash: bigint }>>, SqlError>
  /** Returns which of these withdrawals are settled, with the step of the settlement. */
  readonly arrived: (
    withdrawalIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<{ readonly withdrawalId: string; readonly step: number }>, SqlError>
  /** Returns the hash of each range, in the order of the ranges. */
  readonly rangeHashes: (table: Tables, of: ReadonlyArray<Range>) => Effect.Effect<ReadonlyArray<RangeHash>, SqlError>
  readonly snapshots: Effect.Effect<ReadonlyArray<{ readonly stream: string; readonly seq: number }>, SqlError>
  /** Returns the hash of each saved state, in the order of the streams. */
  readonly savedHashes: (streams: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<bigint>, SqlError>
  /** Returns a saved state, or only its first part if `hasParts`. */
  readonly saved: (stream: string, seq: number, hasParts: boolean) => Effect.Effect<Uint8Array, SqlError>
  readonly storedMark: (place: MarkPlace) => Effect.Effect<StoredMark | undefined, SqlError>
  /** Returns stored marks with a number above `number`, at most `limit`, in ascending order. */
  readonly marksAfter: (number: number, limit: number) => Effect.Effect<ReadonlyArray<StoredMark>, SqlError>
}

export interface StoredMark extends CompleteMark {
  readonly number: number
}

export interface MarkPlace {
  readonly table: Tables
  readonly name: string
  readonly first: number
}

type Ask = (text: string, parameters: ReadonlyArray<unknown>) => Effect.Effect<Values, SqlError>

export const make = (sql: SqlClient.SqlClient): Reading => {
  // Not prepared, because a plan made for a small table performs badly once the table is large.
  const ask: Ask = (text, parameters) => sql.unsafe(text, parameters).valuesUnprepared as ReturnType<Ask>
  return {
    begin: Effect.asVoid(sql`set transaction isolation level repeatable read, read only`),
    ...ofJournal(ask),
    ...ofTables(ask),
    ...ofStates(ask)
  }
}

const ofJournal = (ask: Ask): Pick<Reading, "cursor" | "tradersSince" | "rows" | "rowsAt"> => ({
  cursor: Effect.map(ask(cursor, []), ([row]) => ({
    snapshot: String(row![0]),
    end: BigInt(String(row![1])),
    startedAt: String(row![2])
  })),
  tradersSince: (since) =>
    Effect.map(since === undefined ? ask(allTraders, []) : ask(newTraders, [since.snapshot]), (values) =>
      values.map(([stream]) => String(stream))
    ),
  rows: (of, limit) =>
    of.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(rows, [names(of), of.map(({ after }) => BigInt(after)), limit]), rowsOf),
  rowsAt: (places) =>
    places.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(rowsAt, [places.map(({ stream }) => stream), places.map(({ seq }) => BigInt(seq))]), rowsOf)
})

const rowsOf = (values: Values): ReadonlyArray<Row> =>
  values.map(([stream, seq, epoch, events]) => ({
    stream: String(stream),
    seq: Number(seq),
    epoch: Number(epoch),
    events: events as Uint8Array
  }))

const ofTables = (
  ask: Ask
): Pick<Reading, "projected" | "entries" | "arrived" | "rangeHashes" | "storedMark" | "marksAfter"> => ({
  projected: (positions) =>
    positions.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          ask("select position, seq from projection where position = any($1::text[])", [positions]),
          (values) => new Map(values.map(([position, seq]) => [String(position), Number(seq)] as const))
        ),
  entries: (of) =>
    of.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(ask(entries, ranges(of)), (values) =>
          Map.groupBy(
            values.map(([stream, seq, account, asset, amount, hash]) => ({
              stream: String(stream),
              seq: Number(seq),
              account: String(account),
              asset: String(asset),
              amount: BigInt(String(amount)),
              hash: BigInt(String(hash))
            })),
            ({ stream }) => stream
          )
        ),
  arrived: (withdrawalIds) =>
    Effect.map(
      ask("select withdrawal_id, step from withdrawal where withdrawal_id = any($1::text[]) and state = 'SETTLED'", [
        withdrawalIds
      ]),
      (values) => values.map(([withdrawalId, step]) => ({ withdrawalId: String(withdrawalId), step: Number(step) }))
    ),
  rangeHashes: (table, of) =>
    of.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(hashesIn[table], ranges(of)), (values) =>
          values.map(([count, hash]) => ({ count: Number(count), hash: BigInt(String(hash)) }))
        ),
  storedMark: ({ first, name, table }) =>
    Effect.map(ask(mark, [table, name, BigInt(first)]), (values) => marksOf(values)[0]),
  marksAfter: (number, limit) => Effect.map(ask(marks, [BigInt(number), limit]), marksOf)
})

const marksOf = (values: Values): ReadonlyArray<StoredMark> =>
  values.map(([at, table, name, first, last, count, hash]) => ({
    number: Number(at),
    table: table as Tables,
    name: String(name),
    first: Number(first),
    last: Number(last),
    count: Number(count),
    hash: BigInt(String(hash))
  }))

const ofStates = (ask: Ask): Pick<Reading, "snapshots" | "savedHashes" | "saved"> => ({
  snapshots: Effect.map(ask("select stream, seq from snapshot", []), (values) =>
    values.map(([stream, seq]) => ({ stream: String(stream), seq: Number(seq) }))
  ),
  savedHashes: (streams) =>
    streams.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(savedHashes, [streams]), (values) => values.map(([hash]) => BigInt(String(hash)))),
  saved: Effect.fnUntraced(function* (stream, seq, hasParts) {
    const of = [stream, BigInt(seq)]
    if (!hasParts) return joined(yield* ask(saved, [...of, largestState]))
    const [head] = yield* ask(saved, [...of, lengthBytes])
    const length = Buffer.from((head?.[0] as Uint8Array | undefined) ?? new Uint8Array(lengthBytes)).readUInt32BE()
    return joined(yield* ask(saved, [...of, length + lengthBytes]))
  })
})

const names = (of: ReadonlyArray<{ readonly name: string }>) => of.map(({ name }) => name)

const ranges = (of: ReadonlyArray<Range>) => [
  names(of),
  of.map(({ first }) => BigInt(first)),
  of.map(({ last }) => BigInt(last))
]

const largestState = 0x7fff_ffff

const joined = (values: Values): Uint8Array => Buffer.concat(values.map(([piece]) => piece as Uint8Array))

/** `stats_reset` changes when the server recovers from a crash; the server's start time does not. */
const cursor = `
  select pg_current_snapshot()::text, pg_snapshot_xmax(pg_current_snapshot())::text,
    concat_ws(' ', pg_postmaster_start_time(), (select stats_reset from pg_stat_bgwriter))`

const areTraders = "j.stream >= 'trader/' and j.stream < 'trader0'"

/**
 * Steps from one stream to the next in the primary key, so that the cost grows with the number of streams, not of
 * rows.
 */
const allTraders = `
  with recursive streams as (
    (select j.stream from journal j where ${areTraders} order by j.stream limit 1)
    union all
    select (select j.stream from journal j where j.stream > f.stream and ${areTraders} order by j.stream limit 1)
    from streams f where f.stream is not null
  )
  select stream from streams where stream is not null`

/**
 * A row that became visible since the cursor's snapshot belongs to a transaction that was then in progress or began
 * later. The upper bound excludes ids that a restored database has from another server.
 */
const newTraders = `
  select distinct j.stream from journal j
  where ${areTraders} and j.transaction_id >= pg_snapshot_xmax($1::pg_snapshot)
    and j.transaction_id < pg_snapshot_xmax(pg_current_snapshot())
  union
  select j.stream from journal j
  where ${areTraders} and j.transaction_id = any(array(select pg_snapshot_xip($1::pg_snapshot)))`

const rows = `
  select q.stream, r.seq, r.epoch, r.events
  from unnest($1::text[], $2::bigint[]) as q (stream, seq)
  cross join lateral (
    select seq, epoch, events from journal j where j.stream = q.stream and j.seq > q.seq order by j.seq limit $3
  ) r
  order by q.stream, r.seq`

const rowsAt = `
  select j.stream, j.seq, j.epoch, j.events
  from unnest($1::text[], $2::bigint[]) as q (stream, seq) join journal j on j.stream = q.stream and j.seq = q.seq
  order by j.stream, j.seq`

const entryText = "concat_ws(' ', seq, place, transaction_id, kind, account, asset, amount, at_millis)"

const entries = `
  select e.stream, e.seq, e.account, e.asset, e.amount::text, ${Mark.inSql(entryText)}::text
  from unnest($1::text[], $2::bigint[], $3::bigint[]) as q (name, first, last)
  cross join lateral (
    select * from ledger_entry e where e.stream = q.name and e.seq between q.first and q.last
  ) e
  order by e.stream, e.seq, e.place`

const hashesOf = (table: Tables, name: string, row: string, marked: string): string => `
  select r.count, r.hash::text
  from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as q (name, first, last, place)
  cross join lateral (
    select count(*) as count, coalesce(bit_xor(${Mark.inSql(marked)}), 0) as hash
    from ${table} where ${name} = q.name and ${row} between q.first and q.last
  ) r
  order by q.place`

const hashesIn: Readonly<Record<Tables, string>> = {
  journal: hashesOf("journal", "stream", "seq", journalBytes),
  trade: hashesOf("trade", "symbol", "number", `concat_ws(' ', ${tradeColumns})`),
  ledger_entry: hashesOf("ledger_entry", "stream", "seq", entryText)
}

const savedHashes = `
  select (
    select coalesce(bit_xor(${Mark.inSql("p.piece || int4send(p.number)")}), 0)
    from snapshot s join snapshot_piece p on p.stream = s.stream and p.seq = s.seq
    where s.stream = q.stream
  )::text
  from unnest($1::text[]) with ordinality as q (stream, place) order by q.place`

/** Each piece except the last has 4 MiB. */
const saved = `
  select substring(piece for $3::integer - number * 4194304) from snapshot_piece
  where stream = $1 and seq = $2 and number * 4194304::bigint < $3::integer order by number`

const markColumns = "number, of_table, name, first_row, last_row, count, hash::text"

const mark = `select ${markColumns} from audit_mark where of_table = $1 and name = $2 and first_row = $3`

const marks = `
  select ${markColumns} from audit_mark
  where number > $1 order by number limit $2`
