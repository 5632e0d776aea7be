/** The keys programs call with: a public name, a secret sealed at rest, what it permits and on which account. */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { storable } from "./Bulk.ts"
import { type DatabaseUnavailable, orUnavailable } from "./DatabaseUnavailable.ts"
import * as Migrations from "./Migrations.ts"
import { Seal } from "./Seal.ts"
import { UnknownUser, Users } from "./Users.ts"

export interface ApiKey {
  readonly publicKey: string
  readonly userId: string
  readonly label: string
  readonly secret: Redacted.Redacted
  readonly permissions: ReadonlyArray<string>
  /** `all_accounts`, or the one account it is for. */
  readonly scope: string
  readonly createdAtMillis: number
  /** Null while the key is good. */
  readonly revokedAtMillis: number | null
}

export type NewApiKey = Omit<ApiKey, "createdAtMillis" | "revokedAtMillis">

export class ApiKeyExists extends Schema.TaggedError<ApiKeyExists>()("ApiKeyExists", { publicKey: Schema.String }) {}

export class TooManyApiKeys extends Schema.TaggedError<TooManyApiKeys>()("TooManyApiKeys", { limit: Schema.Number }) {}

/** Good keys of one user. */
export const maxKeys = 50

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    readonly create: (
      key: NewApiKey
    ) => Effect.Effect<void, UnknownUser | ApiKeyExists | TooManyApiKeys | DatabaseUnavailable>
    /** Revoked ones too. */
    readonly find: (publicKey: string) => Effect.Effect<Option.Option<ApiKey>, DatabaseUnavailable>
    /** True when the key was good until now. */
    readonly revoke: (publicKey: string) => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@venue/storage/ApiKeys") {
  static readonly layer: Layer.Layer<ApiKeys, MigrationError | SqlError, SqlClient.SqlClient | Seal> = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { open, seal } = yield* Seal
      return ApiKeys.of({
        // The user's row is locked, so that keys made at once are counted one after the other.
        create: Effect.fn("ApiKeys.create")(
          function* (key: NewApiKey) {
            const at = new Date(yield* Clock.currentTimeMillis)
            const owner = yield* sql`select 1 from venue_user where user_id = ${storable(key.userId)} for update`
            if (owner.length === 0) return yield* new UnknownUser({ userId: key.userId })
            const good = yield* sql`
            select 1 from api_key where user_id = ${key.userId} and revoked_at is null limit ${maxKeys}`
            if (good.length === maxKeys) return yield* new TooManyApiKeys({ limit: maxKeys })
            const made = yield* sql`
            insert into api_key (public_key, user_id, label, sealed_secret, permissions, scope, created_at)
            values (${storable(key.publicKey)}, ${key.userId}, ${storable(key.label)}, ${seal(key.secret, key.publicKey)},
              ${key.permissions}, ${storable(key.scope)}, ${at})
            on conflict do nothing returning 1`
            if (made.length === 0) return yield* new ApiKeyExists({ publicKey: key.publicKey })
          },
          sql.withTransaction,
          orUnavailable
        ),
        find: Effect.fn("ApiKeys.find")(function* (publicKey: string) {
          const [row] = yield* sql<Row>`
            select public_key as "publicKey", user_id as "userId", label, sealed_secret as "sealedSecret", permissions,
              scope, created_at as "createdAt", revoked_at as "revokedAt"
            from api_key where public_key = ${storable(publicKey)}`
          return Option.map(Option.fromUndefinedOr(row), ({ createdAt, revokedAt, sealedSecret, ...rest }): ApiKey => ({
            ...rest,
            secret: open(sealedSecret, rest.publicKey),
            createdAtMillis: createdAt.getTime(),
            revokedAtMillis: revokedAt?.getTime() ?? null
          }))
        }, orUnavailable),
        revoke: Effect.fn("ApiKeys.revoke")(function* (publicKey: string) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const revoked = yield* sql`
            update api_key set revoked_at = ${at}
            where public_key = ${storable(publicKey)} and revoked_at is null returning 1`
          return revoked.length > 0
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<ApiKeys, never, Users> = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const users = yield* Users
      const keys = new Map<string, ApiKey>()
      return ApiKeys.of({
        create: Effect.fnUntraced(function* (key: NewApiKey) {
          if (Option.isNone(yield* users.find(key.userId))) return yield* new UnknownUser({ userId: key.userId })
          const good = Array.from(keys.values()).filter(
            (other) => other.userId === key.userId && other.revokedAtMillis === null
          )
          if (good.length >= maxKeys) return yield* new TooManyApiKeys({ limit: maxKeys })
          if (keys.has(key.publicKey)) return yield* new ApiKeyExists({ publicKey: key.publicKey })
          keys.set(key.publicKey, { ...key, createdAtMillis: yield* Clock.currentTimeMillis, revokedAtMillis: null })
        }),
        find: (publicKey) => Effect.sync(() => Option.fromUndefinedOr(keys.get(publicKey))),
        revoke: Effect.fnUntraced(function* (publicKey: string) {
          const key = keys.get(publicKey)
          if (key === undefined || key.revokedAtMillis !== null) return false
          keys.set(publicKey, { ...key, revokedAtMillis: yield* Clock.currentTimeMillis })
          return true
        })
      })
    })
  )
}

interface Row extends Omit<ApiKey, "secret" | "createdAtMillis" | "revokedAtMillis"> {
  readonly sealedSecret: Uint8Array
  readonly createdAt: Date
  readonly revokedAt: Date | null
}
