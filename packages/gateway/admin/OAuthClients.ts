/** Answers what an operator decides about the applications that sign users in. */
import { AdminApi } from "@venue/api/admin/Api"
import { oauthClientBody } from "@venue/api/admin/OAuthClients"
import { problems } from "@venue/api/Problem"
import * as ClientRegistration from "@venue/auth/oauth/ClientRegistration"
import type { Operator } from "@venue/auth/access/Operator"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Effect, Redacted } from "effect"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { inTheNameOf } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "oauthClients",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const clients = yield* ClientRegistration.ClientRegistration
    const refusals = problems(baseUrl)
    const decide = <A>(
      reason: string,
      decision: (by: Operator) => Effect.Effect<A, ClientRegistration.NoSuchClient | DatabaseUnavailable>
    ) =>
      Effect.flatMap(inTheNameOf(reason), decision).pipe(
        Effect.catchTags({
          NoSuchClient: ({ clientId }) =>
            Effect.fail(refusals.notFound("client", clientId, "list them with GET /oauth-clients")),
          DatabaseUnavailable: () => Effect.fail(refusals.draining())
        })
      )

    return handlers
      .handle("list", () =>
        clients.list.pipe(
          Effect.map((list) => ({ data: list.map(oauthClientBody), count: list.length })),
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
        )
      )
      .handle(
        "register",
        Effect.fnUntraced(
          function* ({ payload: asked }) {
            const { client, secret } = yield* clients.register(
              {
                ...(asked.client_id === undefined ? {} : { clientId: asked.client_id }),
                name: asked.name,
                type: asked.type,
                redirectUris: asked.redirect_uris,
                logoUri: asked.logo_uri ?? null,
                clientUri: asked.client_uri ?? null,
                ...(asked.grant_types === undefined ? {} : { grantTypes: asked.grant_types }),
                allowLoopback: asked.allow_loopback ?? false
              },
              yield* inTheNameOf(asked.reason)
            )
            return {
              client: oauthClientBody(client),
              client_secret: secret === null ? null : Redacted.value(secret)
            }
          },
          Effect.catchTags({
            RegistrationRefused: ({ fault, field }) =>
              Effect.fail(
                refusals.invalidRequest([{ location: `body.${members[field]}`, message: `Refused for its ${fault}` }])
              ),
            OAuthClientExists: ({ clientId }) => Effect.fail(refusals.clientExists(clientId)),
            DatabaseUnavailable: () => Effect.fail(refusals.draining())
          })
        )
      )
      .handle("rotate", ({ payload: { client_id, reason } }) =>
        Effect.map(
          decide(reason, (by) => clients.rotate(client_id.toLowerCase(), by)),
          (secret) => ({ client_id: client_id.toLowerCase(), client_secret: Redacted.value(secret) })
        )
      )
      .handle("finishRotation", ({ payload: { client_id, reason } }) =>
        decide(reason, (by) => clients.finishRotation(client_id.toLowerCase(), by))
      )
      .handle("disable", ({ payload: { client_id, reason } }) =>
        decide(reason, (by) => clients.disable(client_id.toLowerCase(), by))
      )
  })
)

/** As the wire calls them. */
const members: Record<ClientRegistration.RegistrationRefused["field"], string> = {
  clientId: "client_id",
  name: "name",
  redirectUris: "redirect_uris",
  logoUri: "logo_uri",
  clientUri: "client_uri",
  grantTypes: "grant_types"
}
