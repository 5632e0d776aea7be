/** Wallet session, which a signed message starts and single-use refresh tokens extend. */
import { Tokens } from "@venue/api/auth/Session"
import { ErrorBody } from "@venue/api/auth/AuthError"
import { Clock, Effect, Option, Redacted, Schedule, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { Buffer } from "node:buffer"
import { type Credentials, CredentialsUnavailable, ofAccessToken } from "./Credentials.ts"
import * as WalletMessage from "./WalletMessage.ts"

/** Wallet with which a user signs in. */
export interface Wallet {
  /** Checksummed address (EIP-55). */
  readonly address: string
  readonly signMessage: (message: string) => Effect.Effect<string>
}

/** A venue's authentication service. */
export interface AuthPlace {
  /** URL that ends in `/auth/v1`. */
  readonly url: string
  /** Value of the `apikey` header. */
  readonly clientKey: string
  /** Service name in the statement that the wallet signs. */
  readonly serviceName: string
  /** URI in the message that the wallet signs. */
  readonly signInUri: string
}

/** Wallet and authentication service of a sign-in. */
export interface SignInOptions extends AuthPlace {
  readonly wallet: Wallet
  readonly chainId?: string
  /** Token from a solved CAPTCHA, which some venues require. */
  readonly captchaToken?: string
}

/** The service refused the request. A retry would fail too, but a new sign-in might succeed. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {
  code: Schema.String,
  detail: Schema.String
}) {}

/** The service did not respond, or returned an unexpected response. A retry might succeed. */
export class AuthUnavailable extends Schema.TaggedError<AuthUnavailable>()("AuthUnavailable", {
  cause: Schema.Defect()
}) {}

/** A user's session. */
export interface Session {
  readonly userId: string
  /** Access token. It is refreshed in the last minute before its expiry; one refresh serves all concurrent callers. */
  readonly accessToken: Effect.Effect<Redacted.Redacted, CredentialsUnavailable>
  readonly credentials: Credentials
  /** Current refresh token, with which `resume` continues the session. Each refresh replaces the token. */
  readonly refreshToken: Effect.Effect<Redacted.Redacted>
  /** Ends this session only; the user's other sessions continue. */
  readonly signOut: Effect.Effect<void, SignInRefused | AuthUnavailable | CredentialsUnavailable>
}

/** Signs in with a wallet and returns the session. */
export const signIn = Effect.fn("Session.signIn")(function* (options: SignInOptions) {
  const { captchaToken, chainId = "1", serviceName, signInUri, wallet } = options
  const { randomBytes } = yield* SecureRandom
  const post = yield* poster(options)
  const message = WalletMessage.text({
    address: wallet.address,
    uri: signInUri,
    serviceName,
    chainId,
    nonce: Buffer.from(yield* randomBytes(nonceBytes)).toString("hex"),
    issuedAtMillis: yield* Clock.currentTimeMillis
  })
  const body = { chain: "ethereum", message, signature: yield* wallet.signMessage(message) }
  const security = captchaToken === undefined ? {} : { svc_meta_security: { captcha_token: captchaToken } }
  return yield* sessionOf(post, yield* grant(post, "web3", { ...body, ...security }))
})

/** Continues a session from its current refresh token. */
export const resume = Effect.fn("Session.resume")(function* (
  options: AuthPlace & { readonly refreshToken: Redacted.Redacted }
) {
  const post = yield* poster(options)
  return yield* sessionOf(post, yield* refreshed(post, Redacted.value(options.refreshToken)))
})

const sessionOf = Effect.fnUntraced(function* (post: Post, first: Granted): Effect.fn.Return<Session> {
  const alone = yield* Semaphore.make(1)
  let granted = first
  const accessToken = Effect.gen(function* () {
    const isNearEnd = (yield* Clock.currentTimeMillis) >= granted.endsAtMillis - marginMillis
    if (isNearEnd) granted = yield* refreshed(post, granted.tokens.refresh_token)
    return Redacted.make(granted.tokens.access_token)
  }).pipe(
    Effect.catchTags({
      SignInRefused: ({ code }) => new CredentialsUnavailable({ reason: `the session was not refreshed: ${code}` }),
      AuthUnavailable: () => new CredentialsUnavailable({ reason: "the session was not refreshed: no response" })
    }),
    alone.withPermit
  )
  return {
    userId: first.tokens.user.id,
    accessToken,
    credentials: ofAccessToken(accessToken),
    refreshToken: Effect.sync(() => Redacted.make(granted.tokens.refresh_token)),
    signOut: Effect.flatMap(accessToken, (token) =>
      Effect.asVoid(post("/logout?scope=local", {}, `Bearer ${Redacted.value(token)}`))
    )
  }
})

interface Granted {
  readonly tokens: typeof Tokens.Type
  /** Time at which the access token expires, on this process's clock. */
  readonly endsAtMillis: number
}

type Post = (
  path: string,
  body: object,
  authorization?: string
) => Effect.Effect<HttpClientResponse.HttpClientResponse, SignInRefused | AuthUnavailable>

/**
 * Returns a function that sends requests. Only a status below 500 with the service's error body counts as a refusal.
 */
const poster = Effect.fnUntraced(function* ({
  clientKey,
  url
}: AuthPlace): Effect.fn.Return<Post, never, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  return Effect.fnUntraced(function* (path, body, authorization = `Bearer ${clientKey}`) {
    const request = HttpClientRequest.post(`${url}${path}`, { headers: { apikey: clientKey, authorization } })
    const response = yield* client
      .execute(HttpClientRequest.bodyJsonUnsafe(request, body))
      .pipe(Effect.timeout(answerWithin), Effect.mapError(unavailable))
    if (response.status >= 200 && response.status < 300) return response
    const refusal = yield* Effect.option(HttpClientResponse.schemaBodyJson(ErrorBody)(response))
    if (response.status >= 500 || Option.isNone(refusal)) return yield* unavailable(`status ${response.status}`)
    return yield* new SignInRefused({ code: refusal.value.error_code, detail: refusal.value.msg })
  })
})

const grant = Effect.fnUntraced(function* (post: Post, type: "web3" | "refresh_token", body: object) {
  const response = yield* post(`/token?grant_type=${type}`, body)
  const tokens = yield* Effect.mapError(HttpClientResponse.schemaBodyJson(Tokens)(response), unavailable)
  return { tokens, endsAtMillis: (yield* Clock.currentTimeMillis) + tokens.expires_in * 1_000 }
})

/**
 * Refreshes the tokens. A retry after a lost response is safe, because the service returns the same tokens again
 * within 10 s.
 */
const refreshed = (post: Post, refreshToken: string) =>
  Effect.retry(grant(post, "refresh_token", { refresh_token: refreshToken }), {
    while: (error) => error._tag === "AuthUnavailable",
    schedule: Schedule.exponential("200 millis"),
    times: 4
  })

const unavailable = (cause: unknown) => new AuthUnavailable({ cause })

const nonceBytes = 16
const answerWithin = "10 seconds"
/** Time before expiry at which an access token is refreshed, so that it does not expire in flight. */
const marginMillis = 60_000
