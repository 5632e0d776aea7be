/** Flags that operators set on users and addresses: `flagged` holds withdrawals for review, `frozen` blocks them. */
import { of, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const flagTable = Table.make("treasury_flag", {
  kind: of("text", Schema.Literals(["user", "address"])),
  /** User id, or address in the letter case shown to users. */
  subject: text,
  effect: of("text", Schema.Literals(["flagged", "frozen"])),
  reason: text,
  setBy: text,
  setAtMillis: timestamptz
})
export type TreasuryFlag = Table.Row<typeof flagTable>

export class TreasuryFlags extends Context.Service<
  TreasuryFlags,
  {
    /** Sets a flag; a flag that is set already keeps its first reason. */
    readonly set: (flag: Omit<TreasuryFlag, "setAtMillis">) => Effect.Effect<void, DatabaseUnavailable>
    /** Clears a flag; returns false if it was not set. */
    readonly clear: (
      flag: Pick<TreasuryFlag, "kind" | "subject" | "effect">
    ) => Effect.Effect<boolean, DatabaseUnavailable>
    readonly about: (
      kind: TreasuryFlag["kind"],
      subject: string
    ) => Effect.Effect<ReadonlyArray<TreasuryFlag>, DatabaseUnavailable>
    /** Newest first. */
    readonly all: (limit: number) => Effect.Effect<ReadonlyArray<TreasuryFlag>, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/TreasuryFlags") {
  static readonly layer: Layer.Layer<TreasuryFlags, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    TreasuryFlags,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { columns } = flagTable
      return TreasuryFlags.of({
        set: Effect.fn("TreasuryFlags.set")(function* (flag) {
          const setAtMillis = yield* Clock.currentTimeMillis
          yield* sql`insert into treasury_flag ${flagTable.values({ ...flag, setAtMillis })} on conflict do nothing`
        }, orUnavailable),
        clear: Effect.fn("TreasuryFlags.clear")(function* ({ effect, kind, subject }) {
          const cleared = yield* sql`
            delete from treasury_flag
            where kind = ${kind} and subject = ${storable(subject)} and effect = ${effect} returning 1`
          return cleared.length > 0
        }, orUnavailable),
        about: Effect.fn("TreasuryFlags.about")(
          (kind: TreasuryFlag["kind"], subject: string) =>
            flagTable.all(sql`
              select ${columns} from treasury_flag
              where kind = ${kind} and subject = ${storable(subject)} order by effect`),
          orUnavailable
        ),
        all: Effect.fn("TreasuryFlags.all")(
          (limit: number) =>
            flagTable.all(sql`
              select ${columns} from treasury_flag order by set_at desc, kind, subject, effect limit ${limit}`),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<TreasuryFlags> = Layer.effect(
    TreasuryFlags,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const flags = table<TreasuryFlag>()
      const keyOf = ({ effect, kind, subject }: Pick<TreasuryFlag, "kind" | "subject" | "effect">) =>
        [effect, kind, subject].join(" ")
      return TreasuryFlags.of({
        set: (flag) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (setAtMillis) => {
              if (flags.get(keyOf(flag)) === undefined) flags.set(keyOf(flag), { ...flag, setAtMillis })
            })
          ),
        clear: (flag) =>
          transaction(
            Effect.sync(() => {
              const isSet = flags.get(keyOf(flag)) !== undefined
              if (isSet) flags.delete(keyOf(flag))
              return isSet
            })
          ),
        about: (kind, subject) =>
          Effect.sync(() =>
            flags
              .rows()
              .filter((flag) => flag.kind === kind && flag.subject === subject)
              .toSorted((a, b) => (a.effect < b.effect ? -1 : 1))
          ),
        all: (limit) =>
          Effect.sync(() =>
            flags
              .rows()
              .toSorted((a, b) => b.setAtMillis - a.setAtMillis || (keyOf(a) < keyOf(b) ? -1 : 1))
              .slice(0, limit)
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
