/** Who a program is to the venue: asked anew for each connection and each request. */
import { headerName, neutralBrand } from "@venue/api/Headers"
import type { HmacCredential } from "@venue/api/trade/CommandSchema"
import { Clock, Effect, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Buffer } from "node:buffer"
import { createHmac } from "node:crypto"

/** The reason is for people, and holds no secret. */
export class CredentialsUnavailable extends Schema.TaggedError<CredentialsUnavailable>()("CredentialsUnavailable", {
  reason: Schema.String
}) {}

export interface Credentials {
  /** What the `auth` command of the trade socket says. */
  readonly params: Effect.Effect<{ readonly hmac: HmacCredential } | { readonly jwt: string }, CredentialsUnavailable>
  /** The headers of a REST request. */
  readonly headers: Effect.Effect<Readonly<Record<string, string>>, CredentialsUnavailable>
}

export interface ApiKey {
  readonly publicKey: string
  readonly secretKey: Redacted.Redacted
}

/** Each use has a nonce of its own. Venues of every brand take the neutral headers. */
export const ofApiKey = Effect.fnUntraced(function* (key: ApiKey, brand: string = neutralBrand) {
  const random = yield* SecureRandom
  const signed = Effect.gen(function* () {
    const nonce = Buffer.from(yield* random.randomBytes(nonceBytes)).toString("hex")
    return sign(key, nonce, Math.floor((yield* Clock.currentTimeMillis) / 1000))
  })
  const credentials: Credentials = {
    params: Effect.map(signed, (hmac) => ({ hmac })),
    headers: Effect.map(signed, ({ nonce, public_key, signature, unix_ts }) => ({
      [headerName(brand, "public-key")]: public_key,
      [headerName(brand, "nonce")]: nonce,
      [headerName(brand, "timestamp")]: String(unix_ts),
      [headerName(brand, "hmac-signature")]: signature
    }))
  }
  return credentials
})

/** Of a session, or of whatever else has access tokens. */
export const ofAccessToken = (token: Effect.Effect<Redacted.Redacted, CredentialsUnavailable>): Credentials => ({
  params: Effect.map(token, (jwt) => ({ jwt: Redacted.value(jwt) })),
  headers: Effect.map(token, (jwt) => ({ authorization: `Bearer ${Redacted.value(jwt)}` }))
})

/** The secret is the text itself, not what its hex digits stand for. */
export const sign = ({ publicKey, secretKey }: ApiKey, nonce: string, unixSeconds: number): HmacCredential => ({
  public_key: publicKey,
  nonce,
  unix_ts: unixSeconds,
  signature: createHmac("sha256", Redacted.value(secretKey)).update(`${nonce}:${unixSeconds}`).digest("hex")
})

const nonceBytes = 16
