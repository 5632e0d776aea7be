/** Recovery codes stand in for a lost second factor, each once; only their hashes are kept. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { bytea, of, storable } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const codeTable = Table.make("recovery_code", { userId: of("text", UserId), codeHash: bytea })
const counts = Table.selection({ left: { schema: Schema.Number, expression: "count(*)::int" } })

export class RecoveryCodes extends Context.Service<
  RecoveryCodes,
  {
    /** Those the user had are good no longer. The user must exist. */
    readonly replace: (userId: UserId, hashes: ReadonlyArray<Uint8Array>) => Effect.Effect<void, DatabaseUnavailable>
    /** Tells how many are left once this one is used; the answer is none when it is not a good one. */
    readonly spend: (userId: UserId, hash: Uint8Array) => Effect.Effect<Option.Option<number>, DatabaseUnavailable>
  }
>()("@venue/storage/access/RecoveryCodes") {
  static readonly layer: Layer.Layer<RecoveryCodes, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    RecoveryCodes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return RecoveryCodes.of({
        replace: Effect.fn("RecoveryCodes.replace")(
          function* (userId, hashes) {
            yield* sql`delete from recovery_code where user_id = ${storable(userId)}`
            const codes = codeTable.batch(hashes.map((codeHash) => ({ userId, codeHash })))
            yield* sql`${codes.insert(0, codes.rows)}`
          },
          sql.withTransaction,
          orUnavailable
        ),
        spend: Effect.fn("RecoveryCodes.spend")(function* (userId, hash) {
          const spent = yield* sql`
            delete from recovery_code where user_id = ${storable(userId)} and code_hash = ${hash} returning 1`
          if (spent.length === 0) return Option.none()
          const left = yield* counts.first(sql`
            select ${counts.columns} from recovery_code where user_id = ${storable(userId)}`)
          return Option.map(left, ({ left }) => left)
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<RecoveryCodes> = Layer.effect(
    RecoveryCodes,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const codes = table<ReadonlySet<string>>()
      return RecoveryCodes.of({
        replace: (userId, hashes) => transaction(Effect.sync(() => codes.set(userId, new Set(hashes.map(Hex.encode))))),
        spend: (userId, hash) =>
          transaction(
            Effect.sync(() => {
              const left = new Set(codes.get(userId))
              if (!left.delete(Hex.encode(hash))) return Option.none()
              codes.set(userId, left)
              return Option.some(left.size)
            })
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
