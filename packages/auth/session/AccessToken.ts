/** Access tokens: the JWT of a session, with its claims and its verification. */
import { Uuid } from "@venue/domain/Id"
import { Effect, Option, Schema } from "effect"
import { UserId } from "@venue/domain/UserId"
import type { Assurance } from "@venue/storage/access/Assurance"
import type { Session } from "@venue/storage/access/Sessions"
import { decodeProtectedHeader, errors, jwtVerify, type ProtectedHeaderParameters } from "jose"
import type { SigningKeys } from "../keys/SigningKeys.ts"
import { tokenLifetimeSeconds } from "./TokenLifetime.ts"

export interface TokenClaims {
  readonly userId: UserId
  readonly sessionId: string
  /** Id of the key that signed the token. */
  readonly kid: string
  readonly aal: Assurance
  /** Application that holds the token; null for a token that the user holds. */
  readonly clientId: string | null
  readonly scope: string | null
  readonly issuedAtMillis: number
  readonly expiresAtMillis: number
}

/** The token is invalid. Every cause gets the same response. `reason` is only for logs and omits the token. */
export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {
  reason: Schema.Literals(["form", "header", "unknown_key", "signature", "claims", "expired"])
}) {}

const audience = "authenticated"
const type = "at+jwt"

export interface Issue {
  readonly issuer: string
  readonly tokenId: string
  /** Scope of this token: the session's scope or a part of it. */
  readonly scope: string | null
  readonly issuedAtSeconds: number
}

export const claimsOf = (session: Session, { issuedAtSeconds, issuer, scope, tokenId }: Issue) => ({
  iss: issuer,
  aud: audience,
  sub: session.userId,
  iat: issuedAtSeconds,
  exp: issuedAtSeconds + tokenLifetimeSeconds,
  jti: tokenId,
  role: audience,
  aal: session.aal,
  amr: session.amr,
  session_id: session.sessionId,
  email: "",
  phone: "",
  is_anonymous: false,
  app_metadata: { provider: "web3", providers: ["web3"] },
  user_metadata: {},
  ...(session.clientId === null ? {} : { client_id: session.clientId, scope: scope ?? "" })
})

/** Checks a token's signature, issuer and expiry. Does not check whether the session is still live. */
export const check = Effect.fnUntraced(function* (
  token: string,
  {
    issuer,
    keys,
    nowMillis
  }: {
    readonly issuer: string
    readonly keys: SigningKeys["Service"]
    readonly nowMillis: number
  }
): Effect.fn.Return<TokenClaims, InvalidToken> {
  const header = headerOf(token)
  if (header === undefined) return yield* new InvalidToken({ reason: "form" })
  const { kid } = header
  if (!isPlain(header) || kid === undefined) return yield* new InvalidToken({ reason: "header" })
  const key = yield* keys.seek(kid)
  if (key === undefined) return yield* new InvalidToken({ reason: "unknown_key" })
  const { payload } = yield* Effect.tryPromise({
    try: () =>
      jwtVerify(token, key, {
        algorithms: [algorithm],
        issuer,
        audience,
        requiredClaims: ["exp"],
        clockTolerance: leewaySeconds,
        currentDate: new Date(nowMillis)
      }),
    catch: (error) => new InvalidToken({ reason: reasonOf(error) })
  })
  const decoded = decodePayload(payload)
  if (Option.isNone(decoded) || decoded.value.iat * 1000 > nowMillis + aheadMillis) {
    return yield* new InvalidToken({ reason: "claims" })
  }
  return tokenClaims(decoded.value, kid)
})

export const isOver = ({ expiresAtMillis }: TokenClaims, nowMillis: number): boolean =>
  expiresAtMillis <= Math.floor(nowMillis / 1000) * 1000 - leewaySeconds * 1000

const algorithm = "ES256"
const maxLength = 8 * 1024
const leewaySeconds = 5
/** Maximum time by which the issuing node's clock is allowed to be ahead, in milliseconds. */
const aheadMillis = 60_000

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/

const headerOf = (token: string): ProtectedHeaderParameters | undefined =>
  token.length <= maxLength && threeParts.test(token)
    ? Option.getOrUndefined(Option.liftThrowable(decodeProtectedHeader)(token))
    : undefined

/** Returns false if the header contains its own key or lists critical parameters. */
const isPlain = (header: ProtectedHeaderParameters): boolean =>
  header.alg === algorithm && header.typ === type && !foreign.some((member) => Object.hasOwn(header, member))

const foreign = ["crit", "b64", "jwk", "jku", "x5u", "x5c"]

const reasonOf = (error: unknown): InvalidToken["reason"] => {
  if (error instanceof errors.JWTExpired) return "expired"
  if (error instanceof errors.JWTClaimValidationFailed) return "claims"
  return error instanceof errors.JWSSignatureVerificationFailed ? "signature" : "form"
}

const Payload = Schema.Struct({
  sub: Uuid,
  session_id: Uuid,
  iat: Schema.Int,
  exp: Schema.Int,
  aal: Schema.Literals(["aal1", "aal2"]),
  client_id: Schema.optionalKey(Schema.String),
  scope: Schema.optionalKey(Schema.String)
})
const decodePayload = Schema.decodeUnknownOption(Payload)

const tokenClaims = (
  { aal, client_id, exp, iat, scope, session_id, sub }: typeof Payload.Type,
  kid: string
): TokenClaims => ({
  userId: UserId.make(sub),
  sessionId: session_id,
  kid,
  aal,
  clientId: client_id ?? null,
  scope: scope ?? null,
  issuedAtMillis: iat * 1000,
  expiresAtMillis: exp * 1000
})
