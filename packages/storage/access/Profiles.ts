/** User profiles: a public username, and the legal name for documents. */
import { Context, Effect, Option, Schema, Struct } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { boolean, of, orNull, text } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"

const profileTable = Table.make("profile", {
  userId: of("text", UserId),
  /** Public and unique. */
  username: orNull(text),
  avatarUrl: orNull(text),
  isPublic: boolean,
  /** First and last name come from the identity provider and are visible only to the user. */
  firstName: orNull(text),
  lastName: orNull(text)
})
type Row = Table.Row<typeof profileTable>
export type Profile = Omit<Row, "userId">

/** The part of a profile that is public if the user chose so. */
export type PublicProfile = Pick<Row, "userId" | "username" | "avatarUrl">

export interface ShownPage {
  readonly after?: UserId | undefined
  readonly limit: number
}

export class UsernameTaken extends Schema.TaggedError<UsernameTaken>()("UsernameTaken", { username: Schema.String }) {}

export class Profiles extends Context.Service<
  Profiles,
  {
    /** Returns a user's profile, which is empty if the user has no row. */
    readonly find: (userId: UserId) => Effect.Effect<Profile, DatabaseUnavailable>
    /** Returns the user with this username. */
    readonly userOf: (username: string) => Effect.Effect<Option.Option<UserId>, DatabaseUnavailable>
    /** Returns at most `limit` public profiles with user ids above `after`, ordered by id. */
    readonly shown: (page: ShownPage) => Effect.Effect<ReadonlyArray<PublicProfile>, DatabaseUnavailable>
    /** Returns the public profiles among these users, ordered by id. */
    readonly shownOf: (
      userIds: ReadonlyArray<UserId>
    ) => Effect.Effect<ReadonlyArray<PublicProfile>, DatabaseUnavailable>
    /** Updates the given fields of an existing user's profile. */
    readonly change: (
      userId: UserId,
      change: Partial<Profile>
    ) => Effect.Effect<Profile, UsernameTaken | DatabaseUnavailable>
  }
>()("@venue/storage/access/Profiles") {
  static readonly layer = Store.layer(Profiles, () => make)
  static readonly layerMemory = Store.layerMemory(Profiles, () => make)
}

const make = Effect.gen(function* () {
  const profiles = yield* Store.make(profileTable, { key: ["userId"] })
  return Profiles.of({
    find: Effect.fn("Profiles.find")(function* (userId: UserId) {
      return Option.match(yield* profiles.find({ userId }), { onNone: () => empty, onSome: profileOf })
    }),
    userOf: Effect.fn("Profiles.userOf")((username: string) =>
      Effect.map(
        profiles.find({ username }),
        Option.map(({ userId }) => userId)
      )
    ),
    shown: Effect.fn("Profiles.shown")(function* ({ after = UserId.make(""), limit }: ShownPage) {
      return (yield* profiles.list({ isPublic: true, userId: Store.above(after) }, limit)).map(shownOf)
    }),
    shownOf: Effect.fn("Profiles.shownOf")(function* (userIds: ReadonlyArray<UserId>) {
      if (userIds.length === 0) return []
      return (yield* profiles.list({ isPublic: true, userId: Store.oneOf(userIds) })).map(shownOf)
    }),
    change: Effect.fn("Profiles.change")(
      function* (userId: UserId, change: Partial<Profile>) {
        const { username = null } = change
        const owner = username === null ? Option.none() : yield* profiles.find({ username })
        if (username !== null && Option.isSome(owner) && owner.value.userId !== userId) {
          return yield* new UsernameTaken({ username })
        }
        const changed = yield* profiles.modify({ userId }, (before) => ({ ...empty, ...before, ...change, userId }))
        return profileOf(Option.getOrThrow(changed))
      },
      // Another user might take the name between the look-up and the update.
      (change, _, { username }) =>
        Effect.catchIf(change, isTaken, () => Effect.fail(new UsernameTaken({ username: username ?? "" })))
    )
  })
})

const empty: Profile = { username: null, avatarUrl: null, isPublic: false, firstName: null, lastName: null }

const profileOf = (row: Row): Profile => Struct.omit(row, ["userId"])

const shownOf = ({ avatarUrl, userId, username }: Row): PublicProfile => ({ userId, username, avatarUrl })

/** Only the username can cause a unique key error, because no other column is unique. */
const isTaken = (error: UsernameTaken | DatabaseUnavailable): error is DatabaseUnavailable =>
  error._tag === "DatabaseUnavailable" && isSqlError(error.cause) && error.cause.reason._tag === "UniqueViolation"
