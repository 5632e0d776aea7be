/**
 * Refusals of the authentication service. One body serves two families of clients: auth-js reads `error_code` and `msg`,
 * OAuth libraries read `error` and `error_description`.
 */
import { Schema } from "effect"

/** Body of a refusal. */
export interface AuthError {
  readonly code: number
  readonly error_code: string
  readonly msg: string
  readonly error: string
  readonly error_description: string
  /** Id of the request in the venue's log; present if the venue is at fault. */
  readonly error_id?: string
}

/** Members of a refusal that the client package reads. */
export const ErrorBody = Schema.Struct({ error_code: Schema.String, msg: Schema.String })

interface Meaning {
  readonly status: number
  /** Error code from RFC 6749 or RFC 6750. */
  readonly error: string
  /** Explanation in characters that RFC 6749 allows, without values from the request. */
  readonly description: string
  /** Value of `error_code`; defaults to the name of the refusal. */
  readonly errorCode?: string
  /** Scheme in the `WWW-Authenticate` header. */
  readonly challenge?: "Basic" | "Bearer"
}

const meanings = {
  bad_json: {
    status: 400,
    error: "invalid_request",
    description: "The body must be a JSON object, with content-type application/json"
  },
  validation_failed: { status: 400, error: "invalid_request", description: "A field is missing or malformed" },
  not_found: { status: 404, error: "invalid_request", description: "The path does not exist" },
  method_not_allowed: {
    status: 405,
    error: "invalid_request",
    description: "The path does not support this method; see the Allow header"
  },
  request_entity_too_large: {
    status: 413,
    error: "invalid_request",
    description: "The request body is larger than the maximum of 64 KiB"
  },
  over_request_rate_limit: {
    status: 429,
    error: "temporarily_unavailable",
    description: "Too many requests; wait the number of seconds in Retry-After"
  },
  unexpected_failure: { status: 500, error: "server_error", description: "An internal error occurred" },
  unavailable: {
    status: 503,
    error: "temporarily_unavailable",
    errorCode: "unexpected_failure",
    description: "The service is temporarily unavailable; try again"
  },
  request_timeout: {
    status: 504,
    error: "temporarily_unavailable",
    description: "The request timed out; its outcome is unknown"
  },

  client_key_refused: {
    status: 401,
    error: "invalid_client",
    errorCode: "no_authorization",
    description: "The apikey header is missing, is unknown or differs from the bearer token"
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
    description: "The access token is invalid: malformed, expired or from another issuer"
  },
  session_not_found: {
    status: 403,
    error: "invalid_token",
    description: "The session of this token has ended; sign in again"
  },
  /** `bad_jwt` with the status that RFC 6750 requires. */
  token_refused: {
    status: 401,
    error: "invalid_token",
    errorCode: "bad_jwt",
    description: "The access token is invalid: malformed, expired or from another issuer",
    challenge: "Bearer"
  },
  user_not_found: { status: 403, error: "access_denied", description: "The user does not exist" },
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
    description: "The application requires a more recent sign-in; sign in again"
  },
  origin_refused: { status: 403, error: "access_denied", description: "Only the consent page may send this request" },
  application_refused: {
    status: 403,
    error: "access_denied",
    description: "Applications are not allowed to send this request; the user must sign in and send it"
  },

  unsupported_grant_type: {
    status: 400,
    error: "unsupported_grant_type",
    description: "The grant type is not supported"
  },
  web3_unsupported_chain: {
    status: 400,
    error: "invalid_request",
    description: "The chain is not supported; use ethereum"
  },
  web3_provider_disabled: { status: 422, error: "invalid_request", description: "Wallet sign-in is switched off" },
  invalid_grant: {
    status: 400,
    error: "invalid_grant",
    description: "The authorization code or refresh token was not accepted; start a new authorization"
  },
  wallet_statement: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The statement in the message is not the one that this service requires"
  },
  wallet_uri: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The URI in the message is not allowed for wallet sign-in"
  },
  wallet_domain: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The domain in the message does not match the URI"
  },
  wallet_time: {
    status: 400,
    error: "invalid_grant",
    errorCode: "invalid_grant",
    description: "The message is older than ten minutes, not yet valid or expired; sign a new message"
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
    description: "The message or its nonce was already used"
  },
  captcha_failed: {
    status: 400,
    error: "invalid_request",
    description: "The captcha was not solved; solve a new captcha and send its token"
  },
  captcha_unavailable: {
    status: 503,
    error: "temporarily_unavailable",
    errorCode: "unexpected_failure",
    description: "The captcha could not be verified; try again"
  },
  refresh_token_not_found: {
    status: 400,
    error: "invalid_grant",
    description: "The refresh token does not exist; sign in again"
  },
  refresh_token_already_used: {
    status: 400,
    error: "invalid_grant",
    description:
      "The refresh token was already used, which ended its session: sign in again, and refresh a stored token " +
      "from one process only"
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
    description: "The refresh token belongs to an OAuth client: refresh it at /oauth/token"
  },
  conflict: {
    status: 409,
    error: "temporarily_unavailable",
    description: "Another request is changing this session; try again"
  },

  mfa_factor_not_found: { status: 404, error: "invalid_request", description: "The factor does not exist" },
  mfa_factor_name_conflict: { status: 422, error: "invalid_request", description: "Another factor has this name" },
  too_many_enrolled_mfa_factors: {
    status: 422,
    error: "invalid_request",
    description: "The user has the maximum number of factors; remove one first"
  },
  mfa_challenge_expired: {
    status: 422,
    error: "invalid_request",
    description: "The challenge has expired or was used; request a new challenge"
  },
  mfa_verification_failed: {
    status: 422,
    error: "invalid_request",
    description: "The code is wrong; wait for the next code"
  },
  unenrol_needs_aal2: {
    status: 422,
    error: "access_denied",
    errorCode: "insufficient_aal",
    description: "Removing a factor requires a second factor: verify one with this session"
  },

  invalid_client: {
    status: 401,
    error: "invalid_client",
    description:
      "Client authentication failed: a confidential client sends HTTP Basic, a public client only its client_id",
    challenge: "Basic"
  },
  unauthorized_client: {
    status: 400,
    error: "unauthorized_client",
    description: "The client is not allowed to use this grant type"
  },
  invalid_scope: { status: 400, error: "invalid_scope", description: "The scope exceeds the granted scope" },
  invalid_target: {
    status: 400,
    error: "invalid_target",
    description: "The resource differs from the authorized resource"
  },
  oauth_authorize_refused: {
    status: 400,
    error: "invalid_request",
    errorCode: "validation_failed",
    description: "The client is not registered, or redirect_uri is not one of its registered URIs"
  },
  oauth_authorization_not_found: {
    status: 404,
    error: "invalid_request",
    description: "The authorization request does not exist"
  },
  oauth_authorization_not_pending: {
    status: 400,
    error: "invalid_request",
    errorCode: "validation_failed",
    description: "The user has already decided the authorization request"
  },
  oauth_grant_not_found: { status: 404, error: "invalid_request", description: "The grant does not exist" },
  oauth_dynamic_client_registration_disabled: {
    status: 403,
    error: "access_denied",
    description: "Only the operator can register clients"
  }
} as const satisfies Readonly<Record<string, Meaning>>

/** Name of a refusal. */
export type Refusal = keyof typeof meanings

/** Names of all refusals. */
export const refusals = Object.keys(meanings) as ReadonlyArray<Refusal>

/** Returns the HTTP status of a refusal. */
export const statusOf = (refusal: Refusal): number => meanings[refusal].status

/** Returns the headers that every response with the refusal carries. */
export const headersOf = (refusal: Refusal): Readonly<Record<string, string>> => {
  const { challenge }: Meaning = meanings[refusal]
  if (challenge === undefined) return {}
  return { "www-authenticate": challenge === "Basic" ? 'Basic realm="oauth"' : 'Bearer error="invalid_token"' }
}

/** Returns a refusal's body. `detail` replaces the usual text; spaces replace characters that RFC 6749 forbids. */
export const body = (refusal: Refusal, errorId?: string, detail?: string): AuthError => {
  const { description: usual, error, errorCode = refusal, status }: Meaning = meanings[refusal]
  const description = detail?.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, " ") ?? usual
  return {
    code: status,
    error_code: errorCode,
    msg: description,
    error,
    error_description: description,
    ...(errorId === undefined ? {} : { error_id: errorId })
  }
}
