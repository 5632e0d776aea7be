/** The keys programs call with: a public name, a secret sealed at rest, what it permits, on which account, from where. */
import { type ApiKeySummary, isReservedLabel, maxApiKeys, TooManyApiKeys, UnknownApiKey } from "@venue/domain/ApiKey"
import { ofBuilderKey, type Permission } from "@venue/domain/Permission"
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { storable } from "@venue/postgres/Bulk"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { millis } from "@venue/postgres/Millis"
import { Revocations } from "./Revocations.ts"
import { Seal } from "@venue/postgres/Seal"
import { type UnknownUser, Users } from "./Users.ts"

export interface ApiKey extends ApiKeySummary {
  readonly userId: string
  readonly secret: Redacted.Redacted
  /** Whom it was issued to, when that is a builder. */
  readonly builderUserId: string | null
  /** Null while the key is good. */
  readonly revokedAtMillis: number | null
}

export type KeyPair = Pick<ApiKey, "publicKey" | "secret">

export type NewApiKey = KeyPair &
  Pick<ApiKey, "userId" | "label" | "permissions" | "scope"> &
  Partial<Pick<ApiKey, "allowedAddresses">>

export type NewBuilderKey = KeyPair & Pick<ApiKey, "userId" | "label"> & { readonly builderUserId: string }

/** When a key was last used, and last named by somebody who was refused; null for what did not happen. */
export type KeyUse = Pick<ApiKey, "publicKey" | "lastUsedAtMillis" | "lastFailedAtMillis">

export class ApiKeyExists extends Schema.TaggedError<ApiKeyExists>()("ApiKeyExists", { publicKey: Schema.String }) {}

