/**
 * Withdrawals, each a row that its trader's journal wrote. Every step is one statement conditional on the state it leaves: of
 * two who take it at once, one is told that it was not theirs.
 */
import { JournalRows } from "@venue/journal/JournalMemory"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { Seal } from "@venue/postgres/Seal"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import type { UserStates } from "../access/UserStates.ts"
import { HasAuditor, type VenueModes } from "../access/VenueModes.ts"
import { ReadMemory } from "../history/ReadTable.ts"
import { Deposits } from "./Deposits.ts"
import { TreasuryFlags } from "./TreasuryFlags.ts"
import { WebhookMemory } from "./WebhookMemory.ts"
import * as WithdrawalQueries from "./WithdrawalQueries.ts"
import * as WithdrawalsMemory from "./WithdrawalsMemory.ts"
import * as WithdrawalSteps from "./WithdrawalSteps.ts"
import type { WithdrawalsShape } from "./WithdrawalTable.ts"

export { type StoredPayment, submittedAtOnce, type Withdrawal } from "./WithdrawalTable.ts"

export class Withdrawals extends Context.Service<Withdrawals, WithdrawalsShape>()(
  "@venue/storage/treasury/Withdrawals"
) {
  static readonly layer: Layer.Layer<Withdrawals, MigrationError | SqlError, SqlClient.SqlClient | Seal> = Layer.effect(
    Withdrawals,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const seals = yield* Seal
      return Withdrawals.of({
        ...WithdrawalQueries.ofOne(sql, seals),
        ...WithdrawalQueries.waiting(sql),
        ...WithdrawalSteps.reviewed(sql),
        ...WithdrawalSteps.paid(sql, seals, yield* HasAuditor)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Withdrawals, never, UserStates | VenueModes> = Layer.effect(
    Withdrawals,
    WithdrawalsMemory.make
  ).pipe(
    Layer.provide([
      MemoryTables.layer,
      JournalRows.layer,
      ReadMemory.layer,
      TreasuryFlags.layerMemory,
      Deposits.layerMemory,
      WebhookMemory.layer
    ])
  )
}
