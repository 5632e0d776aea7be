/** Response bodies for users and sessions. */
import type { WalletSession } from "@venue/api/auth/Session"
import { type UserBody, userBody } from "@venue/api/auth/User"
import type { Issued } from "@venue/auth/session/SessionTokens"
import { checksummed } from "@venue/auth/wallet/WalletAddress"
import type { UserId } from "@venue/domain/UserId"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Factors } from "@venue/storage/access/Factors"
import { Identities } from "@venue/storage/access/Identities"
import { Users } from "@venue/storage/access/Users"
import { Effect, Option, Redacted } from "effect"
import { type Refused, refused } from "./Refused.ts"

export interface SessionView {
  readonly user: (userId: UserId) => Effect.Effect<UserBody, Refused | DatabaseUnavailable>
  readonly session: (issued: Issued) => Effect.Effect<WalletSession, Refused | DatabaseUnavailable>
}

export const make: Effect.Effect<SessionView, never, Factors | Identities | Users> = Effect.gen(function* () {
  const users = yield* Users
  const identities = yield* Identities
  const factors = yield* Factors

  const user = Effect.fnUntraced(function* (userId: UserId) {
    const row = yield* users.find(userId)
    if (Option.isNone(row)) return yield* refused("user_not_found")
    const wallets = yield* identities.ofUser(userId)
    return userBody({
      userId,
      createdAtMillis: row.value.createdAtMillis,
      identities: wallets.map((wallet) => ({ ...wallet, address: checksummed(wallet.address) })),
      factors: yield* factors.ofUser(userId)
    })
  })
  const session = Effect.fnUntraced(function* (issued: Issued) {
    return { ...(yield* tokens(issued)), user: yield* user(issued.session.userId) }
  })
  return { user, session }
})

/** Returns the token members of a session body. Logs the user, session and client ids, but no token. */
export const tokens = ({ accessToken, expiresAtSeconds, expiresInSeconds, refreshToken, session }: Issued) => {
  const { clientId, sessionId, userId } = session
  return Effect.as(Effect.annotateLogs(Effect.logInfo("tokens issued"), { userId, sessionId, clientId }), {
    access_token: Redacted.value(accessToken),
    token_type: "bearer" as const,
    expires_in: expiresInSeconds,
    expires_at: expiresAtSeconds,
    refresh_token: Redacted.value(refreshToken)
  })
}
