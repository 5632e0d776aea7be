/**
 * Revocation handling on open connections. Closes connections whose credential is revoked, renews the eligibility of
 * changed users, and closes all connections when the gateway receives no revocations.
 */
import type { AccessDecision } from "@venue/auth/access/AccessDecision"
import type { Caller } from "@venue/auth/access/Caller"
import { type Revocation, Revocations } from "@venue/storage/access/Revocations"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { Effect, FiberMap, Schedule } from "effect"
import type { Connection } from "./Connection.ts"

/** Stages of a sign-in. Revocations that arrive between `begin` and `opened` apply to the new connection. */
export interface ConnectionRevocation {
  readonly begin: (connectionId: string) => void
  readonly opened: (connection: Connection) => void
  readonly ended: (connectionId: string) => void
}

export const make = Effect.fnUntraced(function* (connections: ReadonlySet<Connection>, access: AccessDecision) {
  const revocations = yield* Revocations
  const pending = new Map<string, Array<Revocation>>()
  // A newer renewal interrupts the older one of the same connection.
  const run = yield* FiberMap.runtime(yield* FiberMap.make<string>())<never>()

  const renew = (connection: Connection, caller: Caller) =>
    void run(
      connection.connectionId,
      access.renew(caller).pipe(
        Effect.retry({ while: ({ _tag }) => _tag === "DatabaseUnavailable", schedule: Schedule.spaced(retryEvery) }),
        Effect.match({
          onSuccess: (eligibility) => connection.renew(eligibility),
          onFailure: ({ _tag }) =>
            connection.close(
              1008,
              _tag === "UserFrozen" ? "the user was frozen" : "the user has enrolled a second factor; sign in with it"
            )
        })
      )
    )
  const applyTo = (connection: Connection, { kind, subject }: Revocation) => {
    if (kind === "signing_keys") return
    const caller = connection.member?.caller
    if (caller?.[subjects[kind]] !== subject) return
    if (kind === "user") return renew(connection, caller)
    connection.close(1008, reasons[kind])
  }
  // The access decision receives revocations first, so its cached eligibility is already dropped here.
  yield* revocations.watch((revocation) => {
    for (const missed of pending.values()) missed.push(revocation)
    for (const connection of connections) applyTo(connection, revocation)
  })

  const settings = yield* RunningSettings
  // Requirements such as the terms version might have changed.
  yield* settings.watch(() => {
    for (const connection of connections) {
      const caller = connection.member?.caller
      if (caller !== undefined) renew(connection, caller)
    }
  })

  yield* revocations.whenDelayed(() => {
    for (const connection of connections)
      connection.close(1013, "this gateway receives no credential revocations at the moment; connect again")
  })

  const revocation: ConnectionRevocation = {
    begin: (connectionId) => void pending.set(connectionId, []),
    opened: (connection) => {
      for (const revocation of pending.get(connection.connectionId) ?? []) applyTo(connection, revocation)
    },
    ended: (connectionId) => void pending.delete(connectionId)
  }
  return revocation
})

/** Caller member that each kind of revocation refers to. */
const subjects = {
  key: "publicKey",
  session: "sessionId",
  client: "clientId",
  user: "userId",
  signing_key: "kid"
} as const

const reasons = {
  key: "the key was revoked, or its permissions changed",
  session: "the session ended",
  client: "the session ended",
  signing_key: "the token is no longer valid; refresh it and sign in again"
} as const

const retryEvery = "500 millis"
