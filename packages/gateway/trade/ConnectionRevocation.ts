/** Closes or renews open connections whose credential is revoked, or whose user's eligibility changes, or of whom neither is known. */
import type { AccessDecision } from "@venue/auth/access/AccessDecision"
import type { Caller } from "@venue/auth/access/Caller"
import { type Revocation, Revocations } from "@venue/storage/access/Revocations"
import { Effect, FiberMap, Schedule } from "effect"
import type { Connection } from "./Connection.ts"

/** A sign-in in three steps, so that what is taken back while it is under way counts too. */
export interface ConnectionRevocation {
  readonly begin: (connectionId: string) => void
  readonly opened: (connection: Connection) => void
  readonly ended: (connectionId: string) => void
}

export const make = Effect.fnUntraced(function* (connections: ReadonlySet<Connection>, access: AccessDecision) {
  const revocations = yield* Revocations
  const heardMeanwhile = new Map<string, Array<Revocation>>()
  // The last renewal of a connection is the one whose answer counts.
  const run = yield* FiberMap.runtime(yield* FiberMap.make<string>())<never>()

  const renew = (connection: Connection, caller: Caller) =>
    void run(
      connection.connectionId,
      access.renew(caller).pipe(
        Effect.retry({ while: ({ _tag }) => _tag === "DatabaseUnavailable", schedule: Schedule.spaced(retryEvery) }),
        Effect.match({
          onSuccess: (eligibility) => connection.renew(eligibility),
          onFailure: ({ _tag }) =>
            connection.close(1008, _tag === "UserFrozen" ? "the user was frozen" : "the second factor is owed")
        })
      )
    )
  const heed = (connection: Connection, { kind, subject }: Revocation) => {
    if (kind === "signing_keys") return
    const caller = connection.member?.caller
    if (caller?.[subjects[kind]] !== subject) return
    if (kind === "user") return renew(connection, caller)
    connection.close(1008, reasons[kind])
  }
  // What an access decision remembers of a user hears of it before, since it was made before.
  yield* revocations.watch((revocation) => {
    for (const heard of heardMeanwhile.values()) heard.push(revocation)
    for (const connection of connections) heed(connection, revocation)
  })

  yield* revocations.whenUnheard(() => {
    for (const connection of connections) connection.close(1013, "this gateway cannot hear of revocations; try again")
  })

  const revocation: ConnectionRevocation = {
    begin: (connectionId) => void heardMeanwhile.set(connectionId, []),
    opened: (connection) => {
      for (const revocation of heardMeanwhile.get(connection.connectionId) ?? []) heed(connection, revocation)
    },
    ended: (connectionId) => void heardMeanwhile.delete(connectionId)
  }
  return revocation
})

/** A revocation names this of a caller. */
const subjects = {
  key: "publicKey",
  session: "sessionId",
  client: "clientId",
  user: "userId",
  signing_key: "kid"
} as const

const reasons = {
  key: "the key was revoked or permits something else now",
  session: "the session ended",
  client: "the session ended",
  signing_key: "the token is good no longer; refresh it and sign in again"
} as const

const retryEvery = "500 millis"
