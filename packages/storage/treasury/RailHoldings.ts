/** Each rail's newest report of its holdings, and the withdrawals that had left the rail by then. */
import { RailName } from "@venue/domain/Rail"
import { bigint, numeric, of, orNull, text, textArray, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const holdingTable = Table.make("rail_holding", {
  rail: of("text", RailName),
  /** Number of the report, from 1. */
  number: bigint,
  /** Amount held, in 1e-6 USD. */
  amount: numeric,
  /** Block, or entry in the bank's list, as of which the rail made the report; text for operators. */
  position: text,
  /** Newest block whose deposits are included. Null for a bank, where all stored entries are included. */
  block: orNull(bigint),
  /** Time up to which settled withdrawals, and at a bank also stored entries, are included. */
  asOfMillis: timestamptz,
  /** In-flight withdrawals whose payment had left the rail, and those whose payment had not. */
  leftIds: textArray,
  waitingIds: textArray
})
export type RailHolding = Table.Row<typeof holdingTable>

export class RailHoldings extends Context.Service<
  RailHoldings,
  {
    /** Each rail's newest report, ordered by rail name. */
    readonly newest: Effect.Effect<ReadonlyArray<RailHolding>, DatabaseUnavailable>
    /** Replaces a rail's report. */
    readonly record: (holding: Omit<RailHolding, "number">) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/RailHoldings") {
  static readonly layer: Layer.Layer<RailHoldings, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    RailHoldings,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return RailHoldings.of({
        newest: orUnavailable(holdingTable.all(sql`select ${holdingTable.columns} from rail_holding order by rail`)),
        record: Effect.fn("RailHoldings.record")(
          (holding: Omit<RailHolding, "number">) =>
            Effect.asVoid(sql`
              insert into rail_holding ${holdingTable.values({ ...holding, number: 1 })}
              on conflict (rail) do update set
                number = rail_holding.number + 1, amount = excluded.amount, position = excluded.position,
                block = excluded.block, as_of = excluded.as_of, left_ids = excluded.left_ids,
                waiting_ids = excluded.waiting_ids`),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<RailHoldings> = Layer.effect(
    RailHoldings,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const holdings = table<RailHolding>()
      return RailHoldings.of({
        newest: Effect.sync(() => holdings.rows().toSorted((a, b) => (a.rail < b.rail ? -1 : 1))),
        record: (holding) =>
          transaction(
            Effect.sync(() => {
              const { number = 0 } = holdings.get(holding.rail) ?? {}
              holdings.set(holding.rail, { ...holding, number: number + 1 })
            })
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
