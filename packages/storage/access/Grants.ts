/** Users grant scopes to applications. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { of, storable, text, textArray, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const grantTable = Table.make("oauth_grant", {
  userId: of("text", UserId),
  clientId: text,
  /** They are in alphabetical order. */
  scopes: textArray,
  /** The user consented then for the last time. */
  grantedAtMillis: timestamptz
})
export type Grant = Table.Row<typeof grantTable>

export class Grants extends Context.Service<
  Grants,
  {
    /** Adds to what was granted before. */
    readonly give: (grant: Omit<Grant, "grantedAtMillis">) => Effect.Effect<void, DatabaseUnavailable>
    readonly find: (userId: UserId, clientId: string) => Effect.Effect<Option.Option<Grant>, DatabaseUnavailable>
    /** The newest come first. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<Grant>, DatabaseUnavailable>
    /** Answers with true when there was one. What it led to is not ended here: see `Consents` in auth. */
    readonly remove: (userId: UserId, clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@venue/storage/access/Grants") {
  static readonly layer: Layer.Layer<Grants, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Grants,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Grants.of({
        give: Effect.fn("Grants.give")(function* ({ clientId, scopes, userId }: Omit<Grant, "grantedAtMillis">) {
          const grantedAtMillis = yield* Clock.currentTimeMillis
          const grant = { userId, clientId, scopes: alphabetical(scopes), grantedAtMillis }
          yield* sql`
            insert into oauth_grant ${grantTable.values(grant)}
            on conflict (user_id, client_id) do update set
              scopes = array(select distinct unnest(oauth_grant.scopes || excluded.scopes) collate "C" order by 1),
              granted_at = excluded.granted_at`
        }, orUnavailable),
        find: Effect.fn("Grants.find")(
          (userId: UserId, clientId: string) =>
            grantTable.first(sql`
              select ${grantTable.columns} from oauth_grant
              where user_id = ${storable(userId)} and client_id = ${storable(clientId)}`),
          orUnavailable
        ),
        ofUser: Effect.fn("Grants.ofUser")(
          (userId: UserId) =>
            grantTable.all(sql`
              select ${grantTable.columns} from oauth_grant where user_id = ${storable(userId)}
              order by granted_at desc, client_id`),
          orUnavailable
        ),
        remove: Effect.fn("Grants.remove")(function* (userId: UserId, clientId: string) {
          const removed = yield* sql`
            delete from oauth_grant
            where user_id = ${storable(userId)} and client_id = ${storable(clientId)} returning 1`
          return removed.length > 0
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Grants> = Layer.effect(
    Grants,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const grants = table<Grant>()
      const keyOf = (userId: UserId, clientId: string) => JSON.stringify([userId, clientId])
      return Grants.of({
        give: ({ clientId, scopes, userId }) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (grantedAtMillis) => {
              const key = keyOf(userId, clientId)
              const all = alphabetical([...(grants.get(key)?.scopes ?? []), ...scopes])
              grants.set(key, { userId, clientId, scopes: all, grantedAtMillis })
            })
          ),
        find: (userId, clientId) => Effect.sync(() => Option.fromUndefinedOr(grants.get(keyOf(userId, clientId)))),
        ofUser: (userId) =>
          Effect.sync(() =>
            grants
              .rows()
              .filter((grant) => grant.userId === userId)
              .toSorted((a, b) => b.grantedAtMillis - a.grantedAtMillis || (a.clientId < b.clientId ? -1 : 1))
          ),
        remove: (userId, clientId) =>
          transaction(
            Effect.sync(() => {
              const key = keyOf(userId, clientId)
              const wasThere = grants.get(key) !== undefined
              grants.delete(key)
              return wasThere
            })
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const alphabetical = (scopes: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(scopes)].toSorted()
