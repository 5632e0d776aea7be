/** Authorization requests by applications. Each row covers the request, the decision, the code and the session. */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { boolean, integer, named, of, orNull, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { hashOf } from "@venue/postgres/SecretHash"
import { Assurance, Methods } from "./Assurance.ts"
import type { Session } from "./Sessions.ts"

const requestColumns = {
  clientId: text,
  redirectUri: text,
  /** Space-separated. */
  scope: text,
  state: text,
  codeChallenge: text,
  nonce: orNull(text),
  resource: orNull(text),
  /** Maximum age of the sign-in in seconds (OIDC `max_age`), or null for no limit. */
  maxAgeSeconds: orNull(integer),
  /** Whether the user must consent again, even if an earlier grant covers the scopes. */
  promptsConsent: boolean
}
const requestTable = Table.make("authorization_request", {
  ...requestColumns,
  authorizationIdHash: text,
  requestedAtMillis: named("created_at", timestamptz),
  expiresAtMillis: timestamptz,
  status: of("text", Schema.Literals(["pending", "approved", "denied"])),
  /** First user who opened the request; null before. */
  userId: orNull(of("text", UserId)),
  /** Assurance and methods of the user's session. Null, like the code, until the user approves the request. */
  aal: orNull(of("text", Assurance)),
  amr: orNull(of("jsonb", Methods)),
  codeHash: orNull(text),
  codeExpiresAtMillis: orNull(timestamptz),
  consumedAtMillis: orNull(timestamptz),
  sessionId: orNull(text)
})
type Row = Table.Row<typeof requestTable>
export type AuthorizationRequested = Pick<Row, keyof typeof requestColumns>

const authorizations = requestTable.pick(...Struct.keys(requestColumns), "status", "requestedAtMillis")
export type Authorization = Table.Row<typeof authorizations>

/** A user's consent, with the code and the assurance of the user's session. */
export interface Approval {
  readonly code: Redacted.Redacted
  readonly codeExpiresAtMillis: number
  readonly signedIn: Pick<Session, "aal" | "amr">
}

/** Approved request for which a code was issued. */
export interface Code extends AuthorizationRequested {
  readonly userId: UserId
  readonly signedIn: Pick<Session, "aal" | "amr">
  readonly expiresAtMillis: number
  readonly isConsumed: boolean
  /** Session created in exchange for the code; null before the exchange and after a failed one. */
  readonly sessionId: string | null
}

/*
 * open -> pending -> bind (the first user) -> approve -> consume (once) -> produced a session
 *                                         \-> deny
 */
export class Authorizations extends Context.Service<
  Authorizations,
  {
    readonly open: (
      authorizationId: Redacted.Redacted,
      request: AuthorizationRequested,
      expiresAtMillis: number
    ) => Effect.Effect<void, DatabaseUnavailable>
    /**
     * Binds a request to the first user who opens it, and locks it until the end of the transaction. Returns
     * `Option.none` if the request is unknown, expired or bound to another user.
     */
    readonly bind: (
      authorizationId: Redacted.Redacted,
      userId: UserId
    ) => Effect.Effect<Option.Option<Authorization>, DatabaseUnavailable>
    /** Approves a request; returns false unless the request is bound to a user and undecided. */
    readonly approve: (
      authorizationId: Redacted.Redacted,
      approval: Approval
    ) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Denies a request; returns false unless the request is bound to a user and undecided. */
    readonly deny: (authorizationId: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    /**
     * Returns a code's request. Includes used and expired codes for at least a day, so that a second use is detected.
     */
    readonly findCode: (code: Redacted.Redacted) => Effect.Effect<Option.Option<Code>, DatabaseUnavailable>
    /**
     * Marks a code as used. Returns true only to the first caller; a concurrent caller waits for that caller's
     * transaction.
     */
    readonly consume: (code: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    readonly produced: (code: Redacted.Redacted, sessionId: string) => Effect.Effect<void, DatabaseUnavailable>
    /**
     * Cancels a user's unused codes for a client, or for all clients if `clientId` is null. Waits for ongoing
     * exchanges.
     */
    readonly cancelCodes: (userId: UserId, clientId: string | null) => Effect.Effect<void, DatabaseUnavailable>
    /** Denies all undecided requests and cancels all unused codes, because some might have been used in lost time. */
    readonly endAll: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/access/Authorizations") {
  static readonly layer: Layer.Layer<Authorizations, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Authorizations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Authorizations.of({
        open: Effect.fn("Authorizations.open")(function* (
          authorizationId: Redacted.Redacted,
          request: AuthorizationRequested,
          expiresAtMillis: number
        ) {
          const now = yield* Clock.currentTimeMillis
          yield* sql`
            delete from authorization_request where authorization_id_hash in (
              select authorization_id_hash from authorization_request
              where created_at < ${new Date(now - keptMillis)}
              order by created_at limit ${maxPruned} for update skip locked
            )`
          yield* sql`
            insert into authorization_request
            ${requestTable.values({
              ...request,
              authorizationIdHash: hashOf(authorizationId),
              status: "pending",
              requestedAtMillis: now,
              expiresAtMillis
            })}`
        }, orUnavailable),
        bind: Effect.fn("Authorizations.bind")(function* (authorizationId: Redacted.Redacted, userId: UserId) {
          const at = new Date(yield* Clock.currentTimeMillis)
          return yield* authorizations.first(sql`
            update authorization_request set user_id = ${storable(userId)}
            where authorization_id_hash = ${hashOf(authorizationId)} and expires_at > ${at}
              and (user_id is null or user_id = ${storable(userId)})
            returning ${authorizations.columns}`)
        }, orUnavailable),
        approve: Effect.fn("Authorizations.approve")(function* (
          authorizationId: Redacted.Redacted,
          { code, codeExpiresAtMillis, signedIn }: Approval
        ) {
          const approved = { status: "approved", codeHash: hashOf(code), codeExpiresAtMillis, ...signedIn } as const
          const changed = yield* sql`
            update authorization_request set ${requestTable.set(approved)}
            where authorization_id_hash = ${hashOf(authorizationId)} and status = 'pending' and user_id is not null
            returning 1`
          return changed.length > 0
        }, orUnavailable),
        deny: Effect.fn("Authorizations.deny")(function* (authorizationId: Redacted.Redacted) {
          const changed = yield* sql`
            update authorization_request set status = 'denied'
            where authorization_id_hash = ${hashOf(authorizationId)} and status = 'pending' and user_id is not null
            returning 1`
          return changed.length > 0
        }, orUnavailable),
        findCode: Effect.fn("Authorizations.findCode")(function* (code: Redacted.Redacted) {
          const row = yield* requestTable.first(sql`
            select ${requestTable.columns} from authorization_request where code_hash = ${hashOf(code)}`)
          return Option.map(row, codeOf)
        }, orUnavailable),
        consume: Effect.fn("Authorizations.consume")(function* (code: Redacted.Redacted) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const changed = yield* sql`
            update authorization_request set consumed_at = ${at}
            where code_hash = ${hashOf(code)} and consumed_at is null returning 1`
          return changed.length > 0
        }, orUnavailable),
        produced: Effect.fn("Authorizations.produced")(
          (code: Redacted.Redacted, sessionId: string) => sql`
            update authorization_request set session_id = ${sessionId} where code_hash = ${hashOf(code)}`,
          Effect.asVoid,
          orUnavailable
        ),
        cancelCodes: Effect.fn("Authorizations.cancelCodes")(function* (userId: UserId, clientId: string | null) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const ofClient = clientId === null ? sql.literal("true") : sql`client_id = ${storable(clientId)}`
          yield* sql`
            update authorization_request set consumed_at = ${at}
            where user_id = ${storable(userId)} and ${ofClient} and status = 'approved' and consumed_at is null`
        }, orUnavailable),
        endAll: endAll(sql)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Authorizations> = Layer.effect(
    Authorizations,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const requests = table<Held>()
      const write = <A>(work: (nowMillis: number) => A) => transaction(Effect.map(Clock.currentTimeMillis, work))
      const change = (held: Held, changes: Partial<Held>) => requests.set(held.idHash, { ...held, ...changes })
      const changeCode = (held: Held, changes: Partial<Code>) => change(held, { code: { ...held.code!, ...changes } })

      const withCode = (code: Redacted.Redacted) => {
        const hash = hashOf(code)
        return requests.rows().find(({ codeHash }) => codeHash === hash)
      }
      const decidable = (authorizationId: Redacted.Redacted) => {
        const held = requests.get(hashOf(authorizationId))
        return held?.status === "pending" && held.userId !== null ? { ...held, userId: held.userId } : undefined
      }

      return Authorizations.of({
        open: (authorizationId, request, expiresAtMillis) =>
          write((now) => {
            const old = requests.rows().filter(({ createdAtMillis }) => createdAtMillis < now - keptMillis)
            for (const { idHash } of old.slice(0, maxPruned)) requests.delete(idHash)
            const idHash = hashOf(authorizationId)
            const fresh = { status: "pending", userId: null, codeHash: null, code: null } as const
            requests.set(idHash, { ...fresh, idHash, request, createdAtMillis: now, expiresAtMillis })
          }),
        bind: (authorizationId, userId) =>
          write((now) => {
            const held = requests.get(hashOf(authorizationId))
            if (held === undefined || held.expiresAtMillis <= now) return Option.none()
            if (held.userId !== null && held.userId !== userId) return Option.none()
            change(held, { userId })
            return Option.some({ ...held.request, status: held.status, requestedAtMillis: held.createdAtMillis })
          }),
        approve: (authorizationId, { code, codeExpiresAtMillis, signedIn }) =>
          write(() => {
            const held = decidable(authorizationId)
            if (held === undefined) return false
            const { request, userId } = held
            const unused = { expiresAtMillis: codeExpiresAtMillis, isConsumed: false, sessionId: null }
            change(held, {
              status: "approved",
              codeHash: hashOf(code),
              code: { ...request, ...unused, userId, signedIn }
            })
            return true
          }),
        deny: (authorizationId) =>
          write(() => {
            const held = decidable(authorizationId)
            if (held !== undefined) change(held, { status: "denied" })
            return held !== undefined
          }),
        findCode: (code) => Effect.sync(() => Option.fromNullishOr(withCode(code)?.code)),
        consume: (code) =>
          write(() => {
            const held = withCode(code)
            if (held?.code?.isConsumed !== false) return false
            changeCode(held, { isConsumed: true })
            return true
          }),
        produced: (code, sessionId) =>
          write(() => {
            const held = withCode(code)
            if (held !== undefined) changeCode(held, { sessionId })
          }),
        cancelCodes: (userId, clientId) =>
          write(() => {
            for (const held of requests.rows()) {
              const { code } = held
              if (code?.userId !== userId || (clientId !== null && code.clientId !== clientId)) continue
              changeCode(held, { isConsumed: true })
            }
          }),
        endAll: write(() => {
          for (const held of requests.rows()) {
            if (held.status === "pending") change(held, { status: "denied" })
            else if (held.code !== null) changeCode(held, { isConsumed: true })
          }
        })
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

/** A code is used within minutes of the request, and a second use must be detected for a day. */
const keptMillis = 25 * 60 * 60 * 1000
/** Maximum number of expired rows that each new request deletes. The table then holds about a day of requests. */
const maxPruned = 4

const endAll = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const at = new Date(yield* Clock.currentTimeMillis)
    yield* sql`update authorization_request set status = 'denied' where status = 'pending'`
    yield* sql`
      update authorization_request set consumed_at = ${at} where status = 'approved' and consumed_at is null`
  }).pipe(sql.withTransaction, orUnavailable)

const codeOf = ({ aal, amr, codeExpiresAtMillis, consumedAtMillis, sessionId, userId, ...row }: Row): Code => {
  if (userId === null || aal === null || amr === null || codeExpiresAtMillis === null) {
    throw new Error("a stored authorization code has no approval")
  }
  return {
    ...Struct.pick(row, Struct.keys(requestColumns)),
    userId,
    signedIn: { aal, amr },
    expiresAtMillis: codeExpiresAtMillis,
    isConsumed: consumedAtMillis !== null,
    sessionId
  }
}

interface Held {
  readonly idHash: string
  readonly request: AuthorizationRequested
  readonly status: Authorization["status"]
  readonly userId: UserId | null
  readonly createdAtMillis: number
  readonly expiresAtMillis: number
  readonly codeHash: string | null
  readonly code: Code | null
}
