/** Handles the operator endpoints for OAuth clients. */
import { AdminApi } from "@venue/api/admin/Api"
import { oauthClientBody } from "@venue/api/admin/OAuthClients"
import * as ClientRegistration from "@venue/auth/oauth/ClientRegistration"
import type { Operator } from "@venue/auth/access/Operator"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Effect, Redacted } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { byOperator } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "oauthClients",
  Effect.fnUntraced(function* (handlers) {
    const clients = yield* ClientRegistration.ClientRegistration
    const refusals = yield* apiProblems
    const decide = <A>(
      reason: string,
      decision: (by: Operator) => Effect.Effect<A, ClientRegistration.NoSuchClient | DatabaseUnavailable>
    ) =>
      Effect.flatMap(byOperator(reason), decision).pipe(
        Effect.catchTags({
          NoSuchClient: ({ clientId }) =>
            Effect.fail(refusals.notFound("client", clientId, "list the clients with GET /oauth-clients")),
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
          function* ({ payload: body }) {
            const { client, secret } = yield* clients.register(
              {
                ...(body.client_id === undefined ? {} : { clientId: body.client_id }),
                name: body.name,
                type: body.type,
                redirectUris: body.redirect_uris,
                logoUri: body.logo_uri ?? null,
                clientUri: body.client_uri ?? null,
                ...(body.grant_types === undefined ? {} : { grantTypes: body.grant_types }),
                allowLoopback: body.allow_loopback ?? false
              },
              yield* byOperator(body.reason)
            )
            return {
              client: oauthClientBody(client),
              client_secret: secret === null ? null : Redacted.value(secret)
            }
          },
          Effect.catchTags({
            RegistrationRefused: ({ fault, field }) =>
              Effect.fail(
                refusals.invalidRequest([
                  {
                    location: `body.${members[field]}`,
                    message: expected[fault] ?? `Expected a valid value (fault: ${fault})`
                  }
                ])
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

/** Error text for each registration fault. */
const expected: Readonly<Record<string, string>> = {
  authorization_code: "Expected grant_types to contain authorization_code",
  characters: "Expected only characters that are valid in a URL",
  count: "Expected 1 to 10 redirect URIs",
  form: "Expected a UUID, a name without leading or trailing spaces, or a URL in the form that a browser shows",
  fragment: "Expected a URL without a fragment",
  length: "Expected a URL of at most 2000 characters",
  loopback_port: "Expected a loopback URL with a port",
  repeated: "Expected each redirect URI only once",
  reserved_parameter: "Expected a URL query without the parameters that the authorization response adds",
  scheme: "Expected an https URL",
  userinfo: "Expected a URL without a user name or password",
  wildcard: "Expected a URL without the wildcard *"
}

/** Names of the fields on the wire. */
const members: Record<ClientRegistration.RegistrationRefused["field"], string> = {
  clientId: "client_id",
  name: "name",
  redirectUris: "redirect_uris",
  logoUri: "logo_uri",
  clientUri: "client_uri",
  grantTypes: "grant_types"
}
