/** Lists and withdraws a user's grants to applications. */
import type { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import { Authorizations } from "@venue/storage/access/Authorizations"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { type Grant, Grants } from "@venue/storage/access/Grants"
import { type OAuthClient, OAuthClients } from "@venue/storage/access/OAuthClients"
import { Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { Context, Effect, Layer, Option } from "effect"

export interface Consent extends Pick<Grant, "scopes" | "grantedAtMillis"> {
  readonly client: Pick<OAuthClient, "clientId" | "name" | "clientUri" | "logoUri">
}

export class Consents extends Context.Service<
  Consents,
  {
    /**
     * Returns the user's grants, newest first. Includes grants to public clients, although these clients need consent
     * each time.
     */
    readonly list: (userId: UserId) => Effect.Effect<ReadonlyArray<Consent>, DatabaseUnavailable>
    /** Withdraws a grant and ends the application's sessions for this user. Returns false if there is no grant. */
    readonly withdraw: (userId: UserId, clientId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@venue/auth/oauth/Consents") {
  static readonly layer: Layer.Layer<
    Consents,
    never,
    Audit | Authorizations | Grants | OAuthClients | Sessions | Transaction
  > = Layer.effect(
    Consents,
    Effect.gen(function* () {
      const audit = yield* Audit
      const authorizations = yield* Authorizations
      const clients = yield* OAuthClients
      const grants = yield* Grants
      const sessions = yield* Sessions
      const transaction = yield* Transaction

      const shown = Effect.fnUntraced(function* ({ clientId, grantedAtMillis, scopes }: Grant) {
        const { clientUri, logoUri, name } = Option.getOrThrow(yield* clients.find(clientId))
        return { client: { clientId, name, clientUri, logoUri }, scopes, grantedAtMillis }
      })

      return Consents.of({
        list: Effect.fn("Consents.list")(function* (userId: UserId) {
          return yield* Effect.forEach(yield* grants.ofUser(userId), shown)
        }),
        withdraw: Effect.fn("Consents.withdraw")(function* (userId: UserId, clientId: string) {
          if (!(yield* grants.remove(userId, clientId))) return false
          // Waits for a code exchange in progress, so that its session is ended too.
          yield* authorizations.cancelCodes(userId, clientId)
          const ofClient = (yield* sessions.ofUser(userId)).filter((session) => session.clientId === clientId)
          yield* sessions.end(ofClient.map(({ sessionId }) => sessionId))
          yield* audit.record({ action: "application_withdrawn", actor: userId, subject: userId, facts: { clientId } })
          return true
        }, transaction.run)
      })
    })
  )
}
