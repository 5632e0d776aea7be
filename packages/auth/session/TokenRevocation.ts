/** Token revocation (RFC 7009): revoking any token of a session ends the whole session. */
import { Audit } from "@venue/storage/access/Audit"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { OAuthClient } from "@venue/storage/access/OAuthClients"
import { type SessionBusy, Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { Bearers } from "./Bearers.ts"
import { isToken } from "./RefreshTokens.ts"

export class TokenRevocation extends Context.Service<
  TokenRevocation,
  {
    /**
     * Revokes a session by any of its refresh or access tokens. A token that is expired, unknown or issued to another
     * client changes nothing, and the response is the same. After `SessionBusy` the token is still valid.
     */
    readonly revoke: (
      client: OAuthClient,
      token: Redacted.Redacted
    ) => Effect.Effect<void, SessionBusy | DatabaseUnavailable>
  }
>()("@venue/auth/session/TokenRevocation") {
  static readonly layer: Layer.Layer<TokenRevocation, never, Audit | Bearers | Sessions | Transaction> = Layer.effect(
    TokenRevocation,
    Effect.gen(function* () {
      const audit = yield* Audit
      const bearers = yield* Bearers
      const sessions = yield* Sessions
      const transaction = yield* Transaction

      const sessionOf = (token: Redacted.Redacted) =>
        isToken(token)
          ? Effect.map(
              sessions.findToken(token),
              Option.map(({ sessionId }) => sessionId)
            )
          : Effect.catchTags(
              Effect.map(bearers.verify(Redacted.value(token)), ({ sessionId }) => Option.some(sessionId)),
              { InvalidToken: () => Effect.succeedNone, SessionEnded: () => Effect.succeedNone }
            )

      const end = Effect.fnUntraced(function* (sessionId: string, { clientId }: OAuthClient) {
        const session = Option.getOrUndefined(yield* sessions.lock(sessionId))
        if (session === undefined || session.clientId !== clientId) return
        const { endedAtMillis, expiresAtMillis, userId } = session
        if (endedAtMillis !== null || expiresAtMillis <= (yield* Clock.currentTimeMillis)) return
        yield* sessions.end([sessionId])
        yield* audit.record({ action: "token_revoked", actor: userId, subject: userId, facts: { clientId, sessionId } })
      }, transaction.run)

      return TokenRevocation.of({
        revoke: Effect.fn("TokenRevocation.revoke")(function* (client: OAuthClient, token: Redacted.Redacted) {
          const found = yield* sessionOf(token)
          if (Option.isSome(found)) yield* end(found.value, client)
        })
      })
    })
  )
}
