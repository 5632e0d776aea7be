/** The refresh tokens that keep sessions alive, of which only hashes are kept: the part of `Sessions` that knows them. */
import { Effect, Option, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { storable } from "@venue/postgres/Bulk"
import type { MemoryTables } from "@venue/postgres/MemoryTables"
import { digestOf, hashOf } from "@venue/postgres/SecretHash"

/** The one with the highest generation of its session is the one that counts. */
export interface RefreshToken {
  readonly sessionId: string
  readonly generation: number
  /** What its text was derived with from that of its predecessor. */
  readonly salt: Uint8Array
}

export const onSql = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal('session_id as "sessionId", generation, salt')
  return {
    add: (text: Redacted.Redacted, { generation, salt, sessionId }: RefreshToken, issuedAtMillis: number) =>
      sql`
        insert into refresh_token (token_hash, session_id, generation, salt, issued_at)
        values (${digest(text)}, ${sessionId}, ${generation}, ${salt}, ${new Date(issuedAtMillis)})`,
    find: Effect.fnUntraced(function* (text: Redacted.Redacted) {
      const [found] = yield* sql<RefreshToken>`select ${columns} from refresh_token where token_hash = ${digest(text)}`
      return Option.fromUndefinedOr(found)
    }),
    newest: Effect.fnUntraced(function* (sessionId: string) {
      const [newest] = yield* sql<RefreshToken>`
        select ${columns} from refresh_token
        where session_id = ${storable(sessionId)} order by generation desc limit 1`
      return newest ?? (yield* hasNone(sessionId))
    }),
    hasGeneration: Effect.fnUntraced(function* (sessionId: string, generation: number) {
      const found = yield* sql`
        select 1 from refresh_token where session_id = ${storable(sessionId)} and generation = ${generation}`
      return found.length > 0
    }),
    /** A few of those of these sessions. */
    sweep: (sessionIds: ReadonlyArray<string>) =>
      sql`
        delete from refresh_token where token_hash in (
          select token_hash from refresh_token where session_id = any(${sessionIds}) limit ${maxSwept}
        )`
  }
}

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
      Effect.sync(() => tokens.rows().some((one) => one.sessionId === sessionId && one.generation === generation))
  }
}

const maxSwept = 16

const digest = (text: Redacted.Redacted) => digestOf(Redacted.value(text))

const hasNone = (sessionId: string) => Effect.die(new Error(`session ${sessionId} has no refresh token`))
