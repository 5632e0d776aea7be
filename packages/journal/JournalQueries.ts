/** All journal queries except appends: snapshots, rows after a snapshot, taking over streams, and wake-up entries. */
import { Cause, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { heldStates } from "@venue/domain/Recovery"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import * as GivenUp from "@venue/postgres/GivenUp"
import type { ClaimStore, Snapshot } from "./JournalClaim.ts"
import { type JournalShape, JournalUnavailable, maxSkipped, type Row } from "./JournalStream.ts"

/** Limits of one page of rows, shared by all streams of a group. */
const maxPageRows = 4_096
const maxPageBytes = 8 * 1024 * 1024
/** Size of the pieces of a stored state; the driver copies messages repeatedly and rejects very large ones. */
const pieceBytes = 4 * 1024 * 1024
/**
 * Time limit for reading a page, far longer than the largest page takes. After it, loading restarts on another
 * connection.
 */
const giveUpAfter = "10 seconds"
const savedWithin = "1 minute"

export interface JournalQueries extends ClaimStore {
  readonly read: (stream: string, after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>
  readonly heads: JournalShape["heads"]
  readonly skip: JournalShape["skip"]
  /** Whether a recovery waits for a decision or for the skipping of lost rows, so that no stream may be claimed. */
  readonly isHeld: Effect.Effect<boolean, JournalUnavailable>
  readonly saveSnapshot: (
    stream: string,
    seq: number,
    state: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<void, JournalUnavailable>
  readonly wakeUps: JournalShape["wakeUps"]
  readonly projected: JournalShape["projected"]
}

export const make = (sql: SqlClient.SqlClient): JournalQueries => {
  // Plans the query on each execution, because a plan made for small tables would become slow.
  const query = (text: string, parameters: ReadonlyArray<unknown>) =>
    sql.unsafe(text, parameters).valuesUnprepared as Effect.Effect<ReadonlyArray<ReadonlyArray<never>>, SqlError>
  const unavailable = <A>(query: Effect.Effect<A, SqlError>) =>
    query.pipe(
      Effect.tapError((error) => DatabaseOutage.report(Cause.fail(error), Effect.void)),
      Effect.mapError((cause) => new JournalUnavailable({ cause }))
    )
  const run = (text: string, parameters: ReadonlyArray<unknown>) =>
    unavailable(GivenUp.after(giveUpAfter)(query(text, parameters)))

  const pages = (of: ReadonlyArray<{ readonly stream: string; readonly seq: number }>, limit: number, bytes: number) =>
    Effect.map(run(tails, [of.map(({ stream }) => stream), of.map(({ seq }) => BigInt(seq)), limit, bytes]), (rows) =>
      rows.map(([stream, seq, epoch, events]): Row => ({
        stream: stream!,
        seq: Number(seq),
        epoch: epoch!,
        events: events!
      }))
    )

  /** Returns the whole state, or undefined if a newer snapshot has replaced it meanwhile. */
  const rest = Effect.fnUntraced(function* (head: Head) {
    const state = new Uint8Array(head.bytes)
    state.set(head.piece, 0)
    for (let at = head.piece.length, number = 1; at < head.bytes; number++) {
      const [row] = yield* run(piece, [head.stream, BigInt(head.seq), number])
      if (row === undefined) return undefined
      state.set(row[0]!, at)
      at += (row[0]! as Uint8Array).length
    }
    return state
  })

  const snapshots = Effect.fnUntraced(function* (streams: ReadonlyArray<string>) {
    const loaded: Array<Snapshot> = []
    for (let wanted = streams; wanted.length > 0;) {
      const replaced: Array<string> = []
      for (const row of yield* run(heads, [wanted])) {
        const head: Head = { stream: row[0]!, seq: Number(row[1]), bytes: Number(row[3]), piece: row[4]! }
        const state = yield* rest(head)
        if (state === undefined) replaced.push(head.stream)
        else loaded.push({ stream: head.stream, seq: head.seq, epoch: row[2]!, state })
      }
      wanted = replaced
    }
    return loaded
  })

  /** Saves all pieces in one transaction, so that readers always see the pieces of a single snapshot. */
  const saveSnapshot: JournalQueries["saveSnapshot"] = (stream, seq, state) =>
    Effect.gen(function* () {
      const at = BigInt(seq)
      let bytes = 0
      let number = 0
      for (const next of pieces(state)) {
        yield* query(savePiece, [stream, at, number++, next])
        bytes += next.length
      }
      yield* query(save, [stream, at, BigInt(bytes)])
      yield* query(tidy, [stream])
    }).pipe(sql.withTransaction, GivenUp.after(savedWithin), unavailable)

  return {
    snapshots,
    tails: (of) => {
      const limit = Math.ceil(maxPageRows / of.length)
      const bytes = Math.ceil(maxPageBytes / of.length)
      return Effect.map(pages(of, limit, bytes), (rows) => ({ rows, more: unfinished(rows, limit, bytes) }))
    },
    claim: (rows) =>
      Effect.map(
        run(claim, [rows.map((row) => row.stream), rows.map((row) => BigInt(row.seq)), rows.map((row) => row.epoch)]),
        (won) => new Set(won.map(([stream]) => stream!))
      ),
    read: (stream, after, limit) => pages([{ stream, seq: after }], limit, maxPageBytes),
    heads: (streams) => Effect.map(run(newest, [streams]), (rows) => rows.map(([seq]) => Number(seq))),
    ...recovering(run),
    saveSnapshot,
    wakeUps: (desk) =>
      Effect.map(run("select user_id, reason, detail from wake_up where desk = $1", [desk]), (rows) =>
        rows.map(([userId, reason, detail]) => ({ userId: userId!, reason: reason!, detail: detail! }))
      ),
    projected: (users) =>
      Effect.asVoid(run(projected, [users.map(({ userId }) => userId), users.map(({ seq }) => BigInt(seq))]))
  }
}

type Run = (
  text: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<ReadonlyArray<never>>, JournalUnavailable>

const recovering = (run: Run): Pick<JournalQueries, "isHeld" | "skip"> => ({
  skip: (stream, upTo) =>
    Effect.andThen(
      run(skip, [stream, BigInt(upTo.seq), upTo.epoch, maxSkipped]),
      Effect.map(run(skipped, [stream, BigInt(upTo.seq), upTo.epoch]), ({ length }) => length > 0)
    ),
  isHeld: Effect.map(run(held, []), ({ length }) => length > 0)
})

interface Head {
  readonly stream: string
  readonly seq: number
  readonly bytes: number
  /** First piece of the state. */
  readonly piece: Uint8Array
}

/** Yields copies of the pieces. An empty state has one empty piece. */
function* pieces(state: ReadonlyArray<Uint8Array>): Iterable<Uint8Array> {
  let room = Buffer.allocUnsafeSlow(pieceBytes)
  let filled = 0
  for (const part of state) {
    for (let at = 0; at < part.length;) {
      const count = Math.min(part.length - at, pieceBytes - filled)
      room.set(part.subarray(at, at + count), filled)
      at += count
      filled += count
      if (filled < pieceBytes) continue
      yield room
      room = Buffer.allocUnsafeSlow(pieceBytes)
      filled = 0
    }
  }
  yield room.subarray(0, filled)
}

const unfinished = (rows: ReadonlyArray<Row>, limit: number, bytes: number): ReadonlySet<string> => {
  const more = new Set<string>()
  let count = 0
  let size = 0
  rows.forEach((row, index) => {
    const isFirst = rows[index - 1]?.stream !== row.stream
    count = isFirst ? 1 : count + 1
    size = isFirst ? row.events.length : size + row.events.length
    if (count >= limit || size >= bytes) more.add(row.stream)
  })
  return more
}

const heads = `
  select s.stream, s.seq, j.epoch, s.bytes, p.piece
  from snapshot s
  join journal j on j.stream = s.stream and j.seq = s.seq
  join snapshot_piece p on p.stream = s.stream and p.seq = s.seq and p.number = 0
  where s.stream = any ($1::text[])`

const piece = "select piece from snapshot_piece where stream = $1 and seq = $2 and number = $3"

/** A page always contains its first row, regardless of the row's size. */
const tails = `
  select t.stream, t.seq, t.epoch, t.events
  from unnest($1::text[], $2::bigint[]) as q (stream, after)
  cross join lateral (
    select j.*, sum(octet_length(j.events)) over (order by j.seq) - octet_length(j.events) as before
    from (
      select stream, seq, epoch, events from journal
      where stream = q.stream and seq > q.after
      order by seq limit $3
    ) j
  ) t
  where t.before < $4
  order by t.stream, t.seq`

/** The subquery costs one index look-up per stream. */
const newest = `
  select coalesce((select j.seq from journal j where j.stream = q.stream order by j.seq desc limit 1), 0)
  from unnest($1::text[]) with ordinality as q (stream, place)
  order by q.place`

/** Runs in its own transaction, because flushes of the same streams wait until it commits. */
const claim = `
  insert into journal (stream, seq, epoch, events)
  select r.stream, r.seq, r.epoch, ''::bytea
  from unnest($1::text[], $2::bigint[], $3::integer[]) as r (stream, seq, epoch)
  on conflict do nothing
  returning stream`

const held = `select 1 from recovery where state in (${heldStates.map((state) => `'${state}'`).join(", ")}) limit 1`

/** Appends nothing if the stream has reached both the number and a later epoch. */
const skip = `
  insert into journal (stream, seq, epoch, events)
  select $1::text, n.seq, greatest(h.epoch, $3::integer) + (n.seq - h.seq)::integer, ''::bytea
  from (
    select coalesce(max(seq), 0) as seq, coalesce(max(epoch), 0) as epoch
    from (select seq, epoch from journal where stream = $1 order by seq desc limit 1) newest
  ) h
  cross join lateral generate_series(h.seq + 1, least(greatest($2::bigint, h.seq + 1), h.seq + $4::integer)) n (seq)
  where h.seq < $2 or h.epoch <= $3
  order by n.seq
  on conflict do nothing`

const skipped = "select 1 from journal where stream = $1 and seq >= $2 and epoch > $3 limit 1"

/** Deletes only up to the given sequence number; each row has its own entry, so that entries of newer rows are kept. */
const projected = `
  delete from wake_up w using unnest($1::text[], $2::bigint[]) as q (user_id, seq)
  where w.user_id = q.user_id and w.reason = 'unprojected' and w.detail::bigint <= q.seq`

const savePiece = `
  insert into snapshot_piece (stream, seq, number, piece)
  select $1::text, $2::bigint, $3::integer, $4::bytea
  on conflict do nothing`

const save = `
  insert into snapshot (stream, seq, bytes)
  select $1::text, $2::bigint, $3::bigint
  where exists (select from journal where stream = $1 and seq = $2)
  on conflict (stream) do update set seq = excluded.seq, bytes = excluded.bytes
  where snapshot.seq < excluded.seq`

/** Deletes the pieces of the previous snapshot, or of a snapshot that was discarded. */
const tidy = `
  delete from snapshot_piece p
  where p.stream = $1 and not exists (select from snapshot s where s.stream = p.stream and s.seq = p.seq)`
