/** Requests of applications to sign a user in: asked, decided by that user, and turned into a session by a code. */
import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { storable } from "@venue/postgres/Bulk"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { millis } from "@venue/postgres/Millis"
import { hashOf } from "@venue/postgres/SecretHash"
import type { Session } from "./Sessions.ts"

/** What an application asks for. */
export interface AuthorizationRequested {
  readonly clientId: string
  readonly redirectUri: string
  /** Scopes with a space between them. */
  readonly scope: string
  readonly state: string
  readonly codeChallenge: string
  readonly nonce: string | null
  readonly resource: string | null
  /** How long ago the user may have signed in; null when any sign-in will do. */
  readonly maxAgeSeconds: number | null
  /** The user is to be asked although they granted as much before. */
  readonly promptsConsent: boolean
}

export interface Authorization extends AuthorizationRequested {
  readonly requestedAtMillis: number
  readonly status: "pending" | "approved" | "denied"
}

/** The consent of a user, and how that user had signed in. */
export interface Approval {
  readonly code: Redacted.Redacted
  readonly codeExpiresAtMillis: number
  readonly signedIn: Pick<Session, "aal" | "amr">
}

/** What a code stands for. */
export interface Code extends AuthorizationRequested {
  readonly userId: string
  readonly signedIn: Pick<Session, "aal" | "amr">
  readonly expiresAtMillis: number
  readonly isConsumed: boolean
  /** The session it became; null before, and when something was wrong with its use. */
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
      asked: AuthorizationRequested,
      expiresAtMillis: number
    ) => Effect.Effect<void, DatabaseUnavailable>
    /**
     * Belongs to the first user who comes; none for all others, and when it is unknown or expired. Nobody else has it
     * until the end of the transaction.
     */
    readonly bind: (
      authorizationId: Redacted.Redacted,
      userId: string
    ) => Effect.Effect<Option.Option<Authorization>, DatabaseUnavailable>
    /** True when it was bound and pending until now. */
    readonly approve: (
      authorizationId: Redacted.Redacted,
      approval: Approval
    ) => Effect.Effect<boolean, DatabaseUnavailable>
    /** True when it was bound and pending until now. */
    readonly deny: (authorizationId: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    /** For at least a day, so that a second use is recognised. */
    readonly findCode: (code: Redacted.Redacted) => Effect.Effect<Option.Option<Code>, DatabaseUnavailable>
    /** True for the first who asks; who asks at the same time waits for the end of that transaction. */
    readonly consume: (code: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    readonly produced: (code: Redacted.Redacted, sessionId: string) => Effect.Effect<void, DatabaseUnavailable>
    /**
     * The codes of this user lead to nothing any more, for this application or, when it is null, for all; waits for
     * those in use.
     */
    readonly cancelCodes: (userId: string, clientId: string | null) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/access/Authorizations") {
  static readonly layer: Layer.Layer<Authorizations, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Authorizations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asked = sql.literal(`
        client_id as "clientId", redirect_uri as "redirectUri", scope, state, code_challenge as "codeChallenge", nonce,
        resource, max_age_seconds as "maxAgeSeconds", prompts_consent as "promptsConsent"`)
      const requestedAt = sql.literal(millis("created_at"))

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
              order by created_at limit ${maxSwept} for update skip locked
            )`
          yield* sql`
            insert into authorization_request (authorization_id_hash, client_id, redirect_uri, scope, state,
              code_challenge, nonce, resource, max_age_seconds, prompts_consent, status, created_at, expires_at)
            values (${hashOf(authorizationId)}, ${request.clientId}, ${request.redirectUri}, ${request.scope},
              ${request.state}, ${request.codeChallenge}, ${request.nonce}, ${request.resource},
              ${request.maxAgeSeconds}, ${request.promptsConsent}, 'pending', ${new Date(now)}, ${new Date(expiresAtMillis)})`
        }, orUnavailable),
        bind: Effect.fn("Authorizations.bind")(function* (authorizationId: Redacted.Redacted, userId: string) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const [row] = yield* sql<Authorization>`
            update authorization_request set user_id = ${storable(userId)}
            where authorization_id_hash = ${hashOf(authorizationId)} and expires_at > ${at}
              and (user_id is null or user_id = ${storable(userId)})
            returning ${asked}, status, ${requestedAt} as "requestedAtMillis"`
          return Option.fromUndefinedOr(row)
        }, orUnavailable),
        approve: Effect.fn("Authorizations.approve")(function* (
          authorizationId: Redacted.Redacted,
          { code, codeExpiresAtMillis, signedIn }: Approval
        ) {
          const changed = yield* sql`
            update authorization_request set status = 'approved', code_hash = ${hashOf(code)},
              code_expires_at = ${new Date(codeExpiresAtMillis)}, aal = ${signedIn.aal},
              amr = ${JSON.stringify(signedIn.amr)}::jsonb
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
          const [row] = yield* sql<CodeRow>`
            select ${asked}, user_id as "userId", aal, amr,
              ${sql.literal(millis("code_expires_at"))} as "expiresAtMillis",
              consumed_at is not null as "isConsumed", session_id as "sessionId"
            from authorization_request where code_hash = ${hashOf(code)}`
          return Option.map(Option.fromUndefinedOr(row), ({ aal, amr, ...rest }): Code => ({
            ...rest,
            signedIn: { aal, amr }
          }))
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
        cancelCodes: Effect.fn("Authorizations.cancelCodes")(function* (userId: string, clientId: string | null) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const ofClient = clientId === null ? sql.literal("true") : sql`client_id = ${storable(clientId)}`
          yield* sql`
            update authorization_request set consumed_at = ${at}
            where user_id = ${storable(userId)} and ${ofClient} and status = 'approved' and consumed_at is null`
        }, orUnavailable)
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
        open: (authorizationId, asked, expiresAtMillis) =>
          write((now) => {
            const old = requests.rows().filter(({ createdAtMillis }) => createdAtMillis < now - keptMillis)
            for (const { idHash } of old.slice(0, maxSwept)) requests.delete(idHash)
            const idHash = hashOf(authorizationId)
            const fresh = { status: "pending", userId: null, codeHash: null, code: null } as const
            requests.set(idHash, { ...fresh, idHash, asked, createdAtMillis: now, expiresAtMillis })
          }),
        bind: (authorizationId, userId) =>
          write((now) => {
            const held = requests.get(hashOf(authorizationId))
            if (held === undefined || held.expiresAtMillis <= now) return Option.none()
            if (held.userId !== null && held.userId !== userId) return Option.none()
            change(held, { userId })
            return Option.some({ ...held.asked, status: held.status, requestedAtMillis: held.createdAtMillis })
          }),
        approve: (authorizationId, { code, codeExpiresAtMillis, signedIn }) =>
          write(() => {
            const held = decidable(authorizationId)
            if (held === undefined) return false
            const { asked, userId } = held
            const unused = { expiresAtMillis: codeExpiresAtMillis, isConsumed: false, sessionId: null }
            change(held, {
              status: "approved",
              codeHash: hashOf(code),
              code: { ...asked, ...unused, userId, signedIn }
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
          })
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

/** A code is used within minutes of the request, and a second use of it is recognised for a day. */
const keptMillis = 25 * 60 * 60 * 1000
/** Each request adds one row and takes away a few, so that the table keeps little more than a day's. */
const maxSwept = 4

type CodeRow = Omit<Code, "signedIn"> & Pick<Session, "aal" | "amr">

interface Held {
  readonly idHash: string
  readonly asked: AuthorizationRequested
  readonly status: Authorization["status"]
  readonly userId: string | null
  readonly createdAtMillis: number
  readonly expiresAtMillis: number
  readonly codeHash: string | null
  readonly code: Code | null
}
