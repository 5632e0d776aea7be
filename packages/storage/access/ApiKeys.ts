/** API keys, each with a public name, a secret sealed at rest, permissions, a scope and an IP allow-list. */
import { type ApiKeySummary, isReservedLabel, maxApiKeys, TooManyApiKeys, UnknownApiKey } from "@venue/domain/ApiKey"
import { builderKeyPermissions, type Permission } from "@venue/domain/Permission"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import * as ApiKeyTable from "./ApiKeyTable.ts"
import type { ApiKey, KeyUse } from "./ApiKeyTable.ts"
import type { UserId } from "@venue/domain/UserId"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { Revocations } from "./Revocations.ts"
import { Seal } from "@venue/postgres/Seal"
import { type UnknownUser, Users } from "./Users.ts"

export type KeyPair = Pick<ApiKey, "publicKey" | "secret">

export type NewApiKey = KeyPair &
  Pick<ApiKey, "userId" | "label" | "permissions" | "scope"> &
  Partial<Pick<ApiKey, "allowedAddresses">>

/** A user's key that a builder holds. */
export type HeldKey = Pick<ApiKey, "publicKey" | "label" | "createdAtMillis" | "lastUsedAtMillis"> & {
  readonly builderUserId: string
}

export type NewBuilderKey = KeyPair & Pick<ApiKey, "userId" | "label"> & { readonly builderUserId: UserId }

export class ApiKeyExists extends Schema.TaggedError<ApiKeyExists>()("ApiKeyExists", { publicKey: Schema.String }) {}

/** Changes to one user's keys run one at a time, because each change locks the user's row. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    readonly create: (
      key: NewApiKey
    ) => Effect.Effect<ApiKeySummary, UnknownUser | ApiKeyExists | TooManyApiKeys | DatabaseUnavailable>
    /** Returns a valid or revoked key. */
    readonly find: (publicKey: string) => Effect.Effect<Option.Option<ApiKey>, DatabaseUnavailable>
    /** Returns the user's valid keys in order of creation, except keys with a reserved label. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<ApiKeySummary>, DatabaseUnavailable>
    /** Returns the user's valid keys that builders hold, in order of creation. */
    readonly ofBuilders: (userId: UserId) => Effect.Effect<ReadonlyArray<HeldKey>, DatabaseUnavailable>
    readonly rename: (
      userId: UserId,
      publicKey: string,
      label: string
    ) => Effect.Effect<void, UnknownUser | UnknownApiKey | DatabaseUnavailable>
    /** Revokes a key, including a key that `ofUser` omits, and announces the revocation. Returns false if already revoked. */
    readonly revoke: (
      userId: UserId,
      publicKey: string
    ) => Effect.Effect<boolean, UnknownUser | UnknownApiKey | DatabaseUnavailable>
    /** Replaces a key by a new pair with the same permissions, revokes the old key, and announces the revocation. */
    readonly rotate: (
      userId: UserId,
      publicKey: string,
      next: KeyPair
    ) => Effect.Effect<ApiKeySummary, UnknownUser | UnknownApiKey | ApiKeyExists | DatabaseUnavailable>
    /**
     * Replaces the builder's key for the user. Deletes an earlier key whatever its label, announces the deletion, and
     * returns the earlier key's public name.
     */
    readonly replaceBuilderKey: (
      key: NewBuilderKey
    ) => Effect.Effect<Option.Option<string>, UnknownUser | ApiKeyExists | DatabaseUnavailable>
    /**
     * Grants or withdraws one permission, announces the change so that nodes drop the cached key, and returns the
     * key's user. Fails if the key is revoked.
     */
    readonly setPermission: (
      publicKey: string,
      permission: Permission,
      granted: boolean
    ) => Effect.Effect<string, UnknownApiKey | DatabaseUnavailable>
    /** Moves the stored times forward; ignores earlier times and keys that no longer exist. */
    readonly noteUses: (uses: ReadonlyArray<KeyUse>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/access/ApiKeys") {
  static readonly layer: Layer.Layer<
    ApiKeys,
    MigrationError | SqlError,
    SqlClient.SqlClient | Seal | Users | Revocations
  > = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      return yield* make(ApiKeyTable.onSql(yield* SqlClient.SqlClient, yield* Seal))
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<ApiKeys, never, Users | Revocations> = Layer.effect(
    ApiKeys,
    Effect.flatMap(MemoryTables, (memory) => make(ApiKeyTable.inMemory(memory)))
  ).pipe(Layer.provide(MemoryTables.layer))
}