/** Keys of one user change one after the other, since each change holds the user's row. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    readonly create: (
      key: NewApiKey
    ) => Effect.Effect<ApiKeySummary, UnknownUser | ApiKeyExists | TooManyApiKeys | DatabaseUnavailable>
    /** Revoked ones too. */
    readonly find: (publicKey: string) => Effect.Effect<Option.Option<ApiKey>, DatabaseUnavailable>
    /** Good ones as they were made, without those that are kept from the user. */
    readonly ofUser: (userId: string) => Effect.Effect<ReadonlyArray<ApiKeySummary>, DatabaseUnavailable>
    readonly rename: (
      userId: string,
      publicKey: string,
      label: string
    ) => Effect.Effect<void, UnknownUser | UnknownApiKey | DatabaseUnavailable>
    /** True, and announced, when it was good until now; a key that is kept from the user is theirs to revoke too. */
    readonly revoke: (
      userId: string,
      publicKey: string
    ) => Effect.Effect<boolean, UnknownUser | UnknownApiKey | DatabaseUnavailable>
    /** Another pair in its place that permits the same; the old one is revoked and announced. */
    readonly rotate: (
      userId: string,
      publicKey: string,
      next: KeyPair
    ) => Effect.Effect<ApiKeySummary, UnknownUser | UnknownApiKey | ApiKeyExists | DatabaseUnavailable>
    /**
     * The one key of this user and builder from now on. An earlier one is deleted, whatever its label, and announced;
     * the answer is its public name.
     */
    readonly replaceBuilderKey: (
      key: NewBuilderKey
    ) => Effect.Effect<Option.Option<string>, UnknownUser | ApiKeyExists | DatabaseUnavailable>
    /**
     * Whose key it is. A change is announced, so that what is remembered of the key is asked anew; the key stays good.
     * One that was revoked is unknown.
     */
    readonly setPermission: (
      publicKey: string,
      permission: Permission,
      granted: boolean
    ) => Effect.Effect<string, UnknownApiKey | DatabaseUnavailable>
    /** Later times stay; keys that are gone are passed over. */
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
      const sql = yield* SqlClient.SqlClient
      const { open, seal } = yield* Seal
      const columns = sql.literal(selected)

      return yield* make({
        transaction: (work) => orUnavailable(sql.withTransaction(work)) as typeof work,
        find: Effect.fnUntraced(function* (publicKey) {
          const [row] = yield* sql<Row>`select ${columns} from api_key where public_key = ${storable(publicKey)}`
          return Option.map(Option.fromUndefinedOr(row), ({ sealedSecret, ...rest }): ApiKey => ({
            ...rest,
            secret: open(sealedSecret, rest.publicKey)
          }))
        }, orUnavailable),
        goodOf: (userId) =>
          orUnavailable(sql<Row>`
            select ${columns} from api_key where user_id = ${storable(userId)} and revoked_at is null
            order by created_at, public_key`),
        insert: Effect.fnUntraced(function* (key) {
          const made = yield* sql`
            insert into api_key (public_key, user_id, label, sealed_secret, permissions, scope, allowed_addresses,
              builder_user_id, created_at)
            values (${storable(key.publicKey)}, ${key.userId}, ${storable(key.label)},
              ${seal(key.secret, key.publicKey)}, ${key.permissions}, ${storable(key.scope)}, ${key.allowedAddresses},
              ${key.builderUserId}, ${new Date(key.createdAtMillis)})
            on conflict (public_key) do nothing returning 1`
          return made.length > 0
        }, orUnavailable),
        relabel: (publicKey, label) =>
          orUnavailable(sql`update api_key set label = ${storable(label)} where public_key = ${publicKey}`),
        permit: (publicKey, permissions) =>
          orUnavailable(sql`update api_key set permissions = ${permissions} where public_key = ${publicKey}`),
        end: (publicKey, atMillis) =>
          orUnavailable(sql`update api_key set revoked_at = ${new Date(atMillis)} where public_key = ${publicKey}`),
        remove: (publicKey) => orUnavailable(sql`delete from api_key where public_key = ${publicKey}`),
        // Locked in one order, or two nodes that note the same keys would wait for each other.
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
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<ApiKeys, never, Users | Revocations> = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const keys = table<ApiKey>()
      const change = (publicKey: string, fields: Partial<ApiKey>) => {
        const key = keys.get(publicKey)
        if (key !== undefined) keys.set(publicKey, { ...key, ...fields })
      }
      return yield* make({
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
        relabel: (publicKey, label) => Effect.sync(() => change(publicKey, { label })),
        permit: (publicKey, permissions) => Effect.sync(() => change(publicKey, { permissions })),
        end: (publicKey, revokedAtMillis) => Effect.sync(() => change(publicKey, { revokedAtMillis })),
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
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

/** What a table of keys must be able to do; the rules are the same for each. */
interface Table {
  readonly transaction: <A, E, R>(
    work: Effect.Effect<A, E | DatabaseUnavailable, R>
  ) => Effect.Effect<A, E | DatabaseUnavailable, R>
  readonly find: ApiKeys["Service"]["find"]
  readonly goodOf: (userId: string) => Effect.Effect<ReadonlyArray<Omit<ApiKey, "secret">>, DatabaseUnavailable>
  /** False when the public key is taken. */
  readonly insert: (key: ApiKey) => Effect.Effect<boolean, DatabaseUnavailable>
  readonly relabel: (publicKey: string, label: string) => Effect.Effect<unknown, DatabaseUnavailable>
  readonly permit: (
    publicKey: string,
    permissions: ReadonlyArray<string>
  ) => Effect.Effect<unknown, DatabaseUnavailable>
  readonly end: (publicKey: string, atMillis: number) => Effect.Effect<unknown, DatabaseUnavailable>
  readonly remove: (publicKey: string) => Effect.Effect<unknown, DatabaseUnavailable>
  readonly noteUses: (uses: ReadonlyArray<KeyUse>) => Effect.Effect<unknown, DatabaseUnavailable>
}

interface Row extends Omit<ApiKey, "secret"> {
  readonly sealedSecret: Uint8Array
}

const make = Effect.fnUntraced(function* (table: Table) {
  const users = yield* Users
  const revocations = yield* Revocations

  const insert = Effect.fnUntraced(function* (
    key: Omit<ApiKey, "createdAtMillis" | "lastUsedAtMillis" | "lastFailedAtMillis" | "revokedAtMillis">
  ) {
    const createdAtMillis = yield* Clock.currentTimeMillis
    const made = { ...key, createdAtMillis, lastUsedAtMillis: null, lastFailedAtMillis: null, revokedAtMillis: null }
    if (!(yield* table.insert(made))) return yield* new ApiKeyExists({ publicKey: key.publicKey })
    return summaryOf(made)
  })
  /** Locks the user's row. */
  const keyOf = Effect.fnUntraced(function* (userId: string, publicKey: string) {
    yield* users.lock(userId)
    const key = Option.filter(yield* table.find(publicKey), (key) => key.userId === userId)
    return Option.isSome(key) ? key.value : yield* new UnknownApiKey({ publicKey })
  })
  const changeable = Effect.fnUntraced(function* (userId: string, publicKey: string) {
    const key = yield* keyOf(userId, publicKey)
    return key.revokedAtMillis === null && !isReservedLabel(key.label) ? key : yield* new UnknownApiKey({ publicKey })
  })
  const announce = (publicKey: string) => revocations.announce({ kind: "key", subject: publicKey })
  const end = Effect.fnUntraced(function* (publicKey: string) {
    yield* table.end(publicKey, yield* Clock.currentTimeMillis)
    yield* announce(publicKey)
  })

  return ApiKeys.of({
    find: table.find,
    create: Effect.fn("ApiKeys.create")(function* (key: NewApiKey) {
      yield* users.lock(key.userId)
      const own = (yield* table.goodOf(key.userId)).filter(({ builderUserId }) => builderUserId === null)
      if (own.length >= maxApiKeys) return yield* new TooManyApiKeys({ limit: maxApiKeys })
      return yield* insert({ allowedAddresses: [], ...key, builderUserId: null })
    }, table.transaction),
    ofUser: Effect.fn("ApiKeys.ofUser")(function* (userId: string) {
      return (yield* table.goodOf(userId)).filter(({ label }) => !isReservedLabel(label)).map(summaryOf)
    }),
    rename: Effect.fn("ApiKeys.rename")(function* (userId: string, publicKey: string, label: string) {
      yield* changeable(userId, publicKey)
      yield* table.relabel(publicKey, label)
    }, table.transaction),
    revoke: Effect.fn("ApiKeys.revoke")(function* (userId: string, publicKey: string) {
      const { revokedAtMillis } = yield* keyOf(userId, publicKey)
      if (revokedAtMillis === null) yield* end(publicKey)
      return revokedAtMillis === null
    }, table.transaction),
    rotate: Effect.fn("ApiKeys.rotate")(function* (userId: string, publicKey: string, next: KeyPair) {
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
      yield* insert({ ...key, permissions: ofBuilderKey, scope: key.userId, allowedAddresses: [] })
      return Option.fromUndefinedOr(old)
    }, table.transaction),
    setPermission: Effect.fn("ApiKeys.setPermission")(
      function* (publicKey: string, permission: Permission, granted: boolean) {
        const found = yield* table.find(publicKey)
        if (Option.isNone(found)) return yield* new UnknownApiKey({ publicKey })
        const { permissions, revokedAtMillis, userId } = yield* keyOf(found.value.userId, publicKey)
        if (revokedAtMillis !== null) return yield* new UnknownApiKey({ publicKey })
        if (permissions.includes(permission) === granted) return userId
        const others = permissions.filter((name) => name !== permission)
        yield* table.permit(publicKey, granted ? [...others, permission] : others)
        yield* announce(publicKey)
        return userId
      },
      // Users are never deleted, so whoever has a key is known.
      Effect.catchTag("UnknownUser", Effect.die),
      table.transaction
    ),
    noteUses: Effect.fn("ApiKeys.noteUses")((uses: ReadonlyArray<KeyUse>) =>
      Effect.asVoid(table.transaction(table.noteUses(uses)))
    )
  })
})

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

const later = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.max(one, other)

const selected = [
  'public_key as "publicKey", user_id as "userId", label, permissions, scope',
  'sealed_secret as "sealedSecret", allowed_addresses as "allowedAddresses", builder_user_id as "builderUserId"',
  `${millis("created_at")} as "createdAtMillis", ${millis("revoked_at")} as "revokedAtMillis"`,
  `${millis("last_used_at")} as "lastUsedAtMillis", ${millis("last_failed_at")} as "lastFailedAtMillis"`
].join(", ")
