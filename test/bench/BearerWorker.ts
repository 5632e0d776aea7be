/**
 * Worker that validates one access token repeatedly, alternating between the venue's token cache and `jose`. Run it
 * as `BearerWorker.ts <seconds>`. It sends a message when it is ready, and responds to each request with a
 * `BearerReport`.
 */
import { Bearers } from "@venue/auth/session/Bearers"
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { UserId } from "@venue/domain/UserId"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { Users } from "@venue/storage/access/Users"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { decodeProtectedHeader, type JWTVerifyOptions, jwtVerify } from "jose"
import { Buffer } from "node:buffer"
import { randomUUID } from "node:crypto"

export interface BearerReport {
  readonly oursPerSecond: number
  readonly josePerSecond: number
}

const seconds = Number(process.argv[2])
/** Number of turns for each validator, so that slow moments of the machine affect both equally. */
const turns = 5
/** Number of checks between two clock readings. */
const chunk = 500
/** Number of concurrent checks, so that `jose` always has work for its worker thread. */
const together = 16
const issuer = "https://auth.venue.example/auth/v1"
const rules: JWTVerifyOptions = {
  algorithms: ["ES256"],
  typ: "at+jwt",
  issuer,
  audience: "authenticated",
  requiredClaims: ["exp"],
  clockTolerance: 5
}

const serverKey = Redacted.make("a server key for the bench, and for nothing else")

const services = Layer.mergeAll(Bearers.layer({ issuer }), SessionTokens.layer({ issuer, serverKey })).pipe(
  Layer.provideMerge(Layer.mergeAll(AccessTables.layerMemory, SigningKeys.layerMemory)),
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

const work = Effect.gen(function* () {
  const bearers = yield* Bearers
  const userId = randomUUID()
  yield* (yield* Users).create({ userId: UserId.make(userId), name: "" })
  const { accessToken } = yield* (yield* SessionTokens).begin({
    userId: UserId.make(userId),
    clientId: null,
    publicClient: false,
    scope: null,
    method: "web3"
  })
  const bytes = Buffer.from(Redacted.value(accessToken))
  /** Returns a new string for each request, because a server receives a new string with each request. */
  const token = (): string => bytes.toString("latin1")
  const { kid = "" } = decodeProtectedHeader(token())
  const key = (yield* SigningKeys).find(kid)!
  const mine = (said: string | undefined): void => {
    if (said !== userId) throw new Error(`the token of ${userId} was taken for one of ${said}`)
  }

  const ours = timed(
    Effect.gen(function* () {
      for (let i = 0; i < chunk; i++) mine((yield* bearers.verify(token())).userId)
      return chunk
    })
  )
  const jose = timed(
    Effect.promise(async () => {
      const checks = Array.from({ length: together }, () => jwtVerify(token(), key, rules))
      for (const { payload } of await Promise.all(checks)) mine(payload.sub)
      return together
    })
  )

  process.send!("ready")
  while (true) {
    yield* asked
    const found = { ours: 0, jose: 0 }
    for (let turn = 0; turn < turns; turn++) {
      found.ours += yield* ours
      found.jose += yield* jose
    }
    const report: BearerReport = { oursPerSecond: found.ours / turns, josePerSecond: found.jose / turns }
    process.send!(report)
  }
})

const asked = Effect.callback<void>((resume) => {
  process.once("message", () => resume(Effect.void))
})

/** Returns the checks per second. `work` returns the number of checks that it did. */
const timed = <E>(work: Effect.Effect<number, E>): Effect.Effect<number, E> =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const until = startedAt + (seconds * 1000) / turns
    let done = 0
    while (performance.now() < until) done += yield* work
    return (done * 1000) / (performance.now() - startedAt)
  })

process.on("disconnect", () => process.exit(0))
await Effect.runPromise(Effect.provide(work, services))
