/** Sessions and their refresh tokens. */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { boolean, of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Assurance, Methods } from "./Assurance.ts"
import * as RefreshTokens from "./RefreshTokens.ts"
import type { RefreshToken } from "./RefreshTokens.ts"
import { Revocations } from "./Revocations.ts"

const sessionTable = Table.make("session", {
  sessionId: text,
  userId: of("text", UserId),
  /** Application that acts for the user, or null for the user's own session. */
  clientId: orNull(text),
  /** True if the application has no secret. */
  publicClient: boolean,
  /** Scopes granted to the application, space-separated. */
  scope: orNull(text),
  aal: of("text", Assurance),
  /** The user's authentication methods, latest first. */
  amr: of("jsonb", Methods),
  createdAtMillis: timestamptz,
  refreshedAtMillis: timestamptz,
  /** Set when the session begins; a refresh does not extend it. */
  expiresAtMillis: timestamptz,
  endedAtMillis: orNull(timestamptz)
})
export type Session = Table.Row<typeof sessionTable>
const ids = sessionTable.pick("sessionId")

export type NewSession = Omit<Session, "createdAtMillis" | "refreshedAtMillis" | "endedAtMillis">

export class SessionEnded extends Schema.TaggedError<SessionEnded>()("SessionEnded", { sessionId: Schema.String }) {}

