/** Transactions that span several tables. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type DatabaseUnavailable, orUnavailable } from "./DatabaseUnavailable.ts"
import { MemoryTables } from "./MemoryTables.ts"

export class Transaction extends Context.Service<
  Transaction,
  {
    /**
     * Runs an effect in a transaction. A failure rolls the transaction back; after `DatabaseUnavailable` the outcome
     * is unknown.
     */
    readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | DatabaseUnavailable, R>
  }
>()("@venue/postgres/Transaction") {
  static readonly layer: Layer.Layer<Transaction, never, SqlClient.SqlClient> = Layer.effect(
    Transaction,
    Effect.map(SqlClient.SqlClient, (sql) =>
      Transaction.of({
        run: <A, E, R>(work: Effect.Effect<A, E, R>) =>
          orUnavailable(sql.withTransaction(work)) as Effect.Effect<A, E | DatabaseUnavailable, R>
      })
    )
  )

  static readonly layerMemory: Layer.Layer<Transaction> = Layer.effect(
    Transaction,
    Effect.map(MemoryTables, ({ transaction }) => Transaction.of({ run: transaction }))
  ).pipe(Layer.provide(MemoryTables.layer))
}
