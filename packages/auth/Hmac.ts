/** Callers that sign each request, or their connection, with the secret of an API key. */
import { ApiKeys, type ApiKey } from "@venue/storage/ApiKeys"
import type { DatabaseUnavailable } from "@venue/storage/DatabaseUnavailable"
import { Nonces } from "@venue/storage/Nonces"
import { ServerTime } from "@venue/storage/ServerTime"
import { Cache, Clock, Context, Effect, Exit, Layer, Option, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { createHmac, timingSafeEqual } from "node:crypto"
import { type Caller, Unauthenticated } from "./Caller.ts"

export interface Signed {
  readonly publicKey: string
  readonly nonce: string
  /** Unix seconds: the text of a header as it came, or the number of a frame. */
  readonly timestamp: string | number
  /** Hex, of either case. */
  readonly signature: string
}

export class Hmac extends Context.Service<
  Hmac,
  {
    /**
     * In this order: timestamp, key, signature, and only then the nonce, so that nobody without the secret uses up the
     * nonces of a key. What the caller may do is asked afterwards.
     */
    readonly verify: (signed: Signed) => Effect.Effect<Caller, Unauthenticated | DatabaseUnavailable>
  }
>()("@venue/auth/Hmac") {
  static readonly layer: Layer.Layer<Hmac, never, ApiKeys | Nonces> = Layer.effect(
    Hmac,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const nonces = yield* Nonces
      const serverTime = yield* ServerTime
      const known = yield* Cache.makeWith(keys.find, {
        capacity: maxKnownKeys,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? freshFor : 0)
      })

      const verify = Effect.fn("Hmac.verify")(function* (signed: Signed) {
        const { nonce, publicKey, signature, timestamp } = signed
        const now = (yield* Clock.currentTimeMillis) + serverTime.offsetMillis()
        if (!isCurrent(timestamp, now)) return yield* new Unauthenticated({ reason: "timestamp" })
        if (!noncePattern.test(nonce)) return yield* new Unauthenticated({ reason: "nonce_form" })
        const found = publicKeyPattern.test(publicKey) ? yield* Cache.get(known, publicKey) : Option.none<ApiKey>()
        // Without a key the same work is done under another secret: the time taken tells nothing.
        const secret = Option.match(found, { onNone: () => nobody, onSome: (key) => key.secret })
        const isSigned = isSignature(signature, secret, `${nonce}:${timestamp}`)
        if (Option.isNone(found)) return yield* new Unauthenticated({ reason: "unknown_key" })
        if (!isSigned) return yield* new Unauthenticated({ reason: "signature" })
        const key = found.value
        if (key.revokedAtMillis !== null) return yield* new Unauthenticated({ reason: "revoked_key" })
        yield* Effect.catchTag(nonces.claim(publicKey, nonce), "NonceReused", () =>
          Effect.fail(new Unauthenticated({ reason: "nonce_reused" }))
        )
        const caller: Caller = {
          userId: key.userId,
          permissions: new Set(key.permissions),
          scope: key.scope,
          publicKey,
          via: "hmac"
        }
        return caller
      })

      return Hmac.of({ verify })
    })
  )
}

const windowSeconds = 300
/** How long a revoked key may still be taken for good; half of what is promised. */
const freshFor = "500 millis"
const maxKnownKeys = 10_000

const noncePattern = /^[0-9a-fA-F]{1,100}$/
const publicKeyPattern = /^[\w-]{1,128}$/
/** As a whole number is written in one way only, and below 2^53. */
const timestampPattern = /^(?:0|[1-9][0-9]{0,14})$/
const signatureBytes = 32

const nobody = Redacted.make("0".repeat(64))

/** Whole seconds on both sides, so that exactly 300 is inside whatever the milliseconds. */
const isCurrent = (timestamp: string | number, nowMillis: number): boolean =>
  timestampPattern.test(String(timestamp)) &&
  Math.abs(Math.floor(nowMillis / 1000) - Number(timestamp)) <= windowSeconds

/** A signature of the wrong form is compared too, as one that cannot be right. */
const isSignature = (signature: string, secret: Redacted.Redacted, text: string): boolean => {
  const expected = createHmac("sha256", Redacted.value(secret)).update(text).digest()
  const given = Buffer.alloc(signatureBytes)
  const written = signature.length === 2 * signatureBytes ? given.write(signature, "hex") : 0
  return timingSafeEqual(expected, given) && written === signatureBytes
}
