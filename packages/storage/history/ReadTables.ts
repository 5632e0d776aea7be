/** Tables for queries: history that is written once per committed event. `Projections.ts` lists the table groups. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Migrations from "@venue/postgres/Migrations"
import { type CommittedRow, continues, type Group, positionOf, type Projection, type Writes } from "./Projection.ts"
import { projectionTable, type ProjectionWrite, writeProjections } from "./ProjectionWrite.ts"
import { ReadMemory, type ReadQuery, type TableWrite } from "./ReadTable.ts"

/** The given rows lack the group's next row, `expected`. The caller must read the journal from that row instead. */
export class ProjectionGap extends Schema.TaggedError<ProjectionGap>()("ProjectionGap", {
  position: Schema.String,
  expected: Schema.Number,
  found: Schema.Number
}) {}

export class ReadTables extends Context.Service<
  ReadTables,
  {
    /**
     * Writes a stream's rows into these groups' tables. Skips rows that a group has already written, so a repeated
     * call changes nothing. Rejects a gap in the sequence numbers.
     */
    readonly project: <Subject, Event>(
      projections: ReadonlyArray<Projection<Subject, Event>>,
      subject: Subject,
      rows: ReadonlyArray<CommittedRow<Event>>
    ) => Effect.Effect<void, ProjectionGap | DatabaseUnavailable>
    /** Returns the sequence number of the last row that the group has written from a stream; 0 before the first. */
    readonly position: <Subject>(group: Group<Subject>, subject: Subject) => Effect.Effect<number, DatabaseUnavailable>
    /** Returns the groups' lowest position in each subject's stream. */
    readonly positions: <Subject>(
      groups: ReadonlyArray<Group<Subject>>,
      subjects: ReadonlyArray<Subject>
    ) => Effect.Effect<ReadonlyArray<number>, DatabaseUnavailable>
    readonly read: <A>(query: ReadQuery<A>) => Effect.Effect<A, DatabaseUnavailable>
  }
>()("@venue/storage/history/ReadTables") {
  static readonly layer = Layer.effect(
    ReadTables,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const seqAt = Effect.fnUntraced(function* (position: string) {
        const at = yield* projectionTable.first(
          sql`select ${projectionTable.columns} from projection where position = ${position}`
        )
        return Option.match(at, { onNone: () => 0, onSome: ({ seq }) => seq })
      })

      /**
       * Positions only increase. Rows read at position `before` are therefore current if the write finds the position
       * unchanged; otherwise the write does nothing.
       */
      const continued = Effect.fnUntraced(function* (
        position: string,
        before: number,
        writes: Writes
      ): Effect.fn.Return<ReadonlyArray<TableWrite> | undefined, SqlError> {
        if (!continues(writes)) return writes
        return (yield* seqAt(position)) === before ? yield* writes.sql(sql) : undefined
      })

      /** Assumes that the rows start at each group's position; reads the stored positions only if that fails. */
      const project = Effect.fn("ReadTables.project")(function* <Subject, Event>(
        projections: ReadonlyArray<Projection<Subject, Event>>,
        subject: Subject,
        rows: ReadonlyArray<CommittedRow<Event>>
      ) {
        if (rows.length === 0) return
        let behind = projections.map((projection) => ({ projection, skip: 0 }))
        while (behind.length > 0) {
          const writes: Array<ProjectionWrite> = []
          for (const { projection, skip } of behind) {
            if (!isWhole(rows, skip)) continue
            const position = positionOf(projection, subject)
            const before = rows[skip]!.seq - 1
            const tableWrites = yield* continued(position, before, projection.writes(subject, rows.slice(skip)))
            if (tableWrites === undefined) continue
            const batches = tableWrites.map(({ batch }) => batch)
            writes.push({ position, before, last: rows.at(-1)!.seq, batches })
          }
          const moved = writes.length === 0 ? nowhere : yield* writeProjections(sql, writes)
          const still: typeof behind = []
          for (const { projection } of behind) {
            const position = positionOf(projection, subject)
            if (moved.has(position)) continue
            const skip = yield* seen(position, yield* seqAt(position), rows)
            if (skip < rows.length) still.push({ projection, skip })
          }
          behind = still
        }
      }, orUnavailable)

      return ReadTables.of({
        project,
        position: Effect.fn("ReadTables.position")((projection, subject) =>
          orUnavailable(seqAt(positionOf(projection, subject)))
        ),
        positions: Effect.fn("ReadTables.positions")((projections, subjects) =>
          orUnavailable(
            Effect.map(
              projectionTable.all(
                sql`
                  select ${projectionTable.columns} from projection
                  where position in ${sql.in(namesOf(projections, subjects))}`.unprepared
              ),
              (rows) => hindmost(projections, subjects, new Map(rows.map(({ position, seq }) => [position, seq])))
            )
          )
        ),
        read: Effect.fn("ReadTables.read")((query) => orUnavailable(query.sql(sql)))
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory = Layer.effect(
    ReadTables,
    Effect.map(ReadMemory, (memory) => {
      const { positions } = memory
      return ReadTables.of({
        project: (projections, subject, rows) =>
          Effect.forEach(
            projections,
            Effect.fnUntraced(function* (projection) {
              const position = positionOf(projection, subject)
              const skip = yield* seen(position, positions.get(position) ?? 0, rows)
              if (skip === rows.length) return
              const pending = projection.writes(subject, rows.slice(skip))
              const writes = continues(pending) ? pending.memory(memory) : pending
              for (const { remember } of writes) remember(memory)
              positions.set(position, rows.at(-1)!.seq)
            }),
            { discard: true }
          ),
        position: (projection, subject) => Effect.sync(() => positions.get(positionOf(projection, subject)) ?? 0),
        positions: (projections, subjects) => Effect.sync(() => hindmost(projections, subjects, positions)),
        read: (query) => Effect.sync(() => query.memory(memory))
      })
    })
  ).pipe(Layer.provide(ReadMemory.layer))
}

const namesOf = <Subject>(
  projections: ReadonlyArray<Group<Subject>>,
  subjects: ReadonlyArray<Subject>
): ReadonlyArray<string> =>
  projections.flatMap((projection) => subjects.map((subject) => positionOf(projection, subject)))

const hindmost = <Subject>(
  projections: ReadonlyArray<Group<Subject>>,
  subjects: ReadonlyArray<Subject>,
  positions: ReadonlyMap<string, number>
): ReadonlyArray<number> =>
  subjects.map((subject) =>
    Math.min(...projections.map((projection) => positions.get(positionOf(projection, subject)) ?? 0))
  )

type Seq = { readonly seq: number }

const nowhere: ReadonlySet<string> = new Set()

/** Whether the sequence numbers from index `skip` on are consecutive. */
const isWhole = (rows: ReadonlyArray<Seq>, skip: number): boolean =>
  rows.every(({ seq }, index) => index <= skip || seq === rows[index - 1]!.seq + 1)

/** Returns the number of leading rows that the group has already written. */
const seen = (position: string, lastSeq: number, rows: ReadonlyArray<Seq>): Effect.Effect<number, ProjectionGap> => {
  let skip = 0
  while (skip < rows.length && rows[skip]!.seq <= lastSeq) skip++
  for (let index = skip; index < rows.length; index++) {
    const expected = lastSeq + 1 + index - skip
    const found = rows[index]!.seq
    if (found !== expected) return Effect.fail(new ProjectionGap({ position, expected, found }))
  }
  return Effect.succeed(skip)
}
