/** Sessions, and what keeps them alive. */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { storable } from "@venue/postgres/Bulk"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { millis } from "@venue/postgres/Millis"
import * as RefreshTokens from "./RefreshTokens.ts"
import type { RefreshToken } from "./RefreshTokens.ts"
import { Revocations } from "./Revocations.ts"

export interface Session {
  readonly sessionId: string
  readonly userId: string
  /** The application that acts for the user; null when they signed in themselves. */
  readonly clientId: string | null
  /** Of an application without a secret of its own. */
  readonly publicClient: boolean
  /** What the user granted the application, space between. */
  readonly scope: string | null
  readonly aal: Assurance
  /** How the user proved themselves, the latest first. */
  readonly amr: ReadonlyArray<Method>
  readonly createdAtMillis: number
  readonly refreshedAtMillis: number
  /** No refresh moves it. */
  readonly expiresAtMillis: number
  readonly endedAtMillis: number | null
}

/** One factor, or two. */
export type Assurance = "aal1" | "aal2"

export interface Method {
  readonly method: string
  /** Unix seconds. */
  readonly timestamp: number
}

export type NewSession = Omit<Session, "createdAtMillis" | "refreshedAtMillis" | "endedAtMillis">

export class SessionEnded extends Schema.TaggedError<SessionEnded>()("SessionEnded", { sessionId: Schema.String }) {}

