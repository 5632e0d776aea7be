/** Losses of recoveries, which can have a row for each stream of the venue. */
import { type Loss, merged, missingOf } from "@venue/domain/Recovery"
import { bigint, boolean, integer, text } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Table from "@venue/postgres/Table"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const lossTable = Table.make("recovery_loss", {
  recoveryId: integer,
  stream: text,
  databaseSeq: bigint,
  databaseEpoch: integer,
  witnessedSeq: bigint,
  witnessedEpoch: integer,
  firstMissing: bigint,
  /** Whether the numbers of the lost rows are skipped. */
  isSkipped: boolean
})

export interface Totals {
  readonly streams: number
  readonly missingRows: number
}

export interface LossTable {
  /** Adds the losses, and merges each with an earlier loss of its stream. */
  readonly put: (recoveryId: number, losses: ReadonlyArray<Loss>) => Effect.Effect<void, DatabaseUnavailable>
  readonly totals: (recoveryId: number) => Effect.Effect<Totals, DatabaseUnavailable>
  /** Returns losses ordered by stream. */
  readonly page: (
    recoveryId: number,
    page: { readonly limit: number; readonly offset: number }
  ) => Effect.Effect<ReadonlyArray<Loss>, DatabaseUnavailable>
  /** Returns losses whose rows are not skipped yet, at most `limit`. */
  readonly unskipped: (recoveryId: number, limit: number) => Effect.Effect<ReadonlyArray<Loss>, DatabaseUnavailable>
  readonly skipped: (recoveryId: number, streams: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
}

const totals = Table.selection({
  streams: { schema: Schema.Number, expression: "count(*)::float8" },
  missingRows: {
    schema: Schema.Number,
    expression: "coalesce(sum(recovery_loss.witnessed_seq - recovery_loss.first_missing + 1), 0)::float8"
  }
})

const conflict = `on conflict (recovery_id, stream) do update set
  witnessed_seq = greatest(recovery_loss.witnessed_seq, excluded.witnessed_seq),
  witnessed_epoch = greatest(recovery_loss.witnessed_epoch, excluded.witnessed_epoch),
  first_missing = least(recovery_loss.first_missing, excluded.first_missing)`

const putAtOnce = 5_000

export const onSql = (sql: SqlClient.SqlClient): LossTable => {
  const { columns } = lossTable
  return {
    put: (recoveryId, losses) => {
      const batch = lossTable.batch(
        losses.map((loss) => ({ ...loss, recoveryId, isSkipped: false })),
        conflict
      )
      const starts = Array.from({ length: Math.ceil(losses.length / putAtOnce) }, (_, index) => index * putAtOnce)
      return orUnavailable(
        Effect.forEach(starts, (start) => sql`${batch.insert(start, start + putAtOnce)} ${batch.conflict}`, {
          discard: true
        })
      )
    },
    totals: (recoveryId) =>
      orUnavailable(
        Effect.map(
          totals.all(sql`select ${totals.columns} from recovery_loss where recovery_id = ${recoveryId}`),
          ([row]) => row!
        )
      ),
    page: (recoveryId, { limit, offset }) =>
      orUnavailable(
        lossTable.all(sql`
          select ${columns} from recovery_loss where recovery_id = ${recoveryId}
          order by stream limit ${limit} offset ${offset}`)
      ),
    unskipped: (recoveryId, limit) =>
      orUnavailable(
        lossTable.all(sql`
          select ${columns} from recovery_loss where recovery_id = ${recoveryId} and not is_skipped
          order by stream limit ${limit}`)
      ),
    skipped: (recoveryId, streams) =>
      orUnavailable(
        Effect.asVoid(sql`
          update recovery_loss set is_skipped = true
          where recovery_id = ${recoveryId} and stream = any(${[...streams]})`)
      )
  }
}

export const inMemory = ({ table, transaction }: MemoryTables["Service"]): LossTable => {
  const rows = table<Table.Row<typeof lossTable>>()
  const keyOf = (recoveryId: number, stream: string) => `${recoveryId} ${stream}`
  const of = (recoveryId: number) =>
    rows
      .rows()
      .filter((row) => row.recoveryId === recoveryId)
      .toSorted((a, b) => (a.stream < b.stream ? -1 : 1))
  return {
    put: (recoveryId, losses) =>
      transaction(
        Effect.sync(() => {
          for (const loss of losses) {
            const key = keyOf(recoveryId, loss.stream)
            const before = rows.get(key)
            const after = before === undefined ? loss : merged(before, loss)
            rows.set(key, { ...after, recoveryId, isSkipped: false })
          }
        })
      ),
    totals: (recoveryId) =>
      Effect.sync(() => ({
        streams: of(recoveryId).length,
        missingRows: of(recoveryId).reduce((sum, loss) => sum + missingOf(loss), 0)
      })),
    page: (recoveryId, { limit, offset }) => Effect.sync(() => of(recoveryId).slice(offset, offset + limit)),
    unskipped: (recoveryId, limit) =>
      Effect.sync(() =>
        of(recoveryId)
          .filter(({ isSkipped }) => !isSkipped)
          .slice(0, limit)
      ),
    skipped: (recoveryId, streams) =>
      transaction(
        Effect.sync(() => {
          for (const stream of streams) {
            const key = keyOf(recoveryId, stream)
            rows.set(key, { ...rows.get(key)!, isSkipped: true })
          }
        })
      )
  }
}
