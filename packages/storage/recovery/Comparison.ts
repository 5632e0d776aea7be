/** Comparison of a witness with the database. */
import { type Loss, lossOf, type WitnessedFact, type WitnessedRow } from "@venue/domain/Recovery"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Table from "@venue/postgres/Table"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const stored = Table.selection({
  place: { schema: Schema.Number, expression: "w.place::float8" },
  headSeq: { schema: Schema.Number, expression: "coalesce(head.seq, 0)::float8" },
  headEpoch: { schema: Schema.Number, expression: "coalesce(head.epoch, 0)" },
  epoch: { schema: Schema.NullOr(Schema.Number), expression: "at.epoch" },
  digest: { schema: Schema.NullOr(Schema.String), expression: "left(encode(sha256(at.events), 'hex'), 16)" }
})

const newestRevocation = Table.selection({
  number: { schema: Schema.Number, expression: "coalesce(max(number), 0)::float8" }
})

/** Number of streams that one statement compares. */
const atOnce = 1_000

/**
 * Returns the rows that the journal lacks. Omits archived rows, which are in files. Omits rows of accepted losses, up to
 * their witnessed row and epoch.
 */
export const losses = Effect.fn("Comparison.losses")(function* (witnessed: ReadonlyArray<WitnessedRow>) {
  const sql = yield* SqlClient.SqlClient
  const found: Array<Loss> = []
  for (let start = 0; start < witnessed.length; start += atOnce) {
    const page = witnessed.slice(start, start + atOnce)
    const rows = yield* stored.all(sql`
      select ${stored.columns}
      from unnest(
        ${page.map(({ stream }) => stream)}::text[],
        ${page.map(({ seq }) => BigInt(seq))}::bigint[],
        ${page.map(({ epoch }) => epoch)}::integer[]
      ) with ordinality as w (stream, seq, epoch, place)
      left join lateral (
        select seq, epoch from journal where journal.stream = w.stream order by seq desc limit 1
      ) head on true
      left join lateral (
        select epoch, events from journal where journal.stream = w.stream and journal.seq = w.seq
      ) at on true
      where not exists (
        select from recovery_loss l join recovery r using (recovery_id)
        where l.stream = w.stream and r.state <> 'OPEN'
          and w.seq <= l.witnessed_seq and w.epoch <= l.witnessed_epoch
      )
      and (at.epoch is not null or not exists (
        select from journal_archive a where a.stream = w.stream and w.seq between a.first_row and a.last_row
      ))
      order by w.place`)
    for (const { place, ...row } of rows) {
      const loss = lossOf(page[place - 1]!, row)
      if (loss !== undefined) found.push(loss)
    }
  }
  return found
}, orUnavailable)

/**
 * Returns the restrictions with later numbers than the newest announcement in the database. Omits restrictions of
 * accepted recoveries, because they were applied again.
 */
export const facts = Effect.fn("Comparison.facts")(function* (witnessed: ReadonlyArray<WitnessedFact>) {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* newestRevocation.all(sql`select ${newestRevocation.columns} from revocation`)
  const accepted = yield* acceptedFacts.all(sql`
    select ${acceptedFacts.columns} from recovery_fact join recovery using (recovery_id) where recovery.state <> 'OPEN'`)
  const known = new Map(accepted.map(({ key, number }) => [key, number]))
  return witnessed.filter(
    ({ kind, number, subject }) => number > newest!.number && number > (known.get(`${kind} ${subject}`) ?? 0)
  )
}, orUnavailable)

const acceptedFacts = Table.selection({
  key: { schema: Schema.String, expression: "recovery_fact.kind || ' ' || recovery_fact.subject" },
  number: { schema: Schema.Number, expression: "recovery_fact.number::float8" }
})
