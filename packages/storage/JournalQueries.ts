/** What is asked of the journal beside appending: snapshots, tails, claims, wake-up entries. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { ClaimStore, Snapshot } from "./JournalClaim.ts"
import { JournalUnavailable, type Row, type WakeUp } from "./JournalStream.ts"

/** A page of a tail ends at the first of these; a group of streams shares them. */
const maxPageRows = 4_096
const maxPageBytes = 8 * 1024 * 1024
/** A state is read in slices: a driver refuses very large messages. */
const sliceBytes = 4 * 1024 * 1024

export interface JournalQueries extends ClaimStore {
  readonly read: (stream: string, after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>
  readonly saveSnapshot: (stream: string, seq: number, state: Uint8Array) => Effect.Effect<void, JournalUnavailable>
  readonly wakeUps: () => Effect.Effect<ReadonlyArray<WakeUp>, JournalUnavailable>
}

export const make = (sql: SqlClient.SqlClient): JournalQueries => {
  // Planned each time: a plan made while the tables were small would be wrong for ever.
  const ask = (text: string, parameters: ReadonlyArray<unknown>) =>
    Effect.mapError(
      sql.unsafe(text, parameters).valuesUnprepared,
      (cause: SqlError) => new JournalUnavailable({ cause })
    ) as Effect.Effect<ReadonlyArray<ReadonlyArray<never>>, JournalUnavailable>

  const pages = (of: ReadonlyArray<{ readonly stream: string; readonly seq: number }>, limit: number, bytes: number) =>
    Effect.map(ask(tails, [of.map(({ stream }) => stream), of.map(({ seq }) => BigInt(seq)), limit, bytes]), (rows) =>
      rows.map(([stream, seq, epoch, events]): Row => ({
        stream: stream!,
        seq: Number(seq),
        epoch: epoch!,
        events: events!
      }))
    )

  /** Nothing, if a newer snapshot took its place meanwhile. */
  const rest = Effect.fnUntraced(function* (head: Head) {
    const state = new Uint8Array(head.bytes)
    state.set(head.slice, 0)
    for (let at = head.slice.length; at < head.bytes; at += sliceBytes) {
      const [found] = yield* ask(slice, [head.stream, BigInt(head.seq), at + 1, sliceBytes])
      if (found === undefined) return undefined
      state.set(found[0]!, at)
    }
    return state
  })

  const snapshots = Effect.fnUntraced(function* (streams: ReadonlyArray<string>) {
    const found: Array<Snapshot> = []
    for (let wanted = streams; wanted.length > 0;) {
      const replaced: Array<string> = []
      for (const row of yield* ask(heads, [wanted, sliceBytes])) {
        const head: Head = { stream: row[0]!, seq: Number(row[1]), bytes: row[3]!, slice: row[4]! }
        const state = yield* rest(head)
        if (state === undefined) replaced.push(head.stream)
        else found.push({ stream: head.stream, seq: head.seq, epoch: row[2]!, state })
      }
      wanted = replaced
    }
    return found
  })

  return {
    snapshots,
    tails: (of) => {
      const limit = Math.ceil(maxPageRows / of.length)
      const bytes = Math.ceil(maxPageBytes / of.length)
      return Effect.map(pages(of, limit, bytes), (rows) => ({ rows, more: unfinished(rows, limit, bytes) }))
    },
    claim: (rows) =>
      Effect.map(
        ask(claim, [rows.map((row) => row.stream), rows.map((row) => BigInt(row.seq)), rows.map((row) => row.epoch)]),
        (won) => new Set(won.map(([stream]) => stream!))
      ),
    read: (stream, after, limit) => pages([{ stream, seq: after }], limit, maxPageBytes),
    saveSnapshot: (stream, seq, state) => Effect.asVoid(ask(save, [stream, BigInt(seq), state])),
    wakeUps: () =>
      Effect.map(ask("select user_id, reason, detail from wake_up", []), (rows) =>
        rows.map(([userId, reason, detail]) => ({ userId: userId!, reason: reason!, detail: detail! }))
      )
  }
}

interface Head {
  readonly stream: string
  readonly seq: number
  readonly bytes: number
  readonly slice: Uint8Array
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
  select s.stream, s.seq, j.epoch, octet_length(s.state), substring(s.state from 1 for $2)
  from snapshot s join journal j on j.stream = s.stream and j.seq = s.seq
  where s.stream = any ($1::text[])`

const slice = "select substring(state from $3 for $4) from snapshot where stream = $1 and seq = $2"

/** The first row of a page comes whatever its size. */
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

/** A statement of its own, never inside an open transaction: flushes that meet it wait for it. */
const claim = `
  insert into journal (stream, seq, epoch, events)
  select r.stream, r.seq, r.epoch, ''::bytea
  from unnest($1::text[], $2::bigint[], $3::integer[]) as r (stream, seq, epoch)
  on conflict do nothing
  returning stream`

const save = `
  insert into snapshot (stream, seq, state)
  select $1::text, $2::bigint, $3::bytea
  where exists (select from journal where stream = $1 and seq = $2)
  on conflict (stream) do update set seq = excluded.seq, state = excluded.state
  where snapshot.seq < excluded.seq`
