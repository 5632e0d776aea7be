/** Callers that sign each request, or their connection, with the secret of an API key. */
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
  /** Unix seconds: the text of a header as it came, or the number of a frame. */
  readonly timestamp: string | number
  /** Hex, of either case. */
  readonly signature: string
}

export class Hmac extends Context.Service<
  Hmac,
  {
    /**
     * In this order: timestamp, key, signature, whether the key is still good and from where it may be used, and only
     * then the nonce, so that nobody without the secret uses up the nonces of a key. What the caller may do is asked
     * afterwards. `address` is empty when nobody knows where the caller is.
     */
    readonly verify: (signed: Signed, address: string) => Effect.Effect<Caller, Unauthenticated | DatabaseUnavailable>
    /** Whether its holder has signed here before. Keys that strangers make up never are, and nothing is kept of them. */
    readonly isKnown: (publicKey: string) => boolean
    /** A key that was just revoked is good for nothing here any more; other nodes hear of it. */
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
      /** Told only to whoever has the secret. */
      const obstacle = (key: ApiKey, address: string): "revoked_key" | "address" | undefined => {
        if (key.revokedAtMillis !== null) return "revoked_key"
        return holderOf(key).mayCallFrom(address) ? undefined : "address"
      }
      const known = yield* Cache.makeWith(keys.find, {
        capacity: maxKnownKeys,
        // Of names that are nobody's there is no end, and they would push out those that are somebody's.
        timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? knownFor : 0)
      })
      /** Keys that have signed, beyond the time they are remembered for; who signed first leaves it first. */
      const proven = new Set<string>()
      const prove = (publicKey: string) => {
        if (proven.has(publicKey)) return
        if (proven.size === maxKnownKeys) proven.delete(proven.keys().next().value!)
        proven.add(publicKey)
      }
      const forget = (publicKey: string) => {
        proven.delete(publicKey)
        // A lookup under way is forgotten with the rest: what it read may be of before.
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
        // Without a key the same work is done under another secret: the time taken tells nothing.
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
        yield* Effect.catchTags(nonces.claim(publicKey, nonce), {
          NonceReused: () => refused("nonce_reused"),
          // Another node took it back, and this one has not heard of it yet.
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
/** No key is revoked unheard; this bounds what a fault of hearing could do. */
const knownFor = "1 minute"
const maxKnownKeys = 10_000

const noncePattern = /^[0-9a-fA-F]{1,100}$/
/** As a whole number is written in one way only, and below 2^53. */
const timestampPattern = /^(?:0|[1-9][0-9]{0,14})$/
const signatureBytes = 32

const nobody = Redacted.make("0".repeat(64))

const formFault = ({ nonce, timestamp }: Signed, now: number): "timestamp" | "nonce_form" | undefined => {
  if (!isCurrent(timestamp, now)) return "timestamp"
  return noncePattern.test(nonce) ? undefined : "nonce_form"
}

/** What is made of a key once, and used at each of its calls. */
interface Holder {
  readonly caller: Caller
  readonly mayCallFrom: (address: string) => boolean
}

/** An empty list admits everybody, any other nobody whose address is not known. */
const access = ({ allowedAddresses }: ApiKey): Holder["mayCallFrom"] =>
  allowedAddresses.length === 0 ? () => true : AllowList.of(allowedAddresses)

/** Whole seconds on both sides, so that exactly 300 is inside whatever the milliseconds. */
const isCurrent = (timestamp: string | number, nowMillis: number): boolean =>
  timestampPattern.test(String(timestamp)) &&
  Math.abs(Math.floor(nowMillis / 1000) - Number(timestamp)) <= windowSeconds

/** A signature of the wrong form is compared too, as one that cannot be right. */
const isSignature = ({ nonce, signature, timestamp }: Signed, secret: Redacted.Redacted): boolean => {
  const expected = createHmac("sha256", Redacted.value(secret)).update(`${nonce}:${timestamp}`).digest()
  const given = Buffer.alloc(signatureBytes)
  const written = signature.length === 2 * signatureBytes ? given.write(signature, "hex") : 0
  return timingSafeEqual(expected, given) && written === signatureBytes
}
