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

const shown = profileTable.pick("userId", "username", "avatarUrl")
/** What everybody may see of a user who chose to be public. */
export type PublicProfile = Table.Row<typeof shown>

export interface ShownPage {
  readonly after?: UserId | undefined
  readonly limit: number
}

export class UsernameTaken extends Schema.TaggedError<UsernameTaken>()("UsernameTaken", { username: Schema.String }) {}

export class Profiles extends Context.Service<
  Profiles,
  {
    /** Who has said nothing yet has an empty one. */
    readonly find: (userId: UserId) => Effect.Effect<Profile, DatabaseUnavailable>
    /** Profiles of public users in the order of their ids, those after `after`, at most `limit`. */
    readonly shown: (page: ShownPage) => Effect.Effect<ReadonlyArray<PublicProfile>, DatabaseUnavailable>
    /** Profiles of the public users among these. */
    readonly shownOf: (
      userIds: ReadonlyArray<UserId>
    ) => Effect.Effect<ReadonlyArray<PublicProfile>, DatabaseUnavailable>
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
        shown: Effect.fn("Profiles.shown")(
          ({ after = UserId.make(""), limit }: ShownPage) =>
            shown.all(sql`
              select ${shown.columns} from profile
              where is_public and user_id > ${storable(after)} order by user_id limit ${limit}`),
          orUnavailable
        ),
        shownOf: Effect.fn("Profiles.shownOf")(
          (userIds: ReadonlyArray<UserId>) =>
            userIds.length === 0
              ? Effect.succeed([])
              : shown.all(
                  sql`
                    select ${shown.columns} from profile
                    where is_public and user_id in ${sql.in(userIds.map(storable))} order by user_id`.unprepared
                ),
          orUnavailable
        ),
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
      const users = table<UserId>()
      const allShown = (userIds: Iterable<UserId>): ReadonlyArray<PublicProfile> =>
        [...userIds]
          .flatMap((userId) => {
            const { avatarUrl, isPublic, username } = profiles.get(userId) ?? empty
            return isPublic ? [{ userId, username, avatarUrl }] : []
          })
          .toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
      return Profiles.of({
        find: (userId) => Effect.sync(() => profiles.get(userId) ?? empty),
        shown: ({ after = "", limit }) =>
          Effect.sync(() =>
            allShown(users.rows())
              .filter(({ userId }) => userId > after)
              .slice(0, limit)
          ),
        shownOf: (userIds) => Effect.sync(() => allShown(new Set(userIds))),
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
          users.set(userId, userId)
          return after
        }, transaction)
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const empty: Profile = { username: null, avatarUrl: null, isPublic: false, firstName: null, lastName: null }

/** The table holds no other thing that may be there once. */
const isTaken = (error: SqlError): boolean => error.reason._tag === "UniqueViolation"
