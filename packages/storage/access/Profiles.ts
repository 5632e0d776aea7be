/** A profile tells what a user is called, in public and by their documents. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { boolean, of, orNull, storable, text } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const profileTable = Table.make("profile", {
  userId: of("text", UserId),
  /** It is public, and nobody else has it. */
  username: orNull(text),
  avatarUrl: orNull(text),
  isPublic: boolean,
  /** These two come from the identity provider, and only the user sees them. */
  firstName: orNull(text),
  lastName: orNull(text)
})
const profiles = profileTable.pick("username", "avatarUrl", "isPublic", "firstName", "lastName")
export type Profile = Table.Row<typeof profiles>

export class UsernameTaken extends Schema.TaggedError<UsernameTaken>()("UsernameTaken", { username: Schema.String }) {}

export class Profiles extends Context.Service<
  Profiles,
  {
    /** Who has said nothing yet has an empty one. */
    readonly find: (userId: UserId) => Effect.Effect<Profile, DatabaseUnavailable>
    /** What is left out stays as it is. The user must be there. */
    readonly change: (
      userId: UserId,
      change: Partial<Profile>
    ) => Effect.Effect<Profile, UsernameTaken | DatabaseUnavailable>
  }
>()("@venue/storage/access/Profiles") {
  static readonly layer: Layer.Layer<Profiles, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Profiles,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = (userId: UserId) =>
        profiles.first(sql`select ${profiles.columns} from profile where user_id = ${storable(userId)}`)
      return Profiles.of({
        find: Effect.fn("Profiles.find")(function* (userId: UserId) {
          return Option.getOrElse(yield* find(userId), () => empty)
        }, orUnavailable),
        change: Effect.fn("Profiles.change")(
          function* (userId: UserId, change: Partial<Profile>) {
            yield* sql`insert into profile ${profileTable.values({ userId })} on conflict do nothing`
            if (Object.keys(change).length > 0) {
              yield* sql`update profile set ${profileTable.set(change)} where user_id = ${userId}`
            }
            return Option.getOrThrow(yield* find(userId))
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
        change: Effect.fnUntraced(function* (userId: UserId, change: Partial<Profile>) {
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