const make = Effect.fnUntraced(function* (table: ApiKeyTable.ApiKeyTable) {
  const users = yield* Users
  const { announce, changeable, end, insert, keyOf } = parts(table, users, yield* Revocations)

  return ApiKeys.of({
    find: table.find,
    create: Effect.fn("ApiKeys.create")(function* (key: NewApiKey) {
      yield* users.lock(key.userId)
      const own = (yield* table.goodOf(key.userId)).filter(({ builderUserId }) => builderUserId === null)
      if (own.length >= maxApiKeys) return yield* new TooManyApiKeys({ limit: maxApiKeys })
      return yield* insert({ allowedAddresses: [], ...key, builderUserId: null })
    }, table.transaction),
    ofUser: Effect.fn("ApiKeys.ofUser")(function* (userId: UserId) {
      return (yield* table.goodOf(userId)).filter(({ label }) => !isReservedLabel(label)).map(summaryOf)
    }),
    ofBuilders: Effect.fn("ApiKeys.ofBuilders")(function* (userId: UserId) {
      return (yield* table.goodOf(userId)).flatMap(
        ({ builderUserId, createdAtMillis, label, lastUsedAtMillis, publicKey }) =>
          builderUserId === null ? [] : [{ builderUserId, publicKey, label, createdAtMillis, lastUsedAtMillis }]
      )
    }),
    rename: Effect.fn("ApiKeys.rename")(function* (userId: UserId, publicKey: string, label: string) {
      yield* changeable(userId, publicKey)
      yield* table.change(publicKey, { label })
    }, table.transaction),
    revoke: Effect.fn("ApiKeys.revoke")(function* (userId: UserId, publicKey: string) {
      const { revokedAtMillis } = yield* keyOf(userId, publicKey)
      if (revokedAtMillis === null) yield* end(publicKey)
      return revokedAtMillis === null
    }, table.transaction),
    rotate: Effect.fn("ApiKeys.rotate")(function* (userId: UserId, publicKey: string, next: KeyPair) {
      const old = yield* changeable(userId, publicKey)
      yield* end(publicKey)
      return yield* insert({ ...old, ...next })
    }, table.transaction),
    replaceBuilderKey: Effect.fn("ApiKeys.replaceBuilderKey")(function* (key: NewBuilderKey) {
      yield* users.lock(key.userId)
      const good = yield* table.goodOf(key.userId)
      const old = good.find(({ builderUserId }) => builderUserId === key.builderUserId)?.publicKey
      if (old !== undefined) {
        yield* table.remove(old)
        yield* announce(old)
      }
      yield* insert({ ...key, permissions: builderKeyPermissions, scope: key.userId, allowedAddresses: [] })
      return Option.fromUndefinedOr(old)
    }, table.transaction),
    setPermission: Effect.fn("ApiKeys.setPermission")(
      function* (publicKey: string, permission: Permission, granted: boolean) {
        const key = yield* table.find(publicKey)
        if (Option.isNone(key)) return yield* new UnknownApiKey({ publicKey })
        const { permissions, revokedAtMillis, userId } = yield* keyOf(key.value.userId, publicKey)
        if (revokedAtMillis !== null) return yield* new UnknownApiKey({ publicKey })
        if (permissions.includes(permission) === granted) return userId
        const others = permissions.filter((name) => name !== permission)
        yield* table.change(publicKey, { permissions: granted ? [...others, permission] : others })
        yield* announce(publicKey)
        return userId
      },
      // Users are never deleted, so the key's user exists.
      Effect.catchTag("UnknownUser", Effect.die),
      table.transaction
    ),
    noteUses: Effect.fn("ApiKeys.noteUses")((uses: ReadonlyArray<KeyUse>) =>
      Effect.asVoid(table.transaction(table.noteUses(uses)))
    )
  })
})

/** Parts of the changes, each of which runs inside a transaction. */
const parts = (table: ApiKeyTable.ApiKeyTable, users: Users["Service"], revocations: Revocations["Service"]) => {
  const insert = Effect.fnUntraced(function* (
    key: Omit<ApiKey, "createdAtMillis" | "lastUsedAtMillis" | "lastFailedAtMillis" | "revokedAtMillis">
  ) {
    const createdAtMillis = yield* Clock.currentTimeMillis
    const made = { ...key, createdAtMillis, lastUsedAtMillis: null, lastFailedAtMillis: null, revokedAtMillis: null }
    if (!(yield* table.insert(made))) return yield* new ApiKeyExists({ publicKey: key.publicKey })
    return summaryOf(made)
  })
  /** Returns the user's key after locking the user's row. */
  const keyOf = Effect.fnUntraced(function* (userId: UserId, publicKey: string) {
    yield* users.lock(userId)
    const key = Option.filter(yield* table.find(publicKey), (key) => key.userId === userId)
    return Option.isSome(key) ? key.value : yield* new UnknownApiKey({ publicKey })
  })
  const changeable = Effect.fnUntraced(function* (userId: UserId, publicKey: string) {
    const key = yield* keyOf(userId, publicKey)
    return key.revokedAtMillis === null && !isReservedLabel(key.label) ? key : yield* new UnknownApiKey({ publicKey })
  })
  const announce = (publicKey: string) => revocations.announce({ kind: "key", subject: publicKey })
  const end = Effect.fnUntraced(function* (publicKey: string) {
    yield* table.change(publicKey, { revokedAtMillis: yield* Clock.currentTimeMillis })
    yield* announce(publicKey)
  })
  return { announce, changeable, end, insert, keyOf }
}

const summaryOf = ({
  allowedAddresses,
  createdAtMillis,
  label,
  lastFailedAtMillis,
  lastUsedAtMillis,
  permissions,
  publicKey,
  scope
}: ApiKeySummary): ApiKeySummary => ({
  publicKey,
  label,
  permissions,
  scope,
  allowedAddresses,
  createdAtMillis,
  lastUsedAtMillis,
  lastFailedAtMillis
})
