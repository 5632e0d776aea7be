/** The scan cursor of each rail, and the time since which a rail is unavailable. */
import { RailName } from "@venue/domain/Rail"
import { RailOutage } from "@venue/domain/TreasuryReason"
import { of, orNull, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const stateTable = Table.make("rail_state", {
  rail: of("text", RailName),
  /** Opaque position of the next scan; null before the first. */
  cursor: orNull(text),
  scannedAtMillis: orNull(timestamptz),
  /** Null while the rail answers every request. */
  unavailableSinceMillis: orNull(timestamptz),
  cause: orNull(of("jsonb", RailOutage))
})
export type RailState = Table.Row<typeof stateTable>

export class RailStates extends Context.Service<
  RailStates,
  {
    /** Returns the state of a rail; the defaults for a rail without a row. */
    readonly find: (rail: RailName) => Effect.Effect<RailState, DatabaseUnavailable>
    /** Moves the cursor from `before` to `cursor`. Does nothing if the stored cursor is another: another owner has moved it. */
    readonly scanned: (
      rail: RailName,
      before: string | null,
      cursor: string
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Clears the outage of a rail. */
    readonly answers: (rail: RailName) => Effect.Effect<void, DatabaseUnavailable>
    /** Records an outage; the time of the first record stays. */
    readonly unavailable: (rail: RailName, cause: RailOutage) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/RailStates") {
  static readonly layer: Layer.Layer<RailStates, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    RailStates,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return RailStates.of({
        find: Effect.fn("RailStates.find")(function* (rail: RailName) {
          const state = yield* stateTable.first(sql`
            select ${stateTable.columns} from rail_state where rail = ${rail}`)
          return Option.getOrElse(state, () => unknown(rail))
        }, orUnavailable),
        scanned: Effect.fn("RailStates.scanned")(function* (rail, before, cursor) {
          const scannedAtMillis = yield* Clock.currentTimeMillis
          const state = stateTable.values({ ...unknown(rail), cursor, scannedAtMillis })
          yield* sql`
            insert into rail_state ${state}
            on conflict (rail) do update set
              cursor = excluded.cursor, scanned_at = excluded.scanned_at
            where rail_state.cursor is not distinct from ${before}::text`
        }, orUnavailable),
        answers: Effect.fn("RailStates.answers")(
          (rail: RailName) =>
            Effect.asVoid(sql`
              update rail_state set unavailable_since = null, cause = null
              where rail = ${rail} and unavailable_since is not null`),
          orUnavailable
        ),
        unavailable: Effect.fn("RailStates.unavailable")(function* (rail, cause) {
          const unavailableSinceMillis = yield* Clock.currentTimeMillis
          const state = stateTable.values({ ...unknown(rail), unavailableSinceMillis, cause })
          yield* sql`
            insert into rail_state ${state}
            on conflict (rail) do update set
              unavailable_since = coalesce(rail_state.unavailable_since, excluded.unavailable_since),
              cause = excluded.cause`
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<RailStates> = Layer.effect(
    RailStates,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const states = table<RailState>()
      const of = (rail: RailName) => states.get(rail) ?? unknown(rail)
      return RailStates.of({
        find: (rail) => Effect.sync(() => of(rail)),
        scanned: (rail, before, cursor) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (scannedAtMillis) => {
              if (of(rail).cursor === before) states.set(rail, { ...of(rail), cursor, scannedAtMillis })
            })
          ),
        answers: (rail) =>
          transaction(
            Effect.sync(() => void states.set(rail, { ...of(rail), unavailableSinceMillis: null, cause: null }))
          ),
        unavailable: (rail, cause) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (nowMillis) => {
              const before = of(rail)
              states.set(rail, {
                ...before,
                unavailableSinceMillis: before.unavailableSinceMillis ?? nowMillis,
                cause
              })
            })
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const unknown = (rail: RailName): RailState => ({
  rail,
  cursor: null,
  scannedAtMillis: null,
  unavailableSinceMillis: null,
  cause: null
})
