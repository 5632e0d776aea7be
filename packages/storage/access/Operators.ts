/** The people who run the venue; of their tokens only hashes are kept. */
import { OperatorName, OperatorRole } from "@venue/domain/Operator"
import { of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { hashOf } from "@venue/postgres/SecretHash"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const operatorTable = Table.make("operator", {
  name: of("text", OperatorName),
  tokenHash: text,
  roles: of("text[]", Schema.Array(OperatorRole)),
  createdAtMillis: timestamptz,
  /** It is null while the token is good. */
  removedAtMillis: orNull(timestamptz)
})
type Row = Table.Row<typeof operatorTable>

export type Operator = Omit<Row, "tokenHash">
export type NewOperator = Pick<Operator, "name" | "roles">

/** Somebody has, or had, this name. */
export class OperatorExists extends Schema.TaggedError<OperatorExists>()("OperatorExists", { name: Schema.String }) {}

export class Operators extends Context.Service<
  Operators,
  {
    /** The token is one that was drawn at random, and nobody else's. */
    readonly add: (
      operator: NewOperator,
      token: Redacted.Redacted
    ) => Effect.Effect<Operator, OperatorExists | DatabaseUnavailable>
    /** Finds nobody who was removed. */
    readonly ofToken: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Operator>, DatabaseUnavailable>
    /** The token is good no longer. The answer is true when it was until now. */
    readonly remove: (name: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** They come in the order in which they were added, those who were removed too; there are at most a thousand. */
    readonly list: Effect.Effect<ReadonlyArray<Operator>, DatabaseUnavailable>
  }
>()("@venue/storage/access/Operators") {
  static readonly layer: Layer.Layer<Operators, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Operators,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Operators.of({
        add: Effect.fn("Operators.add")(function* (operator: NewOperator, token: Redacted.Redacted) {
          const createdAtMillis = yield* Clock.currentTimeMillis
          const row = { ...operator, tokenHash: hashOf(token), createdAtMillis, removedAtMillis: null }
          const made = yield* operatorTable.first(sql`
            insert into operator ${operatorTable.values(row)}
            on conflict (name) do nothing returning ${operatorTable.columns}`)
          if (Option.isNone(made)) return yield* new OperatorExists({ name: operator.name })
          return operatorOf(made.value)
        }, orUnavailable),
        ofToken: Effect.fn("Operators.ofToken")(function* (token: Redacted.Redacted) {
          const found = yield* operatorTable.first(sql`
            select ${operatorTable.columns} from operator where token_hash = ${hashOf(token)} and removed_at is null`)
          return Option.map(found, operatorOf)
        }, orUnavailable),
        remove: Effect.fn("Operators.remove")(function* (name: string) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const changed = yield* sql`
            update operator set removed_at = ${at}
            where name = ${storable(name)} and removed_at is null returning 1`
          return changed.length > 0
        }, orUnavailable),
        list: Effect.suspend(() =>
          operatorTable.all(sql`
            select ${operatorTable.columns} from operator order by created_at, name limit ${maxListed}`)
        ).pipe(
          Effect.map((rows) => rows.map(operatorOf)),
          orUnavailable,
          Effect.withSpan("Operators.list")
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Operators> = Layer.effect(
    Operators,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const operators = table<Row>()
      return Operators.of({
        add: Effect.fnUntraced(function* (operator: NewOperator, token: Redacted.Redacted) {
          if (operators.get(operator.name) !== undefined) return yield* new OperatorExists({ name: operator.name })
          const createdAtMillis = yield* Clock.currentTimeMillis
          const row = { ...operator, tokenHash: hashOf(token), createdAtMillis, removedAtMillis: null }
          operators.set(operator.name, row)
          return operatorOf(row)
        }, transaction),
        ofToken: (token) =>
          Effect.sync(() => {
            const hash = hashOf(token)
            const found = operators.rows().find((row) => row.tokenHash === hash && row.removedAtMillis === null)
            return Option.map(Option.fromUndefinedOr(found), operatorOf)
          }),
        remove: (name) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (removedAtMillis) => {
              const row = operators.get(name)
              if (row === undefined || row.removedAtMillis !== null) return false
              operators.set(name, { ...row, removedAtMillis })
              return true
            })
          ),
        list: Effect.sync(() =>
          operators
            .rows()
            .toSorted((a, b) => a.createdAtMillis - b.createdAtMillis || (a.name < b.name ? -1 : 1))
            .slice(0, maxListed)
            .map(operatorOf)
        )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const maxListed = 1_000

const operatorOf = (row: Row): Operator => Struct.omit(row, ["tokenHash"])
