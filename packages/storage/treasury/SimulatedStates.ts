/** States of simulated rails, stored as opaque text. */
import { RailName } from "@venue/domain/Rail"
import { of, text } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const stateTable = Table.make("simulated_rail", { rail: of("text", RailName), state: text })
const states = stateTable.pick("state")

export class SimulatedStates extends Context.Service<
  SimulatedStates,
  {
    /**
     * Changes a rail's state, one call at a time; the first receives a `state` of null. Writes nothing if the text is
     * unchanged.
     */
    readonly change: <A>(
      rail: RailName,
      work: (state: string | null) => readonly [answer: A, state: string]
    ) => Effect.Effect<A, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/SimulatedStates") {
  static readonly layer: Layer.Layer<SimulatedStates, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    SimulatedStates,
    Effect.map(SqlClient.SqlClient, (sql) =>
      SimulatedStates.of({
        change: <A>(rail: RailName, work: (state: string | null) => readonly [A, string]) =>
          Effect.gen(function* () {
            yield* sql`insert into simulated_rail values (${rail}, '') on conflict do nothing`
            const row = yield* states.first(sql`
              select ${states.columns} from simulated_rail where rail = ${rail} for update`)
            const before = Option.getOrThrow(row).state
            const [answer, after] = work(before === "" ? null : before)
            if (after !== before) yield* sql`update simulated_rail set state = ${after} where rail = ${rail}`
            return answer
          }).pipe(sql.withTransaction, orUnavailable) as Effect.Effect<A, DatabaseUnavailable>
      })
    )
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<SimulatedStates> = Layer.effect(
    SimulatedStates,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const kept = table<string>()
      return SimulatedStates.of({
        change: (rail, work) =>
          transaction(
            Effect.sync(() => {
              const [answer, after] = work(kept.get(rail) ?? null)
              kept.set(rail, after)
              return answer
            })
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
