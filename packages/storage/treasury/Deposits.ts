/**
 * Deposits. After detection, the domain's state machine decides every change; credits and reversals come from the
 * journal.
 */
import { JournalRows } from "@venue/journal/JournalMemory"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { ReadMemory } from "../history/ReadTable.ts"
import * as DepositQueries from "./DepositQueries.ts"
import * as DepositsMemory from "./DepositsMemory.ts"
import * as DepositSteps from "./DepositSteps.ts"
import type { Changed, DepositsShape } from "./DepositTable.ts"
import { WebhookMemory } from "./WebhookMemory.ts"

export type { Deposit, Detected } from "./DepositTable.ts"

export class Deposits extends Context.Service<Deposits, DepositsShape>()("@venue/storage/treasury/Deposits") {
  static readonly layer: Layer.Layer<Deposits, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Deposits,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const queries = DepositQueries.queries(sql)
      return Deposits.of({
        ...queries,
        ...DepositSteps.changes({
          read: queries.find,
          write: DepositSteps.write(sql),
          insert: DepositSteps.insert(sql)
        })
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Deposits> = Layer.effect(Deposits, DepositsMemory.make).pipe(
    Layer.provide([MemoryTables.layer, JournalRows.layer, ReadMemory.layer, WebhookMemory.layer])
  )
}

/** Whether a change was accepted; false if the deposit is already in another state. */
export const isAccepted = (change: Changed): Effect.Effect<boolean, DatabaseUnavailable> =>
  change.pipe(
    Effect.as(true),
    Effect.catchTags({
      DepositStepRefused: () => Effect.succeed(false),
      UnknownDeposit: () => Effect.succeed(false)
    })
  )
