/** Keys that sign tokens, shared by all nodes; private keys are sealed at rest. */
import { Context, Effect, Layer, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { bytea, of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { Seal } from "@venue/postgres/Seal"
import * as Table from "@venue/postgres/Table"

export const KeyState = Schema.Literals(["standby", "active", "retired"])
export type KeyState = typeof KeyState.Type

const keyTable = Table.make("signing_key", {
  /** Thumbprint of the public key. */
  kid: text,
  state: of("text", KeyState),
  /** Time of the last state change. */
  sinceMillis: timestamptz,
  sealedJwk: bytea
})
type Row = Table.Row<typeof keyTable>

export interface StoredKey extends Omit<Row, "sealedJwk"> {
  /** JWK including the private key, as text. */
  readonly jwk: Redacted.Redacted
}

export class SigningKeyTable extends Context.Service<
  SigningKeyTable,
  {
    /** Returns all keys as of one snapshot, oldest first. */
    readonly all: Effect.Effect<ReadonlyArray<StoredKey>, DatabaseUnavailable>
    /** Replaces the keys by the result of `change`. Locks the table until the end of the surrounding transaction. */
    readonly replace: <E, R>(
      change: (keys: ReadonlyArray<StoredKey>) => Effect.Effect<ReadonlyArray<StoredKey>, E, R>
    ) => Effect.Effect<void, E | DatabaseUnavailable, R>
  }
>()("@venue/storage/access/SigningKeyTable") {
  static readonly layer: Layer.Layer<SigningKeyTable, MigrationError | SqlError, SqlClient.SqlClient | Seal> =
    Layer.effect(
      SigningKeyTable,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { open, seal } = yield* Seal
        const all = Effect.map(
          // One statement, so that it sees either all or none of the changes that another transaction commits.
          keyTable.all(sql`select ${keyTable.columns} from signing_key order by number`),
          (rows) =>
            rows.map(({ sealedJwk, ...row }): StoredKey => ({ ...row, jwk: open(sealedJwk, sealName(row.kid)) }))
        )
        return SigningKeyTable.of({
          all: orUnavailable(all),
          replace: Effect.fn("SigningKeyTable.replace")(
            function* <E, R>(
              change: (keys: ReadonlyArray<StoredKey>) => Effect.Effect<ReadonlyArray<StoredKey>, E, R>
            ) {
              // This lock mode does not block readers.
              yield* sql`lock table signing_key in share row exclusive mode`
              const before = yield* all
              const after = yield* change(before)
              if (after === before) return
              yield* sql`delete from signing_key`
              for (const { jwk, ...key } of after) {
                const row = { ...key, sealedJwk: seal(jwk, sealName(key.kid)) }
                yield* sql`insert into signing_key ${keyTable.values(row)}`
              }
            },
            sql.withTransaction,
            orUnavailable
          )
        })
      })
    ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<SigningKeyTable> = Layer.effect(
    SigningKeyTable,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const keys = table<StoredKey>()
      return SigningKeyTable.of({
        all: Effect.sync(keys.rows),
        replace: (change) =>
          transaction(
            Effect.map(
              Effect.suspend(() => change(keys.rows())),
              (after) => {
                for (const { kid } of keys.rows()) keys.delete(kid)
                for (const key of after) keys.set(key.kid, key)
              }
            )
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

/** Returns the name for which a secret is sealed. */
export const sealName = (kid: string): string => `signing key ${kid}`
