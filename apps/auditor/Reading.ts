/** What an auditor asks of the database, all of it inside one snapshot. */
import type { Row } from "@venue/journal/Journal"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type CompleteMark, journalBytes, type Tables, tradeColumns } from "./Books.ts"
import type { Entry } from "./Entries.ts"
import * as Mark from "./Mark.ts"
import { lengthBytes } from "./SavedStates.ts"

type Values = ReadonlyArray<ReadonlyArray<unknown>>

/** How far a stream, or the rows of a name, have been read. */
export interface From {
  readonly name: string
  readonly after: number
}

export interface Range {
  readonly name: string
  readonly first: number
  readonly last: number
}

/** What stands in a range of rows now. */
export interface Found {
  readonly count: number
  readonly hash: bigint
}

export interface Reading {
  /** All that follows, until the transaction ends, is of one moment, and changes nothing. */
  readonly begin: Effect.Effect<void, SqlError>
  /** Streams of traders with rows in pages of the journal from this one on, and how many pages it has. */
  readonly tradersFrom: (
    page: number
  ) => Effect.Effect<{ readonly streams: ReadonlyArray<string>; readonly pages: number }, SqlError>
  /** At most so many rows of each stream. */
  readonly rows: (of: ReadonlyArray<From>, limit: number) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  /** How far the read tables of these positions have come. */
  readonly projected: (positions: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, number>, SqlError>
  readonly entries: (
    of: ReadonlyArray<Range>
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Entry & { readonly hash: bigint }>>, SqlError>
  /** Those of these withdrawals that have arrived, and the step with which they had. */
  readonly arrived: (
    withdrawalIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<{ readonly withdrawalId: string; readonly step: number }>, SqlError>
  /** In the order of the ranges. */
  readonly found: (table: Tables, of: ReadonlyArray<Range>) => Effect.Effect<ReadonlyArray<Found>, SqlError>
  readonly snapshots: Effect.Effect<ReadonlyArray<{ readonly stream: string; readonly seq: number }>, SqlError>
  /** The hashes of these saved states, in their order. */
  readonly savedHashes: (streams: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<bigint>, SqlError>
  /** A saved state, as far as its first part goes where it has one. */
  readonly saved: (stream: string, seq: number, hasParts: boolean) => Effect.Effect<Uint8Array, SqlError>
  /** Complete marks of before, some of those after a number. */
  readonly marksAfter: (number: number, limit: number) => Effect.Effect<ReadonlyArray<StoredMark>, SqlError>
}

export interface StoredMark extends CompleteMark {
  readonly number: number
}

type Ask = (text: string, parameters: ReadonlyArray<unknown>) => Effect.Effect<Values, SqlError>

export const make = (sql: SqlClient.SqlClient): Reading => {
  // Planned each time: what was good for a small table is not for a large one.
  const ask: Ask = (text, parameters) => sql.unsafe(text, parameters).valuesUnprepared as ReturnType<Ask>
  return {
    begin: Effect.asVoid(sql`set transaction isolation level repeatable read, read only`),
    ...ofJournal(ask),
    ...ofTables(ask),
    ...ofStates(ask)
  }
}

const ofJournal = (ask: Ask): Pick<Reading, "tradersFrom" | "rows"> => ({
  tradersFrom: (page) =>
    Effect.map(ask(traders, [`(${page},0)`]), (rows) => ({
      streams: rows.flatMap(([stream]) => (stream === null ? [] : [String(stream)])),
      pages: Number(rows[0]![1])
    })),
  rows: (of, limit) =>
    of.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(rows, [names(of), of.map(({ after }) => BigInt(after)), limit]), (values) =>
          values.map(([stream, seq, epoch, events]) => ({
            stream: String(stream),
            seq: Number(seq),
            epoch: Number(epoch),
            events: events as Uint8Array
          }))
        )
})

const ofTables = (ask: Ask): Pick<Reading, "projected" | "entries" | "arrived" | "found" | "marksAfter"> => ({
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
  found: (table, of) =>
    of.length === 0
      ? Effect.succeed([])
      : Effect.map(ask(foundIn[table], ranges(of)), (values) =>
          values.map(([count, hash]) => ({ count: Number(count), hash: BigInt(String(hash)) }))
        ),
  marksAfter: (number, limit) =>
    Effect.map(ask(marks, [BigInt(number), limit]), (values) =>
      values.map(([at, table, name, first, last, count, hash]) => ({
        number: Number(at),
        table: table as Tables,
        name: String(name),
        first: Number(first),
        last: Number(last),
        count: Number(count),
        hash: BigInt(String(hash))
      }))
    )
})

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

/** Rows are only ever added, so what is new stands in the last pages, wherever its stream stands in the index. */
const traders = `
  select distinct j.stream, pg_relation_size('journal') / current_setting('block_size')::bigint
  from (select 1) one left join journal j on j.ctid >= $1::tid and j.stream >= 'trader/' and j.stream < 'trader0'`

const rows = `
  select q.stream, r.seq, r.epoch, r.events
  from unnest($1::text[], $2::bigint[]) as q (stream, seq)
  cross join lateral (
    select seq, epoch, events from journal j where j.stream = q.stream and j.seq > q.seq order by j.seq limit $3
  ) r
  order by q.stream, r.seq`

const entryText = "concat_ws(' ', seq, place, transaction_id, kind, account, asset, amount, at_millis)"

const entries = `
  select e.stream, e.seq, e.account, e.asset, e.amount::text, ${Mark.inSql(entryText)}::text
  from unnest($1::text[], $2::bigint[], $3::bigint[]) as q (name, first, last)
  cross join lateral (
    select * from ledger_entry e where e.stream = q.name and e.seq between q.first and q.last
  ) e
  order by e.stream, e.seq, e.place`

const foundOf = (table: Tables, name: string, row: string, marked: string): string => `
  select r.count, r.hash::text
  from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as q (name, first, last, place)
  cross join lateral (
    select count(*) as count, coalesce(bit_xor(${Mark.inSql(marked)}), 0) as hash
    from ${table} where ${name} = q.name and ${row} between q.first and q.last
  ) r
  order by q.place`

const foundIn: Readonly<Record<Tables, string>> = {
  journal: foundOf("journal", "stream", "seq", journalBytes),
  trade: foundOf("trade", "symbol", "number", `concat_ws(' ', ${tradeColumns})`),
  ledger_entry: foundOf("ledger_entry", "stream", "seq", entryText)
}

const savedHashes = `
  select (
    select coalesce(bit_xor(${Mark.inSql("p.piece || int4send(p.number)")}), 0)
    from snapshot s join snapshot_piece p on p.stream = s.stream and p.seq = s.seq
    where s.stream = q.stream
  )::text
  from unnest($1::text[]) with ordinality as q (stream, place) order by q.place`

/** A piece but for the last has 4 MiB. */
const saved = `
  select substring(piece for $3::integer - number * 4194304) from snapshot_piece
  where stream = $1 and seq = $2 and number * 4194304::bigint < $3::integer order by number`

const marks = `
  select number, of_table, name, first_row, last_row, count, hash::text from audit_mark
  where number > $1 order by number limit $2`
