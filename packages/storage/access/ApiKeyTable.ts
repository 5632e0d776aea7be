/** Rows of `ApiKeys`, on Postgres or in memory. */
import { Effect, Option, type Redacted, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { UserId } from "@venue/domain/UserId"
import { bytea, of, orNull, storable, text, textArray, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { MemoryTables } from "@venue/postgres/MemoryTables"
import type { Seal } from "@venue/postgres/Seal"
import * as Table from "@venue/postgres/Table"

const keyTable = Table.make("api_key", {
  publicKey: text,
  userId: of("text", UserId),
  label: text,
  permissions: textArray,
  scope: text,
  sealedSecret: bytea,
  allowedAddresses: textArray,
  /** Builder that holds the key, or null if the user holds it. */
  builderUserId: orNull(text),
  createdAtMillis: timestamptz,
  /** Null while the key is valid. */
  revokedAtMillis: orNull(timestamptz),
  lastUsedAtMillis: orNull(timestamptz),
  lastFailedAtMillis: orNull(timestamptz)
})
type Row = Table.Row<typeof keyTable>

export interface ApiKey extends Omit<Row, "sealedSecret"> {
  readonly secret: Redacted.Redacted
}

/** Times of a key's last accepted and last rejected request, or null before the first. */
export type KeyUse = Pick<ApiKey, "publicKey" | "lastUsedAtMillis" | "lastFailedAtMillis">

/** Storage of keys. The rules in `ApiKeys` apply to the Postgres and the in-memory implementation alike. */
export interface ApiKeyTable {
  readonly transaction: <A, E, R>(
    work: Effect.Effect<A, E | DatabaseUnavailable, R>
  ) => Effect.Effect<A, E | DatabaseUnavailable, R>
  readonly find: (publicKey: string) => Effect.Effect<Option.Option<ApiKey>, DatabaseUnavailable>
  readonly goodOf: (userId: UserId) => Effect.Effect<ReadonlyArray<Omit<ApiKey, "secret">>, DatabaseUnavailable>
  /** Returns false if a key with this public name already exists. */
  readonly insert: (key: ApiKey) => Effect.Effect<boolean, DatabaseUnavailable>
  readonly change: (publicKey: string, change: Change) => Effect.Effect<unknown, DatabaseUnavailable>
  readonly remove: (publicKey: string) => Effect.Effect<unknown, DatabaseUnavailable>
  readonly noteUses: (uses: ReadonlyArray<KeyUse>) => Effect.Effect<unknown, DatabaseUnavailable>
}

type Change = Partial<Pick<ApiKey, "label" | "permissions" | "revokedAtMillis">>

/** Returns the name for which a secret is sealed. */
export const sealName = (publicKey: string): string => publicKey

export const onSql = (sql: SqlClient.SqlClient, { open, seal }: Seal["Service"]): ApiKeyTable => ({
  transaction: (work) => orUnavailable(sql.withTransaction(work)) as typeof work,
  find: Effect.fnUntraced(function* (publicKey) {
    const stored = yield* keyTable.first(sql`
      select ${keyTable.columns} from api_key where public_key = ${storable(publicKey)}`)
    return Option.map(stored, (row): ApiKey => ({
      ...Struct.omit(row, ["sealedSecret"]),
      secret: open(row.sealedSecret, sealName(row.publicKey))
    }))
  }, orUnavailable),
  goodOf: (userId) =>
    orUnavailable(
      keyTable.all(sql`
        select ${keyTable.columns} from api_key where user_id = ${storable(userId)} and revoked_at is null
        order by created_at, public_key`)
    ),
  insert: Effect.fnUntraced(function* ({ secret, ...key }) {
    const made = yield* sql`
      insert into api_key ${keyTable.values({ ...key, sealedSecret: seal(secret, sealName(key.publicKey)) })}
      on conflict (public_key) do nothing returning 1`
    return made.length > 0
  }, orUnavailable),
  change: (publicKey, change) =>
    orUnavailable(sql`update api_key set ${keyTable.set(change)} where public_key = ${publicKey}`),
  remove: (publicKey) => orUnavailable(sql`delete from api_key where public_key = ${publicKey}`),
  // Locks the rows in a fixed order, because two nodes that record the same keys in different orders could deadlock.
  noteUses: (uses) =>
    orUnavailable(sql`
      with noted as (
        select public_key, "lastUsedAtMillis" / 1000 as used, "lastFailedAtMillis" / 1000 as failed
        from api_key join jsonb_to_recordset(${JSON.stringify(uses)}::jsonb)
          as use ("publicKey" text, "lastUsedAtMillis" float8, "lastFailedAtMillis" float8)
          on public_key = "publicKey"
        order by public_key for no key update of api_key
      )
      update api_key set last_used_at = greatest(last_used_at, to_timestamp(used)),
        last_failed_at = greatest(last_failed_at, to_timestamp(failed))
      from noted where api_key.public_key = noted.public_key`)
})

export const inMemory = ({ table, transaction }: MemoryTables["Service"]): ApiKeyTable => {
  const keys = table<ApiKey>()
  const change = (publicKey: string, fields: Partial<ApiKey>) => {
    const key = keys.get(publicKey)
    if (key !== undefined) keys.set(publicKey, { ...key, ...fields })
  }
  return {
    transaction,
    find: (publicKey) => Effect.sync(() => Option.fromUndefinedOr(keys.get(publicKey))),
    goodOf: (userId) =>
      Effect.sync(() => keys.rows().filter((key) => key.userId === userId && key.revokedAtMillis === null)),
    insert: (key) =>
      Effect.sync(() => {
        if (keys.get(key.publicKey) !== undefined) return false
        keys.set(key.publicKey, key)
        return true
      }),
    change: (publicKey, fields) => Effect.sync(() => change(publicKey, fields)),
    remove: (publicKey) => Effect.sync(() => keys.delete(publicKey)),
    noteUses: (uses) =>
      Effect.sync(() => {
        for (const { lastFailedAtMillis, lastUsedAtMillis, publicKey } of uses) {
          const key = keys.get(publicKey)
          change(publicKey, {
            lastUsedAtMillis: later(key?.lastUsedAtMillis ?? null, lastUsedAtMillis),
            lastFailedAtMillis: later(key?.lastFailedAtMillis ?? null, lastFailedAtMillis)
          })
        }
      })
  }
}

const later = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b))
