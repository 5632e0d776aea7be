/** Credentials with which a program signs in to a venue, created anew for each connection and each request. */
import { headerName, neutralBrand } from "@venue/api/Headers"
import type { HmacCredential } from "@venue/api/trade/CommandSchema"
import { Clock, Effect, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Buffer } from "node:buffer"
import { createHmac } from "node:crypto"

/** Failure to obtain credentials. `reason` is meant for people and contains no secret. */
export class CredentialsUnavailable extends Schema.TaggedError<CredentialsUnavailable>()("CredentialsUnavailable", {
  reason: Schema.String
}) {}

/** Credentials for the trade socket and REST. */
export interface Credentials {
  /** Credential members of the trade socket's `auth` command. */
  readonly params: Effect.Effect<{ readonly hmac: HmacCredential } | { readonly jwt: string }, CredentialsUnavailable>
  /** Credential headers of a REST request. */
  readonly headers: Effect.Effect<Readonly<Record<string, string>>, CredentialsUnavailable>
}

/** API key with its secret. */
export interface ApiKey {
  readonly publicKey: string
  readonly secretKey: Redacted.Redacted
}

/**
 * Returns credentials that are signed with an API key, with a new nonce on each use. Every venue accepts the neutral
 * headers.
 */
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

/** Returns credentials that carry an access token, which `token` supplies on each use. */
export const ofAccessToken = (token: Effect.Effect<Redacted.Redacted, CredentialsUnavailable>): Credentials => ({
  params: Effect.map(token, (jwt) => ({ jwt: Redacted.value(jwt) })),
  headers: Effect.map(token, (jwt) => ({ authorization: `Bearer ${Redacted.value(jwt)}` }))
})

/**
 * Signs `nonce:unixSeconds` with HMAC-SHA256. The HMAC key is the secret's text, not the bytes that its hex digits
 * encode.
 */
export const sign = ({ publicKey, secretKey }: ApiKey, nonce: string, unixSeconds: number): HmacCredential => ({
  public_key: publicKey,
  nonce,
  unix_ts: unixSeconds,
  signature: createHmac("sha256", Redacted.value(secretKey)).update(`${nonce}:${unixSeconds}`).digest("hex")
})

const nonceBytes = 16
