/** Applications and consenting users in memory and on Postgres, and the steps from a request to a session. */
import type { TokenClaims } from "@venue/auth/session/AccessToken"
import { type Answered, Authorize, type Begun } from "@venue/auth/oauth/Authorize"
import { ClientAuthentication } from "@venue/auth/oauth/ClientAuthentication"
import { ClientRegistration, type Registration } from "@venue/auth/oauth/ClientRegistration"
import { CodeExchange, type Redemption } from "@venue/auth/oauth/CodeExchange"
import { Consents } from "@venue/auth/oauth/Consents"
import { SecondFactor } from "@venue/auth/session/SecondFactor"
import { type Issued, SessionTokens } from "@venue/auth/session/SessionTokens"
import { TokenRevocation } from "@venue/auth/session/TokenRevocation"
import { UserId } from "@venue/domain/UserId"
import { Authorizations } from "@venue/storage/access/Authorizations"
import { FactorChallenges } from "@venue/storage/access/FactorChallenges"
import { Factors } from "@venue/storage/access/Factors"
import { Grants } from "@venue/storage/access/Grants"
import { type OAuthClient, OAuthClients } from "@venue/storage/access/OAuthClients"
import { Profiles } from "@venue/storage/access/Profiles"
import { RecoveryCodes } from "@venue/storage/access/RecoveryCodes"
import { Seal } from "@venue/postgres/Seal"
import { Users } from "@venue/storage/access/Users"
import { Effect, Layer, Option, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { TOTP } from "otpauth"
import { postgresLayer } from "../../Postgres.ts"
import * as SessionServices from "../session/SessionServices.ts"

export const issuer = SessionServices.issuer
export const consentPage = "https://app.venue.example/consent"

const useCases = Layer.mergeAll(
  Authorize.layer({ consentPage, issuer }),
  ClientAuthentication.layer,
  ClientRegistration.layer,
  CodeExchange.layer({ issuer }),
  Consents.layer,
  TokenRevocation.layer
).pipe(Layer.provideMerge(SecondFactor.layer))

export const memory = useCases.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Authorizations.layerMemory,
      FactorChallenges.layerMemory,
      Factors.layerMemory,
      Grants.layerMemory,
      OAuthClients.layerMemory,
      Profiles.layerMemory,
      RecoveryCodes.layerMemory
    )
  ),
  Layer.provideMerge(SessionServices.memory)
)

export const postgres = useCases.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Authorizations.layer,
      FactorChallenges.layer,
      Factors.layer,
      Grants.layer,
      OAuthClients.layer,
      Profiles.layer,
      RecoveryCodes.layer
    )
  ),
  Layer.provideMerge(SessionServices.postgres),
  Layer.provide(Seal.layer(Redacted.make("a secret key for tests, and for nothing else"))),
  Layer.provide(postgresLayer)
)

export type Services = Layer.Success<typeof memory>

export const operator = { actor: "operator", reason: "a test" }
export const redirectUri = "https://rp.example/cb"
/** Verifier and challenge from RFC 7636, appendix B. */
export const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

export const registration: Registration = {
  name: "Example App",
  type: "confidential",
  redirectUris: [redirectUri, "https://rp.example/cb?tenant=7"],
  logoUri: "https://rp.example/logo.png",
  clientUri: null,
  allowLoopback: false
}

export const register = (changes: Partial<Registration> = {}) =>
  Effect.flatMap(ClientRegistration, (clients) => clients.register({ ...registration, ...changes }, operator))

export const signedIn = Effect.gen(function* () {
  const userId = yield* (yield* SecureRandom.SecureRandom).uuidV4()
  yield* (yield* Users).create({ userId: UserId.make(userId), name: "" })
  return yield* signInOf(UserId.make(userId))
})

export const signInOf = (userId: UserId) =>
  Effect.gen(function* () {
    const tokens = yield* SessionTokens
    return claimsOf(yield* tokens.begin({ userId, clientId: null, publicClient: false, scope: null, method: "web3" }))
  })

export const claimsOf = ({ expiresAtSeconds, scope, session }: Issued): TokenClaims => {
  const { aal, clientId, sessionId, userId } = session
  const expiresAtMillis = expiresAtSeconds * 1_000
  return {
    userId,
    sessionId,
    kid: "a key",
    aal,
    clientId,
    scope,
    issuedAtMillis: expiresAtMillis - 3_600_000,
    expiresAtMillis
  }
}

/** Enrols a second factor and returns a session that the second factor has verified. */
export const secured = (caller: TokenClaims) =>
  Effect.gen(function* () {
    const factors = yield* SecondFactor
    const { factorId, secret } = yield* factors.enrol(caller, { friendlyName: "phone", issuer: "Example Venue" })
    const { challengeId } = yield* factors.challenge(caller, factorId)
    const timestamp = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    const code = new TOTP({ secret: Redacted.value(secret) }).generate({ timestamp })
    const { issued } = yield* factors.verify(caller, factorId, challengeId, Redacted.make(code))
    return claimsOf(issued)
  })

export const query = (clientId: string, changes: Readonly<Record<string, string | undefined>> = {}) => {
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "openid email",
    state: "a state",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...changes
  }
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new URLSearchParams(given)
}

export const begin = (query: URLSearchParams) => Effect.flatMap(Authorize, (authorize) => authorize.begin(query))

/** Returns the id of an accepted authorization request. */
export const requestId = ({ clientId }: OAuthClient, changes: Readonly<Record<string, string | undefined>> = {}) =>
  Effect.map(begin(query(clientId, changes)), idOf)

const idOf = (begun: Begun) => {
  if (begun._tag === "Consent") return begun.authorizationId
  throw new Error(`the request was sent back: ${begun.url}`)
}

export const answerOf = ({ redirectUrl }: Answered) => new URL(Redacted.value(redirectUrl))

export const codeOf = (answered: Answered) => Redacted.make(answerOf(answered).searchParams.get("code")!)

export const approvedCode = (
  caller: TokenClaims,
  client: OAuthClient,
  changes: Readonly<Record<string, string | undefined>> = {}
) =>
  Effect.gen(function* () {
    const authorize = yield* Authorize
    return codeOf(yield* authorize.decide(caller, yield* requestId(client, changes), "approve"))
  })

export const redemption = (code: Redacted.Redacted, changes: Partial<Redemption> = {}): Redemption => ({
  code,
  redirectUri,
  codeVerifier: Redacted.make(verifier),
  resource: undefined,
  ...changes
})

export const exchange = (client: OAuthClient, presented: Redemption) =>
  Effect.flatMap(CodeExchange, (codes) => codes.exchange(client, presented))

export const start = TestClock.setTime(1_000_000)

export const isUsed = (code: Redacted.Redacted) =>
  Effect.gen(function* () {
    return Option.getOrThrow(yield* (yield* Authorizations).findCode(code)).isConsumed
  })
