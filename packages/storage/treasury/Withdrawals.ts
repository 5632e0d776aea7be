/** Withdrawals. Traders' journals insert the rows, and the domain's state machine decides every later change. */
import { JournalRows } from "@venue/journal/JournalMemory"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
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
import type { Changed, WithdrawalsShape } from "./WithdrawalTable.ts"

export { type StoredPayment, submittedAtOnce, type Withdrawal } from "./WithdrawalTable.ts"

export class Withdrawals extends Context.Service<Withdrawals, WithdrawalsShape>()(
  "@venue/storage/treasury/Withdrawals"
) {
  static readonly layer: Layer.Layer<Withdrawals, MigrationError | SqlError, SqlClient.SqlClient | Seal> = Layer.effect(
    Withdrawals,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const seals = yield* Seal
      const reads = WithdrawalQueries.ofOne(sql, seals)
      return Withdrawals.of({
        ...reads,
        ...WithdrawalQueries.waiting(sql),
        ...WithdrawalSteps.changes({
          read: reads.find,
          write: WithdrawalSteps.write(sql, seals, yield* HasAuditor)
        })
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

/** Whether a change was accepted; false if the withdrawal is already in another state. */
export const isAccepted = (change: Changed): Effect.Effect<boolean, DatabaseUnavailable> =>
  change.pipe(
    Effect.as(true),
    Effect.catchTags({
      WithdrawalStepRefused: () => Effect.succeed(false),
      CancelPending: () => Effect.succeed(false),
      UnknownWithdrawal: () => Effect.succeed(false)
    })
  )