/** Another transaction held the lock on the session for 5 s. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", { sessionId: Schema.String }) {}

export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Begins a session with its first refresh token, generation 1. If the user has more than 100 sessions, ends the
     * least recently used ones, so that the time to end all of them is bounded.
     */
    readonly begin: (session: NewSession, first: Redacted.Redacted) => Effect.Effect<void, DatabaseUnavailable>
    /** Returns a live or ended session, until a month after its expiry. */
    readonly find: (sessionId: string) => Effect.Effect<Option.Option<Session>, DatabaseUnavailable>
    /** Returns the user's live sessions, ordered by id. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<Session>, DatabaseUnavailable>
    /** Returns a session and locks it until the end of the transaction; waits at most 5 s for the lock. */
    readonly lock: (sessionId: string) => Effect.Effect<Option.Option<Session>, SessionBusy | DatabaseUnavailable>
    /** Returns the user's live sessions, ordered by id, and locks them until the end of the transaction. */
    readonly lockOfUser: (userId: UserId) => Effect.Effect<ReadonlyArray<Session>, DatabaseUnavailable>
    /** Ends sessions and announces each session that was live. */
    readonly end: (sessionIds: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
    /** Ends at most `limit` of all live sessions and announces each. Returns the number of ended sessions. */
    readonly endSome: (limit: number) => Effect.Effect<number, DatabaseUnavailable>
    /** Ends all of an application's sessions with one announcement. */
    readonly endOfClient: (clientId: string) => Effect.Effect<void, DatabaseUnavailable>
    readonly prove: (sessionId: string, proof: Pick<Session, "aal" | "amr">) => Effect.Effect<void, DatabaseUnavailable>
    readonly findToken: (token: Redacted.Redacted) => Effect.Effect<Option.Option<RefreshToken>, DatabaseUnavailable>
    /** Returns a session's valid token; an unknown session is a defect. */
    readonly newestToken: (sessionId: string) => Effect.Effect<RefreshToken, DatabaseUnavailable>
    /** Returns whether the session ever had a token with this generation. */
    readonly hasGeneration: (sessionId: string, generation: number) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Stores a locked session's next token, which becomes its only valid one. */
    readonly issue: (token: Redacted.Redacted, place: RefreshToken) => Effect.Effect<void, DatabaseUnavailable>
    /** Records a refresh without a new token, so that the session does not expire as idle. */
    readonly touch: (sessionId: string) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/access/Sessions") {
  static readonly layer: Layer.Layer<Sessions, MigrationError | SqlError, SqlClient.SqlClient | Revocations> =
    Layer.effect(
      Sessions,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ends = ending(sql, yield* Revocations)
        return Sessions.of({
          ...reading(sql),
          ...ends,
          ...refreshing(sql, ends.end),
          prove: Effect.fn("Sessions.prove")(function* (sessionId: string, { aal, amr }: Pick<Session, "aal" | "amr">) {
            yield* sql`update session set ${sessionTable.set({ aal, amr })} where session_id = ${sessionId}`
          }, orUnavailable)
        })
      })
    ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Sessions, never, Revocations> = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const { table, transaction } = memory
      const revocations = yield* Revocations
      const sessions = table<Session>()
      const tokens = RefreshTokens.inMemory(memory)

      const find = (sessionId: string) => Effect.sync(() => Option.fromUndefinedOr(sessions.get(sessionId)))
      const change = (sessionId: string, fields: Partial<Session>) => {
        const session = sessions.get(sessionId)
        if (session !== undefined) sessions.set(sessionId, { ...session, ...fields })
      }
      const ofUser = (userId: UserId) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          sessions
            .rows()
            .filter(
              (session) => session.userId === userId && session.endedAtMillis === null && session.expiresAtMillis > now
            )
            .toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1))
        )
      const end = Effect.fnUntraced(function* (sessionIds: ReadonlyArray<string>) {
        const endedAtMillis = yield* Clock.currentTimeMillis
        for (const sessionId of sessionIds) {
          if (sessions.get(sessionId)?.endedAtMillis !== null) continue
          change(sessionId, { endedAtMillis })
          yield* revocations.announce({ kind: "session", subject: sessionId })
        }
      }, transaction)

      return Sessions.of({
        begin: Effect.fnUntraced(function* (begun: NewSession, first: Redacted.Redacted) {
          const now = yield* Clock.currentTimeMillis
          const { sessionId, userId } = begun
          const others = (yield* ofUser(userId)).toSorted(
            (a, b) => b.refreshedAtMillis - a.refreshedAtMillis || b.createdAtMillis - a.createdAtMillis
          )
          sessions.set(sessionId, { ...begun, createdAtMillis: now, refreshedAtMillis: now, endedAtMillis: null })
          tokens.add(first, firstOf(sessionId))
          yield* end(others.slice(maxLive - 1).map((session) => session.sessionId))
        }, transaction),
        find,
        ofUser,
        lock: find,
        lockOfUser: ofUser,
        end,
        endSome: Effect.fnUntraced(function* (limit: number) {
          const now = yield* Clock.currentTimeMillis
          const live = sessions
            .rows()
            .filter(({ endedAtMillis, expiresAtMillis }) => endedAtMillis === null && expiresAtMillis > now)
            .slice(0, limit)
          yield* end(live.map(({ sessionId }) => sessionId))
          return live.length
        }, transaction),
        endOfClient: Effect.fnUntraced(function* (clientId: string) {
          const endedAtMillis = yield* Clock.currentTimeMillis
          for (const session of sessions.rows()) {
            const { expiresAtMillis, sessionId } = session
            if (session.clientId !== clientId || session.endedAtMillis !== null || expiresAtMillis <= endedAtMillis)
              continue
            change(sessionId, { endedAtMillis })
          }
          yield* revocations.announce({ kind: "client", subject: clientId })
        }, transaction),
        prove: (sessionId, { aal, amr }) => transaction(Effect.sync(() => change(sessionId, { aal, amr }))),
        findToken: tokens.find,
        newestToken: tokens.newest,
        hasGeneration: tokens.hasGeneration,
        issue: Effect.fnUntraced(function* (token: Redacted.Redacted, place: RefreshToken) {
          const now = yield* Clock.currentTimeMillis
          tokens.add(token, place)
          change(place.sessionId, { refreshedAtMillis: now })
        }, transaction),
        touch: (sessionId) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (refreshedAtMillis) => change(sessionId, { refreshedAtMillis }))
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const lockTimeout = "5s"
/** Time for which a session is kept after its expiry, so that its tokens are rejected with the right reason. */
const keptMillis = 30 * 24 * 60 * 60 * 1000
const maxPruned = 4
const maxLive = 100

const firstOf = (sessionId: string): RefreshToken => ({ sessionId, generation: 1, salt: new Uint8Array() })

const isLockTimeout = (error: SqlError): boolean => isSqlError(error) && error.reason._tag === "LockTimeoutError"

const reading = (sql: SqlClient.SqlClient) => {
  const byId = (sessionId: string) =>
    sql`select ${sessionTable.columns} from session where session_id = ${storable(sessionId)}`
  const liveOf = Effect.fnUntraced(function* (userId: UserId, locking: "" | "for update") {
    const at = new Date(yield* Clock.currentTimeMillis)
    return yield* sessionTable.all(sql`
      select ${sessionTable.columns} from session
      where user_id = ${storable(userId)} and ended_at is null and expires_at > ${at}
      order by session_id ${sql.literal(locking)}`)
  }, orUnavailable)
  return {
    find: Effect.fn("Sessions.find")((sessionId: string) => sessionTable.first(byId(sessionId)), orUnavailable),
    ofUser: Effect.fn("Sessions.ofUser")((userId: UserId) => liveOf(userId, "")),
    lock: Effect.fn("Sessions.lock")(function* (sessionId: string) {
      // The short lock timeout applies until the end of the transaction.
      yield* sql`select set_config('lock_timeout', ${lockTimeout}, true)`
      return yield* Effect.catchIf(sessionTable.first(sql`${byId(sessionId)} for update`), isLockTimeout, () =>
        Effect.fail(new SessionBusy({ sessionId }))
      )
    }, orUnavailable),
    lockOfUser: Effect.fn("Sessions.lockOfUser")((userId: UserId) => liveOf(userId, "for update"))
  }
}

/** Locks the rows in a fixed order, because two callers that end the same sessions could otherwise deadlock. */
const ending = (sql: SqlClient.SqlClient, revocations: Revocations["Service"]) => ({
  end: Effect.fn("Sessions.end")(
    function* (sessionIds: ReadonlyArray<string>) {
      const at = new Date(yield* Clock.currentTimeMillis)
      const ended = yield* ids.all(sql`
        with live as (
          select session_id from session
          where session_id = any(${sessionIds.map(storable)}) and ended_at is null
          order by session_id for update
        )
        update session set ended_at = ${at} from live
        where session.session_id = live.session_id returning ${ids.columns}`)
      for (const { sessionId } of ended) yield* revocations.announce({ kind: "session", subject: sessionId })
    },
    sql.withTransaction,
    orUnavailable
  ),
  endSome: Effect.fn("Sessions.endSome")(
    function* (limit: number) {
      const at = new Date(yield* Clock.currentTimeMillis)
      const ended = yield* ids.all(sql`
        with live as (
          select session_id from session where ended_at is null and expires_at > ${at}
          order by session_id limit ${limit} for update
        )
        update session set ended_at = ${at} from live
        where session.session_id = live.session_id returning ${ids.columns}`)
      for (const { sessionId } of ended) yield* revocations.announce({ kind: "session", subject: sessionId })
      return ended.length
    },
    sql.withTransaction,
    orUnavailable
  ),
  endOfClient: Effect.fn("Sessions.endOfClient")(
    function* (clientId: string) {
      const at = new Date(yield* Clock.currentTimeMillis)
      yield* sql`
        with live as (
          select session_id from session
          where client_id = ${storable(clientId)} and ended_at is null and expires_at > ${at}
          order by session_id for update
        )
        update session set ended_at = ${at} from live where session.session_id = live.session_id`
      yield* revocations.announce({ kind: "client", subject: clientId })
    },
    sql.withTransaction,
    orUnavailable
  )
})

const refreshing = (sql: SqlClient.SqlClient, end: Sessions["Service"]["end"]) => {
  const tokens = RefreshTokens.onSql(sql)

  /**
   * Each new session or token deletes a few expired rows, so that no caller waits for a large deletion. A session
   * with many tokens takes several rounds and is deleted after its last token.
   */
  const prune = Effect.fnUntraced(function* (nowMillis: number) {
    const oldest = yield* ids.all(sql`
      select ${ids.columns} from session where expires_at < ${new Date(nowMillis - keptMillis)}
      order by expires_at limit ${maxPruned} for update skip locked`)
    if (oldest.length === 0) return
    const sessionIds = oldest.map(({ sessionId }) => sessionId)
    yield* tokens.prune(sessionIds)
    yield* sql`
      delete from session where session_id = any(${sessionIds})
        and not exists (select 1 from refresh_token where refresh_token.session_id = session.session_id)`
  })

  const refreshedAt = (sessionId: string, refreshedAtMillis: number) =>
    sql`update session set ${sessionTable.set({ refreshedAtMillis })} where session_id = ${sessionId}`

  return {
    begin: Effect.fn("Sessions.begin")(
      function* (begun: NewSession, first: Redacted.Redacted) {
        const now = yield* Clock.currentTimeMillis
        const { sessionId, userId } = begun
        yield* sql`
          insert into session ${sessionTable.values({ ...begun, createdAtMillis: now, refreshedAtMillis: now })}`
        yield* tokens.add(first, firstOf(sessionId), now)
        const surplus = yield* ids.all(sql`
          select ${ids.columns} from session
          where user_id = ${userId} and ended_at is null and expires_at > ${new Date(now)}
            and session_id <> ${sessionId}
          order by refreshed_at desc, created_at desc, session_id offset ${maxLive - 1}`)
        if (surplus.length > 0) yield* end(surplus.map((session) => session.sessionId))
        yield* prune(now)
      },
      sql.withTransaction,
      orUnavailable
    ),
    issue: Effect.fn("Sessions.issue")(
      function* (text: Redacted.Redacted, place: RefreshToken) {
        const now = yield* Clock.currentTimeMillis
        yield* tokens.add(text, place, now)
        yield* refreshedAt(place.sessionId, now)
        yield* prune(now)
      },
      sql.withTransaction,
      orUnavailable
    ),
    touch: Effect.fn("Sessions.touch")(function* (sessionId: string) {
      yield* refreshedAt(sessionId, yield* Clock.currentTimeMillis)
    }, orUnavailable),
    findToken: Effect.fn("Sessions.findToken")(tokens.find, orUnavailable),
    newestToken: Effect.fn("Sessions.newestToken")(tokens.newest, orUnavailable),
    hasGeneration: Effect.fn("Sessions.hasGeneration")(tokens.hasGeneration, orUnavailable)
  }
}
