/** Endpoints for the bearer: `GET /user` and `POST /logout`. */
import type { TokenClaims } from "@venue/auth/session/AccessToken"
import { Audit } from "@venue/storage/access/Audit"
import { Authorizations } from "@venue/storage/access/Authorizations"
import { Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { refused } from "./Refused.ts"
import { route } from "./Route.ts"
import * as RequestBody from "./RequestBody.ts"
import type { AuthSite } from "./AuthSite.ts"
import * as Bearer from "./Bearer.ts"
import * as SessionView from "./SessionView.ts"

export const routes = Effect.fnUntraced(function* (site: AuthSite) {
  const audit = yield* Audit
  const authorizations = yield* Authorizations
  const bearer = yield* Bearer.make(site)
  const sessions = yield* Sessions
  const transaction = yield* Transaction
  const view = yield* SessionView.make

  /** Ends the user's sessions in the given scope. An application can end only its own sessions. */
  const signOut = ({ clientId, sessionId, userId }: TokenClaims, scope: keyof typeof ends) =>
    transaction.run(
      Effect.gen(function* () {
        // Waits for code exchanges in progress, so that `ofUser` includes the sessions that they create.
        if (scope !== "local") yield* authorizations.cancelCodes(userId, clientId)
        const all = (yield* sessions.ofUser(userId)).filter(
          (session) => clientId === null || session.clientId === clientId
        )
        const ended = all.map((session) => session.sessionId).filter((id) => ends[scope](id === sessionId))
        yield* sessions.end(ended)
        // An approval locks its session until it commits, so the code of an approval in progress is visible only now.
        if (scope !== "local") yield* authorizations.cancelCodes(userId, clientId)
        yield* audit.record({ action: "signed_out", actor: userId, subject: userId, facts: { sessionId, scope } })
      })
    )

  return [
    route(
      site,
      "GET",
      "/user",
      Effect.gen(function* () {
        const { userId } = yield* bearer
        return HttpServerResponse.jsonUnsafe(yield* view.user(userId))
      })
    ),
    route(
      site,
      "POST",
      "/logout",
      Effect.gen(function* () {
        const caller = yield* bearer
        const [scope = "global", ...more] = (yield* RequestBody.query).getAll("scope")
        if (!isScope(scope) || more.length > 0) {
          return yield* refused(
            "validation_failed",
            "scope in the query must be global, local or others, and must occur only once"
          )
        }
        yield* signOut(caller, scope)
        return HttpServerResponse.empty({ status: 204 })
      })
    )
  ]
})

/** Whether a sign-out ends a session, by scope. */
const ends = {
  global: () => true,
  local: (isOwn: boolean) => isOwn,
  others: (isOwn: boolean) => !isOwn
}

const isScope = (scope: string): scope is keyof typeof ends => Object.hasOwn(ends, scope)
