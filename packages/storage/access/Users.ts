/** Users and their accounts. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import { JournalRows } from "@venue/journal/JournalMemory"
import { of, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

export const userTable = Table.make("venue_user", {
  userId: of("text", UserId),
  name: text,
  createdAtMillis: timestamptz
})
export type User = Table.Row<typeof userTable>

const accountTable = Table.make("account", {
  accountId: of("text", AccountId),
  userId: of("text", UserId),
  openedAtMillis: timestamptz
})
export type Account = Table.Row<typeof accountTable>
const owners = accountTable.pick("userId")

export class UnknownUser extends Schema.TaggedError<UnknownUser>()("UnknownUser", { userId: UserId }) {}

export class Users extends Context.Service<
  Users,
  {
    /** Creates a user and the user's primary account, which has the same id. Idempotent. */
    readonly create: (user: Pick<User, "userId" | "name">) => Effect.Effect<void, DatabaseUnavailable>
    readonly find: (userId: UserId) => Effect.Effect<Option.Option<User>, DatabaseUnavailable>
    /** Locks the user's row until the transaction ends. Rows that reference the user can still be written. */
    readonly lock: (userId: UserId) => Effect.Effect<void, UnknownUser | DatabaseUnavailable>
    /** Returns a user's few accounts in the order in which they were opened, the primary account first. */
    readonly accounts: (userId: UserId) => Effect.Effect<ReadonlyArray<Account>, DatabaseUnavailable>
    /** Returns the users with exactly this name, the oldest first; at most 100. */
    readonly named: (name: string) => Effect.Effect<ReadonlyArray<User>, DatabaseUnavailable>
    readonly ownerOf: (accountId: AccountId) => Effect.Effect<Option.Option<UserId>, DatabaseUnavailable>
  }
>()("@venue/storage/access/Users") {
  static readonly layer: Layer.Layer<Users, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Users,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const ownerOf = Effect.fn("Users.ownerOf")(function* (accountId: AccountId) {
        const owner = yield* owners.first(sql`
          select ${owners.columns} from account where account_id = ${storable(accountId)}`)
        return Option.map(owner, ({ userId }) => userId)
      }, orUnavailable)

      return Users.of({
        ownerOf,
        create: Effect.fn("Users.create")(
          function* ({ name, userId }: Pick<User, "userId" | "name">) {
            const createdAtMillis = yield* Clock.currentTimeMillis
            yield* sql`
              insert into venue_user ${userTable.values({ userId, name, createdAtMillis })} on conflict do nothing`
            const primary = { accountId: primaryAccountOf(userId), userId, openedAtMillis: createdAtMillis }
            yield* sql`insert into account ${accountTable.values(primary)} on conflict do nothing`
          },
          sql.withTransaction,
          orUnavailable
        ),
        find: Effect.fn("Users.find")(
          (userId: UserId) =>
            userTable.first(sql`select ${userTable.columns} from venue_user where user_id = ${storable(userId)}`),
          orUnavailable
        ),
        lock: Effect.fn("Users.lock")(function* (userId: UserId) {
          // `no key update` blocks other lockers, but not inserts of rows that reference the user.
          const locked = yield* sql`
            select 1 from venue_user where user_id = ${storable(userId)} for no key update`
          if (locked.length === 0) return yield* new UnknownUser({ userId })
        }, orUnavailable),
        named: Effect.fn("Users.named")(
          (name: string) =>
            userTable.all(sql`
              select ${userTable.columns} from venue_user
              where name = ${storable(name)} order by created_at, user_id limit ${maxNamed}`),
          orUnavailable
        ),
        accounts: Effect.fn("Users.accounts")(
          (userId: UserId) =>
            accountTable.all(sql`
              select ${accountTable.columns} from account
              where user_id = ${storable(userId)}
              order by account_id <> user_id, opened_at, account_id`),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  /** Reads accounts other than primary ones from the in-memory journal, which records when they are opened. */
  static readonly layerMemory: Layer.Layer<Users> = Layer.effect(
    Users,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const { accounts } = yield* JournalRows
      const users = table<User>()
      const primaryOf = ({ createdAtMillis, userId }: User): Account => ({
        accountId: primaryAccountOf(userId),
        userId,
        openedAtMillis: createdAtMillis
      })

      return Users.of({
        create: ({ name, userId }) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (createdAtMillis) => {
              if (users.get(userId) === undefined) users.set(userId, { userId, name, createdAtMillis })
            })
          ),
        find: (userId) => Effect.sync(() => Option.fromUndefinedOr(users.get(userId))),
        lock: (userId) =>
          Effect.suspend(() =>
            users.get(userId) === undefined ? Effect.fail(new UnknownUser({ userId })) : Effect.void
          ),
        accounts: (userId) =>
          Effect.sync(() => {
            const user = users.get(userId)
            const opened = [...accounts.values()]
              .filter((account) => account.userId === userId)
              .sort((a, b) => a.openedAtMillis - b.openedAtMillis || (a.accountId < b.accountId ? -1 : 1))
            return user === undefined ? opened : [primaryOf(user), ...opened]
          }),
        named: (name) =>
          Effect.sync(() =>
            users
              .rows()
              .filter((user) => user.name === name)
              .toSorted((a, b) => a.createdAtMillis - b.createdAtMillis || (a.userId < b.userId ? -1 : 1))
              .slice(0, maxNamed)
          ),
        ownerOf: (accountId) =>
          Effect.sync(() => Option.fromUndefinedOr((users.get(accountId) ?? accounts.get(accountId))?.userId))
      })
    })
  ).pipe(Layer.provide([MemoryTables.layer, JournalRows.layer]))
}

const maxNamed = 100
