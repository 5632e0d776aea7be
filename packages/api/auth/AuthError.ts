/**
 * Refusals of the authentication service. One body serves two families of clients: some read `error_code` and `msg`,
 * OAuth libraries read `error` and `error_description`.
 */
import { Schema } from "effect"

export interface AuthError {
  readonly code: number
  readonly error_code: string
  readonly msg: string
  readonly error: string
  readonly error_description: string
  /** The log calls this request so, where the fault is on our side. */
  readonly error_id?: string
}

/** As much of it as programs read. */
export const ErrorBody = Schema.Struct({ error_code: Schema.String, msg: Schema.String })

interface Meaning {
  readonly status: number
  /** A code of RFC 6749 or RFC 6750 wherever a client of those may read it. */
  readonly error: string
  /** It holds only characters that RFC 6749 allows, and never a word of the request. */
  readonly description: string
  /** The name of the refusal, unless it shares its code with another. */
  readonly errorCode?: string
  /** What `WWW-Authenticate` asks for. */
  readonly challenge?: "Basic" | "Bearer"
}

const meanings = {
  // The request itself.
  bad_json: {
    status: 400,
    error: "invalid_request",
    description: "The body has to be a JSON object, with content-type application/json"
  },
  validation_failed: { status: 400, error: "invalid_request", description: "A field is missing or has a wrong form" },
  not_found: { status: 404, error: "invalid_request", description: "Nothing is served at this path" },
  method_not_allowed: {
    status: 405,
    error: "invalid_request",
    description: "This path has other methods; see the Allow header"
  },
  request_entity_too_large: { status: 413, error: "invalid_request", description: "A body holds at most 64 KiB" },
  over_request_rate_limit: {
    status: 429,
    error: "temporarily_unavailable",
    description: "Too many requests; wait as long as Retry-After says"
  },
  unexpected_failure: { status: 500, error: "server_error", description: "The service failed" },
  unavailable: {
    status: 503,
    error: "temporarily_unavailable",
    errorCode: "unexpected_failure",
    description: "The service cannot answer just now; try again"
  },
  request_timeout: {
    status: 504,
    error: "temporarily_unavailable",
    description: "The request took too long; its outcome is unknown"
  },

  // Who asks.
  client_key_refused: {
    status: 401,
    error: "invalid_client",
    errorCode: "no_authorization",
    description: "The apikey header is missing, unknown, or differs from the bearer token"
  },
  bearer_missing: {
    status: 401,
    error: "invalid_token",
    errorCode: "no_authorization",
    description: "A bearer token is required: send Authorization: Bearer with an access token",
    challenge: "Bearer"
  },
  bad_jwt: {
    status: 403,
    error: "invalid_token",
    description: "The access token is not valid: it is malformed, expired, or of another issuer"
  },
  session_not_found: {
    status: 403,
    error: "invalid_token",
    description: "The session of this token has ended; sign in again"
  },
  /** The same where RFC 6750 rules. */
  token_refused: {
    status: 401,
    error: "invalid_token",
    errorCode: "bad_jwt",
    description: "The access token is not valid: it is malformed, expired, or of another issuer",
    challenge: "Bearer"
  },
  user_not_found: { status: 403, error: "access_denied", description: "There is no such user" },
  user_banned: {
    status: 403,
    error: "access_denied",
    description: "The operator has frozen this user; ask the operator"
  },
  insufficient_aal: {
    status: 403,
    error: "access_denied",
    description: "A second factor is required: verify one with this session"
  },
  reauthentication_needed: {
    status: 403,
    error: "access_denied",
    description: "The application asks for a newer sign-in"
  },
  origin_refused: { status: 403, error: "access_denied", description: "Only the consent page may ask this" },
  application_refused: {
    status: 403,
    error: "access_denied",
    description: "An application may not do this: the user does it in person"
  },

  // Wallets and sessions.
  unsupported_grant_type: {
    status: 400,
    error: "unsupported_grant_type",
    description: "The grant type is not one of those served here"
  },
  web3_unsupported_chain: { status: 400, error: "invalid_request", description: "Only ethereum is supported" },
  web3_provider_disabled: { status: 422, error: "invalid_request", description: "Wallet sign-in is switched off" },
  invalid_grant: { status: 400, error: "invalid_grant", description: "The grant was not accepted" },
  wallet_statement: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The statement is not the one this service asks for"
  },
  wallet_uri: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The URI is none that wallets may sign in for here"
  },
  wallet_domain: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The domain is not that of the URI"
  },
  wallet_time: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The message is older than ten minutes, or not good yet, or no longer"
  },
  wallet_signature: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The signature does not match the address"
  },
  wallet_reused: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The message or its nonce was used before"
  },
  captcha_failed: {
    status: 400,
    error: "invalid_request",
    description: "The captcha was not solved; solve a new one and send its token"
  },
  captcha_unavailable: {
    status: 503,
    error: "temporarily_unavailable",
    errorCode: "unexpected_failure",
    description: "The captcha could not be checked, try again"
  },
  refresh_token_not_found: {
    status: 400,
    error: "invalid_grant",
    description: "There is no such refresh token; sign in again"
  },
  refresh_token_already_used: {
    status: 400,
    error: "invalid_grant",
    description:
      "The refresh token was used before, so its session has ended: sign in again, and let one process refresh " +
      "a stored token"
  },
  session_expired: { status: 400, error: "invalid_grant", description: "The session has expired; sign in again" },
  session_ended: {
    status: 400,
    error: "invalid_grant",
    errorCode: "session_not_found",
    description: "The session has ended; sign in again"
  },
  bound_to_client: {
    status: 400,
    error: "invalid_client",
    errorCode: "invalid_client",
    description: "This refresh token belongs to an OAuth client: refresh it at /oauth/token"
  },
  conflict: {
    status: 409,
    error: "temporarily_unavailable",
    description: "Another request holds this session; try again"
  },

  // Second factors.
  mfa_factor_not_found: { status: 404, error: "invalid_request", description: "There is no such factor" },
  mfa_factor_name_conflict: { status: 422, error: "invalid_request", description: "Another factor has this name" },
  too_many_enrolled_mfa_factors: {
    status: 422,
    error: "invalid_request",
    description: "There are too many factors; remove one first"
  },
  mfa_challenge_expired: {
    status: 422,
    error: "invalid_request",
    description: "The challenge has expired or was used; ask for a new one"
  },
  mfa_verification_failed: {
    status: 422,
    error: "invalid_request",
    description: "The code is wrong; wait for the next one"
  },
  unenrol_needs_aal2: {
    status: 422,
    error: "access_denied",
    errorCode: "insufficient_aal",
    description: "A second factor is required"
  },

  // OAuth.
  invalid_client: {
    status: 401,
    error: "invalid_client",
    description: "Client authentication failed: a confidential client sends HTTP Basic, a public one client_id alone",
    challenge: "Basic"
  },
  unauthorized_client: { status: 400, error: "unauthorized_client", description: "The client may not use this grant" },
  invalid_scope: { status: 400, error: "invalid_scope", description: "The scope is wider than what was granted" },
  invalid_target: { status: 400, error: "invalid_target", description: "The resource is not the authorized one" },
  oauth_authorize_refused: {
    status: 400,
    error: "invalid_request",
    errorCode: "validation_failed",
    description: "The client or the redirect URI is not registered: redirect_uri has to be one of the registered ones"
  },
  oauth_authorization_not_found: {
    status: 404,
    error: "invalid_request",
    description: "There is no such authorization request"
  },
  oauth_authorization_not_pending: {
    status: 400,
    error: "invalid_request",
    errorCode: "validation_failed",
    description: "The authorization request was decided before"
  },
  oauth_grant_not_found: { status: 404, error: "invalid_request", description: "There is no such grant" },
  oauth_dynamic_client_registration_disabled: {
    status: 403,
    error: "access_denied",
    description: "Clients are registered by the operator"
  }
} as const satisfies Readonly<Record<string, Meaning>>

export type Refusal = keyof typeof meanings

export const refusals = Object.keys(meanings) as ReadonlyArray<Refusal>

export const statusOf = (refusal: Refusal): number => meanings[refusal].status

/** Headers a refusal is sent with, whatever else there is to say. */
export const headersOf = (refusal: Refusal): Readonly<Record<string, string>> => {
  const { challenge }: Meaning = meanings[refusal]
  if (challenge === undefined) return {}
  return { "www-authenticate": challenge === "Basic" ? 'Basic realm="oauth"' : 'Bearer error="invalid_token"' }
}

/** `said` takes the place of the usual description; characters that RFC 6749 does not allow become spaces. */
export const body = (refusal: Refusal, errorId?: string, said?: string): AuthError => {
  const { description: usual, error, errorCode = refusal, status }: Meaning = meanings[refusal]
  const description = said?.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, " ") ?? usual
  return {
    code: status,
    error_code: errorCode,
    msg: description,
    error,
    error_description: description,
    ...(errorId === undefined ? {} : { error_id: errorId })
  }
}
