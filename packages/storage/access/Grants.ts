/** Grants: the scopes that a user has allowed an application. */
import { Clock, Context, Effect, type Option } from "effect"
import { UserId } from "@venue/domain/UserId"
import { of, text, textArray, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"

const grantTable = Table.make("oauth_grant", {
  userId: of("text", UserId),
  clientId: text,
  /** In alphabetical order. */
  scopes: textArray,
  /** Time of the user's last consent to this application. */
  grantedAtMillis: timestamptz
})
export type Grant = Table.Row<typeof grantTable>

export class Grants extends Context.Service<
  Grants,
  {
    /** Adds the scopes to those granted before. */
    readonly give: (grant: Omit<Grant, "grantedAtMillis">) => Effect.Effect<void, DatabaseUnavailable>
    readonly find: (userId: UserId, clientId: string) => Effect.Effect<Option.Option<Grant>, DatabaseUnavailable>
    /** Returns the user's grants, newest consent first. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<Grant>, DatabaseUnavailable>
    /** Removes a grant; returns false if no grant existed. Does not end sessions; `Consents` in auth does. */
    readonly remove: (userId: UserId, clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@venue/storage/access/Grants") {
  static readonly layer = Store.layer(Grants, () => make)
  static readonly layerMemory = Store.layerMemory(Grants, () => make)
}

const make = Effect.gen(function* () {
  const grants = yield* Store.make(grantTable, {
    key: ["userId", "clientId"],
    order: { grantedAtMillis: "desc", clientId: "asc" }
  })
  return Grants.of({
    give: Effect.fn("Grants.give")(function* ({ clientId, scopes, userId }) {
      const grantedAtMillis = yield* Clock.currentTimeMillis
      yield* grants.modify({ userId, clientId }, (before) => ({
        userId,
        clientId,
        scopes: alphabetical([...(before?.scopes ?? []), ...scopes]),
        grantedAtMillis
      }))
    }),
    find: Effect.fn("Grants.find")((userId: UserId, clientId: string) => grants.find({ userId, clientId })),
    ofUser: Effect.fn("Grants.ofUser")((userId: UserId) => grants.list({ userId })),
    remove: Effect.fn("Grants.remove")((userId: UserId, clientId: string) => grants.remove({ userId, clientId }))
  })
})

const alphabetical = (scopes: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(scopes)].toSorted()
