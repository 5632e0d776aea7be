/** An application asks to sign a user in, that user decides, and a code turns the request into a session. */
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

/** An application asks for these. */
const asked = {
  clientId: text,
  redirectUri: text,
  /** Scopes have a space between them. */
  scope: text,
  state: text,
  codeChallenge: text,
  nonce: orNull(text),
  resource: orNull(text),
  /** The user may have signed in so long ago; it is null when any sign-in will do. */
  maxAgeSeconds: orNull(integer),
  /** The user is to be asked although they granted as much before. */
  promptsConsent: boolean
}
const requestTable = Table.make("authorization_request", {
  ...asked,
  authorizationIdHash: text,
  requestedAtMillis: named("created_at", timestamptz),
  expiresAtMillis: timestamptz,
  status: of("text", Schema.Literals(["pending", "approved", "denied"])),
  /** It names the first user who came. */
  userId: orNull(of("text", UserId)),
  /** These two tell how that user had signed in; they are null until the user approves, as the code is. */
  aal: orNull(of("text", Assurance)),
  amr: orNull(of("jsonb", Methods)),
  codeHash: orNull(text),
  codeExpiresAtMillis: orNull(timestamptz),
  consumedAtMillis: orNull(timestamptz),
  sessionId: orNull(text)
})
type Row = Table.Row<typeof requestTable>
export type AuthorizationRequested = Pick<Row, keyof typeof asked>

const authorizations = requestTable.pick(...Struct.keys(asked), "status", "requestedAtMillis")
export type Authorization = Table.Row<typeof authorizations>

/** A user consented, and had signed in like this. */
export interface Approval {
  readonly code: Redacted.Redacted
  readonly codeExpiresAtMillis: number
  readonly signedIn: Pick<Session, "aal" | "amr">
}

/** A code stands for this. */
export interface Code extends AuthorizationRequested {
  readonly userId: UserId
  readonly signedIn: Pick<Session, "aal" | "amr">
  readonly expiresAtMillis: number
  readonly isConsumed: boolean
  /** It names the session that the code became; it is null before, and when something was wrong with its use. */
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
     * The request belongs to the first user who comes; all others get none, as when it is unknown or expired. Nobody
     * else has it until the end of the transaction.
     */
    readonly bind: (
      authorizationId: Redacted.Redacted,
      userId: UserId
    ) => Effect.Effect<Option.Option<Authorization>, DatabaseUnavailable>
    /** Answers with true when it was bound and pending until now. */
    readonly approve: (
      authorizationId: Redacted.Redacted,
      approval: Approval
    ) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Answers with true when it was bound and pending until now. */
    readonly deny: (authorizationId: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    /** A code is found for at least a day, so that a second use is recognised. */
    readonly findCode: (code: Redacted.Redacted) => Effect.Effect<Option.Option<Code>, DatabaseUnavailable>
    /** Answers the first who asks with true; who asks at the same time waits for the end of that transaction. */
    readonly consume: (code: Redacted.Redacted) => Effect.Effect<boolean, DatabaseUnavailable>
    readonly produced: (code: Redacted.Redacted, sessionId: string) => Effect.Effect<void, DatabaseUnavailable>
    /**
     * The codes of this user lead to nothing any more, for this application or, when it is null, for all; waits for
     * those in use.
     */
    readonly cancelCodes: (userId: UserId, clientId: string | null) => Effect.Effect<void, DatabaseUnavailable>
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
          const found = yield* requestTable.first(sql`
            select ${requestTable.columns} from authorization_request where code_hash = ${hashOf(code)}`)
          return Option.map(found, codeOf)
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
            for (const { idHash } of old.slice(0, maxPruned)) requests.delete(idHash)
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
const maxPruned = 4

const codeOf = ({ aal, amr, codeExpiresAtMillis, consumedAtMillis, sessionId, userId, ...row }: Row): Code => {
  if (userId === null || aal === null || amr === null || codeExpiresAtMillis === null) {
    throw new Error("a code was found that nobody approved")
  }
  return {
    ...Struct.pick(row, Struct.keys(asked)),
    userId,
    signedIn: { aal, amr },
    expiresAtMillis: codeExpiresAtMillis,
    isConsumed: consumedAtMillis !== null,
    sessionId
  }
}

interface Held {
  readonly idHash: string
  readonly asked: AuthorizationRequested
  readonly status: Authorization["status"]
  readonly userId: UserId | null
  readonly createdAtMillis: number
  readonly expiresAtMillis: number
  readonly codeHash: string | null
  readonly code: Code | null
}
