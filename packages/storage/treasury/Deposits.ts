/**
 * Deposits. Every step is one statement conditional on the state it leaves; the credit and its reversal are written with the
 * journal row of their events.
 */
import { JournalRows } from "@venue/journal/JournalMemory"
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
import type { DepositsShape } from "./DepositTable.ts"
import { WebhookMemory } from "./WebhookMemory.ts"

export type { Deposit, Detected } from "./DepositTable.ts"

export class Deposits extends Context.Service<Deposits, DepositsShape>()("@venue/storage/treasury/Deposits") {
  static readonly layer: Layer.Layer<Deposits, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Deposits,
    Effect.map(SqlClient.SqlClient, (sql) =>
      Deposits.of({
        ...DepositQueries.queries(sql),
        detect: DepositSteps.detect(sql),
        ...DepositSteps.steps(sql),
        ...DepositSteps.findings(sql)
      })
    )
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Deposits> = Layer.effect(Deposits, DepositsMemory.make).pipe(
    Layer.provide([MemoryTables.layer, JournalRows.layer, ReadMemory.layer, WebhookMemory.layer])
  )
}
