/** Requests that an OAuth application sends, and requests that its users send for it. */
import { Effect } from "effect"
import { createHash, randomBytes } from "node:crypto"
import type { Answer } from "../rest/RestClient.ts"
import type { Session } from "./AuthClient.ts"
import { AuthService, redirectUri } from "./AuthService.ts"

export const codeOf = ({ body, status }: Answer) => [status, body?.error]

export const as = ({ access_token }: Pick<Session, "access_token">) => ({ authorization: `Bearer ${access_token}` })

export const basic = ({ clientId, secret }: { readonly clientId: string; readonly secret: string }) => ({
  authorization: `Basic ${btoa(`${clientId}:${secret}`)}`
})

export const verifier = randomBytes(32).toString("base64url")

/** Changed query parameters; a value of undefined removes the parameter. */
export type Changes = Readonly<Record<string, string | undefined>>

/** Returns the valid query of an authorization request with some parameters changed. */
export const request = (clientId: string, changes: Changes = {}) => {
  const parameters: Record<string, string | undefined> = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "openid profile",
    state: "a state",
    nonce: "a nonce",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...changes
  }
  return new URLSearchParams(Object.entries(parameters).filter((entry): entry is [string, string] => !!entry[1]))
}

export const authorize = Effect.fnUntraced(function* (query: URLSearchParams | string) {
  const { get } = yield* AuthService
  return yield* get(`/oauth/authorize?${query}`)
})

/** Returns the id of an authorization request, as the consent page receives it. */
export const opened = Effect.fnUntraced(function* (clientId: string, changes: Changes = {}) {
  const { headers } = yield* authorize(request(clientId, changes))
  return new URL(headers.get("location")!).searchParams.get("authorization_id")!
})

export const consent = Effect.fnUntraced(function* (
  id: string,
  session: Session,
  action = "approve",
  headers: Record<string, string> = {}
) {
  const { send } = yield* AuthService
  return yield* send("POST", `/oauth/authorizations/${id}/consent`, { action }, { ...as(session), ...headers })
})

/** Returns the redirect URL that follows an approval. */
export const approved = Effect.fnUntraced(function* (clientId: string, session: Session, changes: Changes = {}) {
  const { body } = yield* consent(yield* opened(clientId, changes), session)
  return new URL(body.redirect_url)
})

export const exchange = Effect.fnUntraced(function* (
  client: { readonly clientId: string; readonly secret: string },
  code: string,
  fields: Readonly<Record<string, string>> = {}
) {
  const { form } = yield* AuthService
  const isPublic = client.secret === ""
  return yield* form(
    "/oauth/token",
    {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...(isPublic ? { client_id: client.clientId } : {}),
      ...fields
    },
    isPublic ? {} : basic(client)
  )
})
