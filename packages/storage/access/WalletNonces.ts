/** Nonces of signed wallet messages, each accepted once across all nodes and restarts. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { bytea, of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { credentialsFrom } from "../recovery/CredentialsFrom.ts"
import * as Table from "@venue/postgres/Table"
import { digestOf } from "@venue/postgres/SecretHash"

/** Purpose of a signed message. A nonce is accepted once for each purpose. */
const Purpose = Schema.Literals(["signin", "builder"])
export type Purpose = typeof Purpose.Type

const nonceUseTable = Table.make("wallet_nonce_use", {
  purpose: of("text", Purpose),
  /** In lower case. */
  address: text,
  nonceHash: bytea,
  expiresAtMillis: timestamptz
})

/** Times of a signed message, in Unix milliseconds. */
export interface MessageTimes {
  readonly issuedAtMillis: number
  readonly expiresAtMillis: number
}

export class WalletNonceUsed extends Schema.TaggedError<WalletNonceUsed>()("WalletNonceUsed", {
  purpose: Purpose,
  address: Schema.String
}) {}

export class WalletNonces extends Context.Service<
  WalletNonces,
  {
    /**
     * Stores a nonce; succeeds once per purpose, lower-case address and nonce. A rollback frees the nonce. The row
     * can be pruned after `expiresAtMillis`, when the message itself has expired. After a recovery, the database rejects
     * messages that were issued before it, because they might have been used in the lost time.
     */
    readonly use: (
      purpose: Purpose,
      address: string,
      nonce: string,
      times: MessageTimes
    ) => Effect.Effect<void, WalletNonceUsed | DatabaseUnavailable>
  }
>()("@venue/storage/access/WalletNonces") {
  static readonly layer: Layer.Layer<WalletNonces, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    WalletNonces,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return WalletNonces.of({
        use: Effect.fn("WalletNonces.use")(
          function* (
            purpose: Purpose,
            address: string,
            nonce: string,
            { expiresAtMillis, issuedAtMillis }: MessageTimes
          ) {
            const use = { purpose, address, nonceHash: digestOf(nonce), expiresAtMillis }
            const used = yield* useResults.all(sql`
              insert into wallet_nonce_use ${nonceUseTable.values(use)} on conflict do nothing
              returning ${useResults.columns}`)
            if (used.length === 0 || issuedAtMillis < (used[0]!.fromMillis ?? 0))
              return yield* new WalletNonceUsed({ purpose, address })
            // Each call adds one row and deletes several expired ones, which bounds the table's size.
            yield* sql`
              delete from wallet_nonce_use where (purpose, address, nonce_hash) in (
                select purpose, address, nonce_hash from wallet_nonce_use
                where expires_at < ${new Date(yield* Clock.currentTimeMillis)}
                order by expires_at limit ${maxPruned} for update skip locked
              )`
          },
          sql.withTransaction,
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<WalletNonces> = Layer.effect(
    WalletNonces,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const uses = table<{ readonly key: string; readonly expiresAtMillis: number }>()
      return WalletNonces.of({
        use: Effect.fnUntraced(function* (
          purpose: Purpose,
          address: string,
          nonce: string,
          { expiresAtMillis }: MessageTimes
        ) {
          const key = [purpose, address, digestOf(nonce).toString("hex")].join(" ")
          if (uses.get(key) !== undefined) return yield* new WalletNonceUsed({ purpose, address })
          const now = yield* Clock.currentTimeMillis
          for (const use of uses.rows()) if (use.expiresAtMillis < now) uses.delete(use.key)
          uses.set(key, { key, expiresAtMillis })
        }, transaction)
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const useResults = Table.selection({
  fromMillis: {
    schema: Schema.NullOr(Schema.Number),
    expression: `(extract(epoch from ${credentialsFrom}) * 1000)::float8`
  }
})

const maxPruned = 8
