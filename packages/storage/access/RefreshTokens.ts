/** Storage of refresh tokens for `Sessions`; only their hashes are stored. */
import { Effect, Option, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { bytea, integer, storable, text, timestamptz } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import type { MemoryTables } from "@venue/postgres/MemoryTables"
import { digestOf, hashOf } from "@venue/postgres/SecretHash"

const tokenTable = Table.make("refresh_token", {
  tokenHash: bytea,
  sessionId: text,
  generation: integer,
  /** Salt with which this token was derived from the previous one. */
  salt: bytea,
  issuedAtMillis: timestamptz
})
const tokens = tokenTable.pick("sessionId", "generation", "salt")
/** A refresh token. Only the token with the highest generation in its session is valid. */
export type RefreshToken = Table.Row<typeof tokens>

export const onSql = (sql: SqlClient.SqlClient) => ({
  add: (text: Redacted.Redacted, token: RefreshToken, issuedAtMillis: number) =>
    sql`insert into refresh_token ${tokenTable.values({ ...token, tokenHash: digest(text), issuedAtMillis })}`,
  find: (text: Redacted.Redacted) =>
    tokens.first(sql`select ${tokens.columns} from refresh_token where token_hash = ${digest(text)}`),
  newest: Effect.fnUntraced(function* (sessionId: string) {
    const newest = yield* tokens.first(sql`
      select ${tokens.columns} from refresh_token
      where session_id = ${storable(sessionId)} order by generation desc limit 1`)
    return Option.isSome(newest) ? newest.value : yield* hasNone(sessionId)
  }),
  hasGeneration: Effect.fnUntraced(function* (sessionId: string, generation: number) {
    const rows = yield* sql`
      select 1 from refresh_token where session_id = ${storable(sessionId)} and generation = ${generation}`
    return rows.length > 0
  }),
  /** Deletes at most 16 tokens of these sessions. */
  prune: (sessionIds: ReadonlyArray<string>) =>
    sql`
      delete from refresh_token where token_hash in (
        select token_hash from refresh_token where session_id = any(${sessionIds}) limit ${maxPruned}
      )`
})

export const inMemory = ({ table }: MemoryTables["Service"]) => {
  const tokens = table<RefreshToken>()
  return {
    add: (text: Redacted.Redacted, token: RefreshToken) => tokens.set(hashOf(text), token),
    find: (text: Redacted.Redacted) => Effect.sync(() => Option.fromUndefinedOr(tokens.get(hashOf(text)))),
    newest: (sessionId: string) =>
      Effect.suspend(() => {
        const newest = tokens.rows().findLast((token) => token.sessionId === sessionId)
        return newest === undefined ? hasNone(sessionId) : Effect.succeed(newest)
      }),
    hasGeneration: (sessionId: string, generation: number) =>
      Effect.sync(() => tokens.rows().some((token) => token.sessionId === sessionId && token.generation === generation))
  }
}

const maxPruned = 16

const digest = (text: Redacted.Redacted) => digestOf(Redacted.value(text))

const hasNone = (sessionId: string) => Effect.die(new Error(`session ${sessionId} has no refresh token`))
