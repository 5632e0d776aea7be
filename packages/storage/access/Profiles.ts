/** What users are called, in public and by their documents. */
import { Context, Effect, Layer, Schema, String } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { storable } from "@venue/postgres/Bulk"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"

export interface Profile {
  /** Public, and nobody else's. */
  readonly username: string | null
  readonly avatarUrl: string | null
  readonly isPublic: boolean
  /** From the identity provider, for the user alone. */
  readonly firstName: string | null
  readonly lastName: string | null
}

export class UsernameTaken extends Schema.TaggedError<UsernameTaken>()("UsernameTaken", { username: Schema.String }) {}

export class Profiles extends Context.Service<
  Profiles,
  {
    /** An empty one of who has said nothing yet. */
    readonly find: (userId: string) => Effect.Effect<Profile, DatabaseUnavailable>
    /** What is left out stays as it is. The user must be there. */
    readonly change: (
      userId: string,
      change: Partial<Profile>
    ) => Effect.Effect<Profile, UsernameTaken | DatabaseUnavailable>
  }
>()("@venue/storage/access/Profiles") {
  static readonly layer: Layer.Layer<Profiles, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Profiles,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const selected = sql.literal(
        `username, avatar_url as "avatarUrl", is_public as "isPublic", first_name as "firstName", last_name as "lastName"`
      )
      return Profiles.of({
        find: Effect.fn("Profiles.find")(function* (userId: string) {
          const [profile] = yield* sql<Profile>`select ${selected} from profile where user_id = ${storable(userId)}`
          return profile ?? empty
        }, orUnavailable),
        change: Effect.fn("Profiles.change")(
          function* (userId: string, change: Partial<Profile>) {
            yield* sql`insert into profile (user_id) values (${userId}) on conflict do nothing`
            const columns = Object.entries(change).map(([name, value]) => [
              String.camelToSnake(name),
              typeof value === "string" ? storable(value) : value
            ])
            if (columns.length > 0) {
              yield* sql`update profile set ${sql.update(Object.fromEntries(columns))} where user_id = ${userId}`
            }
            const [profile] = yield* sql<Profile>`select ${selected} from profile where user_id = ${userId}`
            return profile!
          },
          sql.withTransaction,
          (change, _, { username }) =>
            Effect.catchIf(change, isTaken, () => Effect.fail(new UsernameTaken({ username: username ?? "" }))),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Profiles> = Layer.effect(
    Profiles,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const profiles = table<Profile>()
      const owners = table<string>()
      return Profiles.of({
        find: (userId) => Effect.sync(() => profiles.get(userId) ?? empty),
        change: Effect.fnUntraced(function* (userId: string, change: Partial<Profile>) {
          const before = profiles.get(userId) ?? empty
          const after = { ...before, ...change }
          if (after.username !== before.username) {
            if (after.username !== null && owners.get(after.username) !== undefined) {
              return yield* new UsernameTaken({ username: after.username })
            }
            if (before.username !== null) owners.delete(before.username)
            if (after.username !== null) owners.set(after.username, userId)
          }
          profiles.set(userId, after)
          return after
        }, transaction)
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const empty: Profile = { username: null, avatarUrl: null, isPublic: false, firstName: null, lastName: null }

/** The table holds no other thing that may be there once. */
const isTaken = (error: SqlError): boolean => error.reason._tag === "UniqueViolation"
