/** Rejects excess sign-ins before parsing their bodies, so that a flood costs little more than receiving its bytes. */
import * as AuthError from "@venue/api/auth/AuthError"
import type { WalletSignIn } from "@venue/auth/wallet/WalletSignIn"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as ClientAddress from "../http/ClientAddress.ts"
import { send } from "../http/PlainHttp.ts"
import { retryAfter } from "../http/Refusal.ts"
import { prefix } from "./Route.ts"
import { type AuthSite, bucketOf, busyMillis } from "./AuthSite.ts"
import * as ClientKey from "./ClientKey.ts"
import { shared } from "./Cors.ts"

/**
 * Returns a function that returns true after it has refused a wallet sign-in, because the address's bucket is empty
 * or the queue is full. A missing client key is reported first, as on every route.
 */
export const make = (site: AuthSite, wallets: WalletSignIn["Service"]) => {
  const addressOf = ClientAddress.ofUpgrade(site.trustedProxies)
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== "POST" || request.url !== signIn) return false
    const waitMillis = site.limits.signIn.peek(bucketOf(ClientAddress.network(addressOf(request))), 1)
    if (waitMillis === 0 && !wallets.isBusy()) return false
    if (!ClientKey.isShown(site.clientKeys, request.headers)) refuse(response, AuthError.body("client_key_refused"))
    else if (waitMillis > 0) refuse(response, AuthError.body("over_request_rate_limit"), waitMillis)
    else refuse(response, AuthError.body("unavailable", SecureRandom.uuidV4Unsafe()), busyMillis)
    // Discards the body, so that the connection can be reused.
    request.resume()
    return true
  }
}

/** URL of a wallet sign-in as clients send it. Requests with other spellings are handled by the routes. */
const signIn = `${prefix}/token?grant_type=web3`

const refuse = (response: ServerResponse, body: AuthError.AuthError, waitMillis?: number): void => {
  const again = waitMillis === undefined ? {} : retryAfter(waitMillis)
  send(response, body.code, { ...headers, ...again }, body)
}

const headers = { "content-type": "application/json", ...shared }
