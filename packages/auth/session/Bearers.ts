/** Authentication by access token: fully verified once, then cached. */
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
     * Verifies a token: valid until it expires, its key is removed or its session ends, on every node within a
     * second. A node that has missed revocations for a while reads the database each time.
     */
    readonly verify: (token: string) => Effect.Effect<TokenClaims, InvalidToken | SessionEnded | DatabaseUnavailable>
    /** Returns true if the token was verified here and not revoked since. */
    readonly isKnown: (token: string) => boolean
  }
>()("@venue/auth/session/Bearers") {
  /** `capacity` is the number of cached tokens. */
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
        /** Keyed by signature: the last tenth of a token identifies it. */
        const known = new Map<string, Known>()
        let received = 0
        /** Keys removed by another node that this node may not have reread yet. */
        const removed = new Set<string>()

        // Key removals are rare, and the cache is small enough to scan.
        yield* revocations.watch(({ kind, subject }) => {
          if (kind === "key" || kind === "signing_keys") return
          received++
          if (kind === "signing_key" && keys.find(subject) !== undefined) removed.add(subject)
          for (const [name, { claims }] of known) {
            if (subject === claims[subjects[kind]]) known.delete(name)
          }
        })

        const remember = (entry: Known) => {
          // The first entry is the oldest, and so among the first to expire.
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
          // A removed second factor no longer counts, whatever the token claims.
          const claims: TokenClaims = session.aal === "aal1" ? { ...signed, aal: "aal1" } : signed
          // Cache only if no revocation arrived since the read began.
          if (received === receivedBefore) remember({ token, claims, answer: Effect.succeed(claims) })
          return claims
        })

        /** A cached caller may have been revoked, and a hanging database is no reason to wait long. */
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

/** Length of an ES256 signature in base64url. */
const signatureLength = 86

const giveUpAfter = "2 seconds"

interface Known {
  readonly token: string
  readonly claims: TokenClaims
  readonly answer: Effect.Effect<TokenClaims>
}
