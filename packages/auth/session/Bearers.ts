/** Callers that show an access token, checked in full once and by memory afterwards. */
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import { Revocations, trustedUnheardMillis } from "@venue/storage/access/Revocations"
import { type SessionEnded, Sessions } from "@venue/storage/access/Sessions"
import { Clock, Context, Effect, Layer } from "effect"
import { check, InvalidToken, isOver, type TokenClaims } from "./AccessToken.ts"
import { liveSession } from "./LiveSession.ts"
import { SigningKeys } from "../keys/SigningKeys.ts"

export class Bearers extends Context.Service<
  Bearers,
  {
    /**
     * Good until it is over, its key is removed or its session is ended, on every node within a second. A node that has
     * not heard of revocations lately asks the database each time.
     */
    readonly verify: (token: string) => Effect.Effect<TokenClaims, InvalidToken | SessionEnded | DatabaseUnavailable>
    /** Whether it was found good here before, and nothing was heard against it since. */
    readonly isKnown: (token: string) => boolean
  }
>()("@venue/auth/session/Bearers") {
  /** `capacity` is of the tokens that are remembered. */
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
        /** By the end of the token, its signature: a tenth of its text tells it from all others. */
        const known = new Map<string, Known>()
        let heard = 0
        /** Keys that another node removed and this one may not have read of yet. */
        const removed = new Set<string>()

        // They are rare, and what is known is little enough to be looked through.
        yield* revocations.watch(({ kind, subject }) => {
          if (kind === "key" || kind === "signing_keys") return
          heard++
          if (kind === "signing_key" && keys.find(subject) !== undefined) removed.add(subject)
          for (const [name, { claims }] of known) {
            if (subject === claims[subjects[kind]]) known.delete(name)
          }
        })

        const remember = (one: Known) => {
          // The first of the map is the one that was learnt longest ago, and so among the first to be over.
          for (const [oldest] of known) {
            if (known.size < capacity) break
            known.delete(oldest)
          }
          known.set(nameOf(one.token), one)
        }

        const verifyFirst = Effect.fn("Bearers.verify")(function* (token: string) {
          const nowMillis = yield* Clock.currentTimeMillis
          const said = yield* check(token, { issuer, keys, nowMillis })
          const heardBefore = heard
          const session = yield* liveSession(sessions, said.sessionId)
          if (session.userId !== said.userId) return yield* new InvalidToken({ reason: "claims" })
          if (removed.has(said.kid)) return yield* new InvalidToken({ reason: "unknown_key" })
          // A second factor that was taken away no longer counts, whatever the token says.
          const claims: TokenClaims = session.aal === "aal1" ? { ...said, aal: "aal1" } : said
          // What was read before a revocation was heard may no longer be so.
          if (heard === heardBefore) remember({ token, claims, answer: Effect.succeed(claims) })
          return claims
        })

        /** Whoever was let in may be let in no longer; a database that hangs is no reason to wait as long. */
        const verifyAnew = (token: string) => orUnavailable(GivenUp.after(giveUpAfter)(verifyFirst(token)))

        return Bearers.of({
          isKnown: (token) => known.get(nameOf(token))?.token === token,
          verify: (token) =>
            Clock.clockWith((clock) => {
              const name = nameOf(token)
              const one = known.get(name)
              if (revocations.unheardMillis() > trustedUnheardMillis) return verifyAnew(token)
              if (one?.token !== token) return verifyFirst(token)
              if (!isOver(one.claims, clock.currentTimeMillisUnsafe()) && keys.find(one.claims.kid) !== undefined) {
                return one.answer
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

/** An ES256 signature in base64url is so long. */
const signatureLength = 86

const giveUpAfter = "2 seconds"

interface Known {
  readonly token: string
  readonly claims: TokenClaims
  readonly answer: Effect.Effect<TokenClaims>
}
