/** HMAC authentication: each request or connection is signed with the secret of an API key. */
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import type { ApiKey } from "@venue/storage/access/ApiKeyTable"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Nonces } from "@venue/storage/access/Nonces"
import { Revocations } from "@venue/storage/access/Revocations"
import { Cache, Clock, Context, Effect, Exit, Layer, Option, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { createHmac, timingSafeEqual } from "node:crypto"
import * as AllowList from "./AllowList.ts"
import { type Caller, ofKey, Unauthenticated } from "./Caller.ts"
import * as KeyPair from "../keys/KeyPair.ts"
import * as KeyUses from "./KeyUses.ts"

export interface Signed {
  readonly publicKey: string
  readonly nonce: string
  /** Unix seconds, as the text of a header or as a number in a frame. */
  readonly timestamp: string | number
  /** Hexadecimal, in upper or lower case. */
  readonly signature: string
}

export class Hmac extends Context.Service<
  Hmac,
  {
    /**
     * Checks the timestamp, key, signature, revocation and allowed IP addresses before it uses up the nonce, so that
     * only holders of the secret can use up nonces. Does not check permissions. `address` is empty if the caller's IP
     * address is unknown.
     */
    readonly verify: (signed: Signed, address: string) => Effect.Effect<Caller, Unauthenticated | DatabaseUnavailable>
    /** Returns true if the key has signed a request to this node before. Invented keys are never stored. */
    readonly isKnown: (publicKey: string) => boolean
    /** Rejects a key that this node has revoked, from now on; other nodes receive a revocation. */
    readonly forget: (publicKey: string) => void
  }
>()("@venue/auth/access/Hmac") {
  static readonly layer: Layer.Layer<Hmac, never, ApiKeys | Nonces | Revocations> = Layer.effect(
    Hmac,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const nonces = yield* Nonces
      const revocations = yield* Revocations
      const uses = yield* KeyUses.make
      const clock = yield* Clock.Clock
      const holders = new WeakMap<ApiKey, Holder>()
      const holderOf = (key: ApiKey): Holder => {
        const holder = holders.get(key) ?? { caller: ofKey(key), mayCallFrom: access(key) }
        holders.set(key, holder)
        return holder
      }
      /** Checked after the signature, so that only the holder of the secret learns the result. */
      const obstacle = (key: ApiKey, address: string): "revoked_key" | "address" | undefined => {
        if (key.revokedAtMillis !== null) return "revoked_key"
        return holderOf(key).mayCallFrom(address) ? undefined : "address"
      }
      const known = yield* Cache.makeWith(keys.find, {
        capacity: maxKnownKeys,
        // Unknown keys are not cached: callers can invent any number of keys, which would evict real ones.
        timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? knownFor : 0)
      })
      /** Keys that have signed a valid request, kept longer than in the cache; the oldest key is evicted first. */
      const proven = new Set<string>()
      const prove = (publicKey: string) => {
        if (proven.has(publicKey)) return
        if (proven.size === maxKnownKeys) proven.delete(proven.keys().next().value!)
        proven.add(publicKey)
      }
      const forget = (publicKey: string) => {
        proven.delete(publicKey)
        // Also discards a pending look-up, because its result might precede the revocation.
        Effect.runSync(Cache.invalidate(known, publicKey))
      }
      yield* revocations.watch(({ kind, subject }) => {
        if (kind === "key") forget(subject)
      })

      const verify = Effect.fnUntraced(function* (signed: Signed, address: string) {
        const { nonce, publicKey } = signed
        const now = clock.currentTimeMillisUnsafe()
        const fault = formFault(signed, now)
        if (fault !== undefined) return yield* new Unauthenticated({ reason: fault })
        const found = KeyPair.isPublicKey(publicKey) ? yield* Cache.get(known, publicKey) : Option.none<ApiKey>()
        // For an unknown key, does the same work with a dummy secret, so that the response time reveals nothing.
        const isSigned = isSignature(signed, Option.match(found, { onNone: () => nobody, onSome: (key) => key.secret }))
        if (Option.isNone(found)) return yield* new Unauthenticated({ reason: "unknown_key" })
        const key = found.value
        const reason = isSigned ? obstacle(key, address) : "signature"
        if (reason !== undefined) {
          uses.failed(publicKey, now)
          return yield* new Unauthenticated({ reason })
        }
        const refused = (reason: "nonce_reused" | "revoked_key") => {
          uses.failed(publicKey, now)
          return Effect.fail(new Unauthenticated({ reason }))
        }
        yield* Effect.catchTags(nonces.claim(publicKey, nonce, Number(signed.timestamp) * 1_000), {
          NonceReused: () => refused("nonce_reused"),
          // Another node has revoked the key, and this node has not received the revocation yet.
          KeyRevoked: () => {
            forget(publicKey)
            return refused("revoked_key")
          }
        })
        uses.used(publicKey, now)
        prove(publicKey)
        return holderOf(key).caller
      })

      return Hmac.of({ verify, isKnown: (publicKey) => proven.has(publicKey), forget })
    })
  )
}

const windowSeconds = 300
/** Revocations invalidate the cache; this time limit bounds the effect of a lost revocation. */
const knownFor = "1 minute"
const maxKnownKeys = 10_000

const noncePattern = /^[0-9a-fA-F]{1,100}$/
/** Decimal digits without leading zeros, below 2^53. */
const timestampPattern = /^(?:0|[1-9][0-9]{0,14})$/
const signatureBytes = 32

const nobody = Redacted.make("0".repeat(64))

const formFault = ({ nonce, timestamp }: Signed, now: number): "timestamp" | "nonce_form" | undefined => {
  if (!isCurrent(timestamp, now)) return "timestamp"
  return noncePattern.test(nonce) ? undefined : "nonce_form"
}

/** Values that are computed once per key and used for each request. */
interface Holder {
  readonly caller: Caller
  readonly mayCallFrom: (address: string) => boolean
}

/** An empty list allows every IP address. Any other list rejects callers with an unknown address. */
const access = ({ allowedAddresses }: ApiKey): Holder["mayCallFrom"] =>
  allowedAddresses.length === 0 ? () => true : AllowList.of(allowedAddresses)

/** Compares whole seconds, so that a difference of exactly 300 s is accepted regardless of the milliseconds. */
const isCurrent = (timestamp: string | number, nowMillis: number): boolean =>
  timestampPattern.test(String(timestamp)) &&
  Math.abs(Math.floor(nowMillis / 1000) - Number(timestamp)) <= windowSeconds

/** Compares even a malformed signature, as a value that never matches, so that the response time is the same. */
const isSignature = ({ nonce, signature, timestamp }: Signed, secret: Redacted.Redacted): boolean => {
  const expected = createHmac("sha256", Redacted.value(secret)).update(`${nonce}:${timestamp}`).digest()
  const given = Buffer.alloc(signatureBytes)
  const written = signature.length === 2 * signatureBytes ? given.write(signature, "hex") : 0
  return timingSafeEqual(expected, given) && written === signatureBytes
}
