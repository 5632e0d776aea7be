/** A session of a wallet: begun by a message that it signs, kept alive by refresh tokens that work once. */
import { Tokens } from "@venue/api/auth/Session"
import { ErrorBody } from "@venue/api/auth/AuthError"
import { Clock, Effect, Option, Redacted, Schedule, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { Buffer } from "node:buffer"
import { type Credentials, CredentialsUnavailable, ofAccessToken } from "./Credentials.ts"
import * as WalletMessage from "./WalletMessage.ts"

export interface Wallet {
  /** With its checksum. */
  readonly address: string
  readonly signMessage: (message: string) => Effect.Effect<string>
}

/** Of the venue: where its authentication service is, and what that calls itself. */
export interface AuthPlace {
  /** Ends in `/auth/v1`. */
  readonly url: string
  readonly clientKey: string
  readonly serviceName: string
  readonly signInUri: string
}

export interface SignInOptions extends AuthPlace {
  readonly wallet: Wallet
  readonly chainId?: string
  /** Where the venue asks for one. */
  readonly captchaToken?: string
}

/** The service refused; signing in again may help, asking again will not. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {
  code: Schema.String,
  detail: Schema.String
}) {}

/** The service did not answer, or not as it should; asking again may help. */
export class AuthUnavailable extends Schema.TaggedError<AuthUnavailable>()("AuthUnavailable", {
  cause: Schema.Defect()
}) {}

export interface Session {
  readonly userId: string
  /** Refreshed when it is about to end, by one of those who ask at the same time. */
  readonly accessToken: Effect.Effect<Redacted.Redacted, CredentialsUnavailable>
  readonly credentials: Credentials
  /** The last one, for who wants to resume the session another time; each refresh uses it up. */
  readonly refreshToken: Effect.Effect<Redacted.Redacted>
  /** This session alone; others of the user go on. */
  readonly signOut: Effect.Effect<void, SignInRefused | AuthUnavailable | CredentialsUnavailable>
}

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
  const asked = { chain: "ethereum", message, signature: yield* wallet.signMessage(message) }
  const security = captchaToken === undefined ? {} : { svc_meta_security: { captcha_token: captchaToken } }
  return yield* prolonged(post, yield* grant(post, "web3", { ...asked, ...security }))
})

/** A session that was begun before, by the last refresh token that somebody kept of it. */
export const resume = Effect.fn("Session.resume")(function* (
  options: AuthPlace & { readonly refreshToken: Redacted.Redacted }
) {
  const post = yield* poster(options)
  return yield* prolonged(post, yield* refreshed(post, Redacted.value(options.refreshToken)))
})

const prolonged = Effect.fnUntraced(function* (post: Post, first: Granted): Effect.fn.Return<Session> {
  const alone = yield* Semaphore.make(1)
  let granted = first
  const accessToken = Effect.gen(function* () {
    const isNearEnd = (yield* Clock.currentTimeMillis) >= granted.endsAtMillis - marginMillis
    if (isNearEnd) granted = yield* refreshed(post, granted.tokens.refresh_token)
    return Redacted.make(granted.tokens.access_token)
  }).pipe(
    Effect.catchTags({
      SignInRefused: ({ code }) => new CredentialsUnavailable({ reason: `the session was not prolonged: ${code}` }),
      AuthUnavailable: () => new CredentialsUnavailable({ reason: "the session was not prolonged: no answer" })
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
  /** On our own clock. */
  readonly endsAtMillis: number
}

type Post = (
  path: string,
  body: object,
  authorization?: string
) => Effect.Effect<HttpClientResponse.HttpClientResponse, SignInRefused | AuthUnavailable>

/** A refusal is one of the service only when it says so in its own words. */
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

/** An answer that was lost is asked for again: the service gives the same once more within ten seconds. */
const refreshed = (post: Post, refreshToken: string) =>
  Effect.retry(grant(post, "refresh_token", { refresh_token: refreshToken }), {
    while: (error) => error._tag === "AuthUnavailable",
    schedule: Schedule.exponential("200 millis"),
    times: 4
  })

const unavailable = (cause: unknown) => new AuthUnavailable({ cause })

const nonceBytes = 16
const answerWithin = "10 seconds"
/** Before the end of an access token, so that it does not end on its way. */
const marginMillis = 60_000