/** Somebody else had the session for longer than one may wait. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", { sessionId: Schema.String }) {}

export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * With its first refresh token, of generation 1. Who has more than a hundred that are not over loses those that were
     * used longest ago: how long it takes to end all of a user has a bound.
     */
    readonly begin: (session: NewSession, first: Redacted.Redacted) => Effect.Effect<void, DatabaseUnavailable>
    /** Ended ones too, until a month after they expire. */
    readonly find: (sessionId: string) => Effect.Effect<Option.Option<Session>, DatabaseUnavailable>
    /** Those that are not over, in the order of their ids. */
    readonly ofUser: (userId: string) => Effect.Effect<ReadonlyArray<Session>, DatabaseUnavailable>
    /** As it is now; until the end of the transaction nobody else has it. Waits 5 s at most. */
    readonly lock: (sessionId: string) => Effect.Effect<Option.Option<Session>, SessionBusy | DatabaseUnavailable>
    /** As `ofUser`; until the end of the transaction nobody else has them. */
    readonly lockOfUser: (userId: string) => Effect.Effect<ReadonlyArray<Session>, DatabaseUnavailable>
    /** Announces each that was not over already. */
    readonly end: (sessionIds: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
    /** All of an application, announced as one. */
    readonly endOfClient: (clientId: string) => Effect.Effect<void, DatabaseUnavailable>
    readonly prove: (sessionId: string, proof: Pick<Session, "aal" | "amr">) => Effect.Effect<void, DatabaseUnavailable>
    readonly findToken: (token: Redacted.Redacted) => Effect.Effect<Option.Option<RefreshToken>, DatabaseUnavailable>
    /** Dies of a session that never was. */
    readonly newestToken: (sessionId: string) => Effect.Effect<RefreshToken, DatabaseUnavailable>
    /** Whether the session ever had a token of this generation. */
    readonly hasGeneration: (sessionId: string, generation: number) => Effect.Effect<boolean, DatabaseUnavailable>
    /** From now on it is the one that counts. To be said while the session is locked. */
    readonly issue: (token: Redacted.Redacted, place: RefreshToken) => Effect.Effect<void, DatabaseUnavailable>
    /** It was refreshed without a new token, and is not idle. */
    readonly touch: (sessionId: string) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/access/Sessions") {
  static readonly layer: Layer.Layer<Sessions, MigrationError | SqlError, SqlClient.SqlClient | Revocations> =
    Layer.effect(
      Sessions,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const revocations = yield* Revocations
        const session = sql.literal(sessionColumns)
        const tokens = RefreshTokens.onSql(sql)

        /** Until the end of the transaction. */
        const waitBriefly = sql`select set_config('lock_timeout', ${lockTimeout}, true)`

        /**
         * Each that begins, and each token, takes away a few of what is no longer told of. However many tokens an old
         * session has, nobody waits for all of them to be deleted: it goes when they are gone.
         */
        const sweep = Effect.fnUntraced(function* (nowMillis: number) {
          const oldest = yield* sql<Pick<Session, "sessionId">>`
            select session_id as "sessionId" from session where expires_at < ${new Date(nowMillis - toldOfMillis)}
            order by expires_at limit ${maxSwept} for update skip locked`
          if (oldest.length === 0) return
          const ids = oldest.map(({ sessionId }) => sessionId)
          yield* tokens.sweep(ids)
          yield* sql`
            delete from session where session_id = any(${ids})
              and not exists (select 1 from refresh_token where refresh_token.session_id = session.session_id)`
        })

        const end = Effect.fn("Sessions.end")(
          function* (sessionIds: ReadonlyArray<string>) {
            const at = new Date(yield* Clock.currentTimeMillis)
            // Locked in one order, or two that end the same ones would wait for each other.
            const ended = yield* sql<Pick<Session, "sessionId">>`
              with live as (
                select session_id from session
                where session_id = any(${sessionIds.map(storable)}) and ended_at is null
                order by session_id for update
              )
              update session set ended_at = ${at} from live
              where session.session_id = live.session_id returning session.session_id as "sessionId"`
            for (const { sessionId } of ended) yield* revocations.announce({ kind: "session", subject: sessionId })
          },
          sql.withTransaction,
          orUnavailable
        )

        const refreshedAt = (sessionId: string, nowMillis: number) =>
          sql`update session set refreshed_at = ${new Date(nowMillis)} where session_id = ${sessionId}`

        return Sessions.of({
          begin: Effect.fn("Sessions.begin")(
            function* (begun: NewSession, first: Redacted.Redacted) {
              const now = yield* Clock.currentTimeMillis
              const at = new Date(now)
              const { aal, amr, clientId, publicClient, scope, sessionId, userId } = begun
              yield* sql`
              insert into session (session_id, user_id, client_id, public_client, scope, aal, amr,
                created_at, refreshed_at, expires_at)
              values (${sessionId}, ${userId}, ${clientId}, ${publicClient}, ${scope}, ${aal},
                ${JSON.stringify(amr)}::jsonb, ${at}, ${at}, ${new Date(begun.expiresAtMillis)})`
              yield* tokens.add(first, firstOf(sessionId), now)
              const surplus = yield* sql<Pick<Session, "sessionId">>`
              select session_id as "sessionId" from session
              where user_id = ${userId} and ended_at is null and expires_at > ${at} and session_id <> ${sessionId}
              order by refreshed_at desc, created_at desc, session_id offset ${maxLive - 1}`
              if (surplus.length > 0) yield* end(surplus.map((session) => session.sessionId))
              yield* sweep(now)
            },
            sql.withTransaction,
            orUnavailable
          ),
          find: Effect.fn("Sessions.find")(function* (sessionId: string) {
            const [found] = yield* sql<Session>`
            select ${session} from session where session_id = ${storable(sessionId)}`
            return Option.fromUndefinedOr(found)
          }, orUnavailable),
          ofUser: Effect.fn("Sessions.ofUser")(function* (userId: string) {
            const at = new Date(yield* Clock.currentTimeMillis)
            return yield* sql<Session>`
            select ${session} from session
            where user_id = ${storable(userId)} and ended_at is null and expires_at > ${at} order by session_id`
          }, orUnavailable),
          lock: Effect.fn("Sessions.lock")(function* (sessionId: string) {
            yield* waitBriefly
            const [found] = yield* Effect.catchIf(
              sql<Session>`select ${session} from session where session_id = ${storable(sessionId)} for update`,
              isLockTimeout,
              () => Effect.fail(new SessionBusy({ sessionId }))
            )
            return Option.fromUndefinedOr(found)
          }, orUnavailable),
          lockOfUser: Effect.fn("Sessions.lockOfUser")(function* (userId: string) {
            const at = new Date(yield* Clock.currentTimeMillis)
            return yield* sql<Session>`
            select ${session} from session
            where user_id = ${storable(userId)} and ended_at is null and expires_at > ${at}
            order by session_id for update`
          }, orUnavailable),
          end,
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
          ),
          prove: Effect.fn("Sessions.prove")(function* (sessionId: string, { aal, amr }: Pick<Session, "aal" | "amr">) {
            yield* sql`
            update session set aal = ${aal}, amr = ${JSON.stringify(amr)}::jsonb where session_id = ${sessionId}`
          }, orUnavailable),
          findToken: Effect.fn("Sessions.findToken")(tokens.find, orUnavailable),
          newestToken: Effect.fn("Sessions.newestToken")(tokens.newest, orUnavailable),
          hasGeneration: Effect.fn("Sessions.hasGeneration")(tokens.hasGeneration, orUnavailable),
          issue: Effect.fn("Sessions.issue")(
            function* (text: Redacted.Redacted, place: RefreshToken) {
              const now = yield* Clock.currentTimeMillis
              yield* tokens.add(text, place, now)
              yield* refreshedAt(place.sessionId, now)
              yield* sweep(now)
            },
            sql.withTransaction,
            orUnavailable
          ),
          touch: Effect.fn("Sessions.touch")(function* (sessionId: string) {
            yield* refreshedAt(sessionId, yield* Clock.currentTimeMillis)
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
      const ofUser = (userId: string) =>
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
/** How long after it expired a session is still known, so that its tokens are refused for the right reason. */
const toldOfMillis = 30 * 24 * 60 * 60 * 1000
const maxSwept = 4
const maxLive = 100

const firstOf = (sessionId: string): RefreshToken => ({ sessionId, generation: 1, salt: new Uint8Array() })

const isLockTimeout = (error: SqlError): boolean => isSqlError(error) && error.reason._tag === "LockTimeoutError"

const sessionColumns = [
  'session_id as "sessionId", user_id as "userId", client_id as "clientId", public_client as "publicClient"',
  "scope, aal, amr",
  `${millis("created_at")} as "createdAtMillis"`,
  `${millis("refreshed_at")} as "refreshedAtMillis"`,
  `${millis("expires_at")} as "expiresAtMillis"`,
  `${millis("ended_at")} as "endedAtMillis"`
].join(", ")
