/** Operators' decisions about held withdrawals. A large withdrawal needs the same decision from two operators. */
import { of, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const decisionTable = Table.make("withdrawal_decision", {
  withdrawalId: text,
  decision: of("text", Schema.Literals(["approve", "reject"])),
  operator: text,
  reason: text,
  decidedAtMillis: timestamptz
})
export type WithdrawalDecision = Table.Row<typeof decisionTable>

export class WithdrawalDecisions extends Context.Service<
  WithdrawalDecisions,
  {
    /** Records a decision in place of the operator's earlier one. Locks the withdrawal until the transaction ends. */
    readonly record: (decision: Omit<WithdrawalDecision, "decidedAtMillis">) => Effect.Effect<void, DatabaseUnavailable>
    /** Returns the decisions about a withdrawal, oldest first. */
    readonly about: (withdrawalId: string) => Effect.Effect<ReadonlyArray<WithdrawalDecision>, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/WithdrawalDecisions") {
  static readonly layer: Layer.Layer<WithdrawalDecisions, MigrationError | SqlError, SqlClient.SqlClient> =
    Layer.effect(
      WithdrawalDecisions,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return WithdrawalDecisions.of({
          record: Effect.fn("WithdrawalDecisions.record")(function* (
            decision: Omit<WithdrawalDecision, "decidedAtMillis">
          ) {
            yield* sql`select 1 from withdrawal where withdrawal_id = ${storable(decision.withdrawalId)} for update`
            const decidedAtMillis = yield* Clock.currentTimeMillis
            yield* sql`
              insert into withdrawal_decision ${decisionTable.values({ ...decision, decidedAtMillis })}
              on conflict (withdrawal_id, operator) do update
              set decision = excluded.decision, reason = excluded.reason, decided_at = excluded.decided_at`
          }, orUnavailable),
          about: Effect.fn("WithdrawalDecisions.about")(
            (withdrawalId: string) =>
              decisionTable.all(sql`
                select ${decisionTable.columns} from withdrawal_decision
                where withdrawal_id = ${storable(withdrawalId)} order by decided_at, operator`),
            orUnavailable
          )
        })
      })
    ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<WithdrawalDecisions> = Layer.effect(
    WithdrawalDecisions,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const decisions = table<WithdrawalDecision>()
      return WithdrawalDecisions.of({
        record: (decision) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (decidedAtMillis) => {
              decisions.set(`${decision.withdrawalId} ${decision.operator}`, { ...decision, decidedAtMillis })
            })
          ),
        about: (withdrawalId) =>
          Effect.sync(() =>
            decisions
              .rows()
              .filter((row) => row.withdrawalId === withdrawalId)
              .toSorted((a, b) => a.decidedAtMillis - b.decidedAtMillis || (a.operator < b.operator ? -1 : 1))
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
