/** Parameters of an authorization request. They are read only after the redirect URI was found to be registered. */
import type { AuthorizationRequested } from "@venue/storage/access/Authorizations"
import { Result } from "effect"
import * as Pkce from "./Pkce.ts"
import * as Scope from "./Scope.ts"

/** Error response to the application: `error` and `error_description`. */
export interface RequestFault {
  readonly error:
    | "invalid_request"
    | "unsupported_response_type"
    | "invalid_scope"
    | "invalid_target"
    | "request_not_supported"
    | "request_uri_not_supported"
    | "login_required"
  readonly description: string
}

/** Returns the value of a parameter, or undefined if the parameter is absent, empty or repeated. */
export const only = (query: URLSearchParams, name: string): string | undefined => {
  const values = query.getAll(name)
  return values.length === 1 && values[0] !== "" ? values[0] : undefined
}

/** Returns the `state` to repeat in the response, or undefined if it is invalid. */
export const stateOf = (query: URLSearchParams): string | undefined => {
  const state = only(query, "state")
  return state !== undefined && isPlain(state) ? state : undefined
}

/** Reads the parameters; returns the first fault, in the order of the checks. */
export const read = (
  query: URLSearchParams
): Result.Result<Omit<AuthorizationRequested, "clientId" | "redirectUri">, RequestFault> => {
  const value = (name: string) => only(query, name)
  const refuse = (error: RequestFault["error"], description: string) => Result.fail({ error, description })

  if (new Set(query.keys()).size < query.size) return refuse("invalid_request", "A parameter occurs more than once")
  const responseType = value("response_type")
  if (responseType === undefined) return refuse("invalid_request", "response_type is missing")
  if (responseType !== "code") return refuse("unsupported_response_type", "response_type must be code")
  const state = stateOf(query)
  if (state === undefined) return refuse("invalid_request", "state must be 1 to 512 printable characters")
  const codeChallenge = value("code_challenge")
  if (codeChallenge === undefined || !Pkce.isChallenge(codeChallenge)) {
    return refuse("invalid_request", "code_challenge must be 43 base64url characters")
  }
  if (value("code_challenge_method") !== Pkce.method) {
    return refuse("invalid_request", "code_challenge_method must be S256")
  }
  const scope = Scope.read(value("scope"))
  if (scope === undefined) return refuse("invalid_scope", "scope contains an unknown value")
  if (value("request") !== undefined) return refuse("request_not_supported", "request is not supported")
  if (value("request_uri") !== undefined) {
    return refuse("request_uri_not_supported", "request_uri is not supported")
  }
  if ((value("response_mode") ?? "query") !== "query") return refuse("invalid_request", "response_mode must be query")
  const nonce = value("nonce") ?? null
  if (nonce !== null && !isPlain(nonce)) {
    return refuse("invalid_request", "nonce must be 1 to 512 printable characters")
  }
  const resource = value("resource") ?? null
  if (resource !== null && !isResource(resource)) {
    return refuse("invalid_target", "resource must be an absolute URI without a fragment")
  }
  const maxAge = value("max_age")
  if (maxAge !== undefined && !wholeSeconds.test(maxAge)) {
    return refuse("invalid_request", "max_age must be a whole number of seconds")
  }
  const prompts = value("prompt")?.split(" ") ?? []
  if (prompts.includes("none"))
    return refuse("login_required", "The user must sign in and consent, which prompt=none forbids")
  return Result.succeed({
    scope: Scope.print(scope),
    state,
    codeChallenge,
    nonce,
    resource,
    maxAgeSeconds: prompts.includes("login") ? 0 : maxAge === undefined ? null : Math.min(Number(maxAge), longestAge),
    promptsConsent: prompts.includes("consent")
  })
}

const wholeSeconds = /^\d{1,10}$/
/** Largest value of a Postgres `integer`, which is 68 years in seconds. */
const longestAge = 2_147_483_647

/** Returns true for 1 to 512 characters of printable ASCII. */
const isPlain = (text: string): boolean => /^[\x20-\x7e]{1,512}$/.test(text)

const isResource = (text: string): boolean => isPlain(text) && URL.canParse(text) && !text.includes("#")
