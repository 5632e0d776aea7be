/** HTTP client of one listener of the authentication service. */
import { Effect } from "effect"
import { type Answer, call } from "../rest/RestClient.ts"
import type { Wallet } from "./Wallet.ts"

export const clientKey = "pk_test_venue"

export interface Session {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly expires_at: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly user: any
}

export interface AuthClient {
  readonly origin: string
  readonly issuer: string
  /** Sends a GET request to the issuer's URL followed by `path`. */
  readonly get: (path: string, headers?: Record<string, string>) => Effect.Effect<Answer>
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>
  ) => Effect.Effect<Answer>
  /** Sends JSON with the client key, as the venue's own clients do. */
  readonly token: (grantType: string, body: unknown, headers?: Record<string, string>) => Effect.Effect<Answer>
  readonly form: (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Record<string, string>
  ) => Effect.Effect<Answer>
  readonly signIn: (wallet: Wallet) => Effect.Effect<Session>
}

export const clientOf = (origin: string, issuer: string): AuthClient => {
  const at = `${origin}/auth/v1`
  const send: AuthClient["send"] = (method, path, body, headers = {}) =>
    call(`${at}${path}`, {
      method,
      redirect: "manual",
      headers: { ...(body === undefined ? {} : { "content-type": "application/json;charset=UTF-8" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
  const token: AuthClient["token"] = (grantType, body, headers = {}) =>
    send("POST", `/token?grant_type=${grantType}`, body, {
      apikey: clientKey,
      authorization: `Bearer ${clientKey}`,
      ...headers
    })
  return {
    origin,
    issuer,
    send,
    token,
    get: (path, headers) => send("GET", path, undefined, headers),
    form: (path, fields, headers = {}) =>
      send("POST", path, new URLSearchParams(fields).toString(), {
        "content-type": "application/x-www-form-urlencoded",
        ...headers
      }),
    signIn: Effect.fnUntraced(function* (wallet) {
      const { body, status } = yield* token("web3", yield* wallet.proof())
      return status === 200 ? body : yield* Effect.die(new Error(`not signed in: ${status} ${JSON.stringify(body)}`))
    })
  }
}
