/**
 * The venue's own money on its rails. An operator records each amount paid in or taken out under an id, so that a
 * repeated record has no effect.
 */
import type { RailName } from "@venue/domain/Rail"
import { storable } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import * as LedgerEntries from "../history/LedgerEntries.ts"
import { ReadMemory, type TableWrite } from "../history/ReadTable.ts"

export interface OwnMoneyMoved {
  readonly id: string
  readonly rail: RailName
  /** Amount in 1e-6 USD, negative if it was taken out. */
  readonly amount: bigint
  readonly reason: string
}

export class OwnMoney extends Context.Service<
  OwnMoney,
  {
    /**
     * Records a movement and returns `new`. If the id is already recorded, changes nothing and returns `known`, or
     * `other` if the recorded amount or rail differs.
     */
    readonly move: (moved: OwnMoneyMoved) => Effect.Effect<"new" | "known" | "other", DatabaseUnavailable>
  }
>()("@venue/storage/treasury/OwnMoney") {
  static readonly layer: Layer.Layer<OwnMoney, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    OwnMoney,
    Effect.map(SqlClient.SqlClient, (sql) =>
      OwnMoney.of({
        move: Effect.fn("OwnMoney.move")(function* (moved: OwnMoneyMoved) {
          const { batch } = entriesOf(moved, yield* Clock.currentTimeMillis)
          const rows = yield* sql`${batch.insert(0, batch.rows)} on conflict do nothing returning 1`
          if (rows.length > 0) return "new"
          const same = yield* sql`
            select 1 from ledger_entry
            where stream = ${streamOf(moved)} and account = ${LedgerEntries.externalAccount(moved.rail)}
              and amount = ${String(-moved.amount)}::numeric`
          return same.length > 0 ? "known" : "other"
        }, orUnavailable)
      })
    )
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<OwnMoney> = Layer.effect(
    OwnMoney,
    Effect.gen(function* () {
      const memory = yield* ReadMemory
      const { transaction } = yield* MemoryTables
      return OwnMoney.of({
        move: (moved) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (atMillis) => {
              const known = LedgerEntries.ofStream(memory, streamOf(moved))
              const outside = LedgerEntries.externalAccount(moved.rail)
              if (known.some(({ account, amount }) => account === outside && amount === -moved.amount)) return "known"
              if (known.length > 0) return "other"
              entriesOf(moved, atMillis).remember(memory)
              return "new"
            })
          )
      })
    })
  ).pipe(Layer.provide([ReadMemory.layer, MemoryTables.layer]))
}

/** Returns the ledger entries for a deposit that an operator declared to be the venue's own money. */
export const ofDeposit = (
  { amount, depositId: id, rail }: { readonly amount: bigint; readonly depositId: string; readonly rail: RailName },
  reason: string,
  atMillis: number
): TableWrite => entriesOf({ id, rail, amount, reason }, atMillis)

const streamOf = ({ id }: OwnMoneyMoved): string => `own-money/${storable(id)}`

const entriesOf = (moved: OwnMoneyMoved, atMillis: number): TableWrite => {
  const { amount, rail, reason } = moved
  const [from, to] = [LedgerEntries.externalAccount(rail), LedgerEntries.ownAccount]
  const move = { transactionId: streamOf(moved), kind: "own-money", from, to, amount, reason, atMillis } as const
  return LedgerEntries.written([move], streamOf(moved), 1)
}
