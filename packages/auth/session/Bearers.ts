/** Authentication by access token: a token is verified fully once and then cached. */
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import { Revocations, trustedDelayMillis } from "@venue/storage/access/Revocations"
import { type SessionEnded, Sessions } from "@venue/storage/access/Sessions"
import { Clock, Context, Effect, Layer } from "effect"
import { check, InvalidToken, isOver, type TokenClaims } from "./AccessToken.ts"
import { liveSession } from "./LiveSession.ts"
import { SigningKeys } from "../keys/SigningKeys.ts"

export class Bearers extends Context.Service<
  Bearers,
  {
    /**
     * Verifies a token. On every node, a token becomes invalid within a second after it expires, its key is removed
     * or its session ends. A node that has missed revocations for a while reads the database for each request.
     */
    readonly verify: (token: string) => Effect.Effect<TokenClaims, InvalidToken | SessionEnded | DatabaseUnavailable>
    /** Returns true if this node has verified the token and the token was not revoked since. */
    readonly isKnown: (token: string) => boolean
  }
>()("@venue/auth/session/Bearers") {
  /** `capacity` is the maximum number of cached tokens. */
  static readonly layer = ({
    capacity = 10_000,
    issuer
  }: {
    readonly capacity?: number
    readonly issuer: string
  }): Layer.Layer<Bearers, never, Revocations | Sessions | SigningKeys> =>
    Layer.effect(
      Bearers,
      Effect.gen(function* () {
        const keys = yield* SigningKeys
        const sessions = yield* Sessions
        const revocations = yield* Revocations
        /** Cached tokens, keyed by signature, because the signature identifies the token and is only a tenth of it. */
        const known = new Map<string, Known>()
        let received = 0
        /** Signing keys that another node has removed, but that this node might not have reread yet. */
        const removed = new Set<string>()

        // Scanning the cache is acceptable, because revocations are rare and the cache is small.
        yield* revocations.watch(({ kind, subject }) => {
          if (kind === "key" || kind === "signing_keys") return
          received++
          if (kind === "signing_key" && keys.find(subject) !== undefined) removed.add(subject)
          for (const [name, { claims }] of known) {
            if (subject === claims[subjects[kind]]) known.delete(name)
          }
        })

        const remember = (entry: Known) => {
          // The first entry is the oldest, so it is among the first to expire.
          for (const [oldest] of known) {
            if (known.size < capacity) break
            known.delete(oldest)
          }
          known.set(nameOf(entry.token), entry)
        }

        const verifyFirst = Effect.fn("Bearers.verify")(function* (token: string) {
          const nowMillis = yield* Clock.currentTimeMillis
          const signed = yield* check(token, { issuer, keys, nowMillis })
          const receivedBefore = received
          const session = yield* liveSession(sessions, signed.sessionId)
          if (session.userId !== signed.userId) return yield* new InvalidToken({ reason: "claims" })
          if (removed.has(signed.kid)) return yield* new InvalidToken({ reason: "unknown_key" })
          // If the second factor was removed, the session has level `aal1`, which overrides the token's claim.
          const claims: TokenClaims = session.aal === "aal1" ? { ...signed, aal: "aal1" } : signed
          // The result is cached only if no revocation arrived while the session was read.
          if (received === receivedBefore) remember({ token, claims, answer: Effect.succeed(claims) })
          return claims
        })

        /** Bypasses the cache, which might hold revoked callers. Short timeout, in case the database hangs. */
        const verifyAnew = (token: string) => orUnavailable(GivenUp.after(giveUpAfter)(verifyFirst(token)))

        return Bearers.of({
          isKnown: (token) => known.get(nameOf(token))?.token === token,
          verify: (token) =>
            Clock.clockWith((clock) => {
              const name = nameOf(token)
              const entry = known.get(name)
              if (revocations.delayMillis() > trustedDelayMillis) return verifyAnew(token)
              if (entry?.token !== token) return verifyFirst(token)
              if (!isOver(entry.claims, clock.currentTimeMillisUnsafe()) && keys.find(entry.claims.kid) !== undefined) {
                return entry.answer
              }
              known.delete(name)
              return verifyFirst(token)
            })
        })
      })
    )
}

const subjects = { session: "sessionId", client: "clientId", user: "userId", signing_key: "kid" } as const

const nameOf = (token: string): string => token.slice(-signatureLength)

/** Length of an ES256 signature in base64url, in characters. */
const signatureLength = 86

const giveUpAfter = "2 seconds"

interface Known {
  readonly token: string
  readonly claims: TokenClaims
  readonly answer: Effect.Effect<TokenClaims>
}
