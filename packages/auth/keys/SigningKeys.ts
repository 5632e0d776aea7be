/** Signing keys of the venue's tokens: one key signs, and all published keys verify. `KeyRotation` replaces keys. */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { Revocations } from "@venue/storage/access/Revocations"
import { SigningKeyTable } from "@venue/storage/access/SigningKeyTable"
import { Clock, Context, Effect, Latch, Layer, Redacted, Schedule, Semaphore } from "effect"
import { SignJWT } from "jose"
import type { KeyObject } from "node:crypto"
import { keptOf, ringOf, type SigningKeysUnusable } from "./KeptRing.ts"
import * as KeyRing from "./KeyRing.ts"
import { generate, type PublicJwk } from "./SigningKey.ts"

export class SigningKeys extends Context.Service<
  SigningKeys,
  {
    /** Signs claims with the active key. The type is `at+jwt` for access tokens and `JWT` for ID tokens. */
    readonly sign: (claims: Readonly<Record<string, unknown>>, typ: "at+jwt" | "JWT") => Effect.Effect<string>
    /** Published keys with which tokens are verified. */
    readonly jwks: Effect.Effect<{ readonly keys: ReadonlyArray<PublicJwk> }>
    /** Returns the key that verifies a token, or undefined if the key is removed or unknown. */
    readonly find: (kid: string) => KeyObject | undefined
    /** Like `find`, but reads the table again for an unknown key, at most once in 30 s. */
    readonly seek: (kid: string) => Effect.Effect<KeyObject | undefined>
    readonly ring: Effect.Effect<KeyRing.KeyRing>
    /** Reads the table immediately; for the node that has just changed the table. */
    readonly reread: Effect.Effect<void>
  }
>()("@venue/auth/keys/SigningKeys") {
  /** Rereads the keys within a second of another node's change. A new venue creates its first key. */
  static readonly layer: Layer.Layer<
    SigningKeys,
    SigningKeysUnusable | DatabaseUnavailable,
    Revocations | SigningKeyTable
  > = Layer.effect(
    SigningKeys,
    Effect.suspend(() => make)
  )

  /** Uses one new key, which is lost when the process exits. */
  static readonly layerMemory: Layer.Layer<SigningKeys> = Layer.effect(
    SigningKeys,
    Effect.suspend(() => Effect.orDie(make))
  ).pipe(Layer.provide([Revocations.layerMemory, SigningKeyTable.layerMemory]))
}

const newRing = Effect.map(Clock.currentTimeMillis, (now) => KeyRing.found(generate(), now))

/** Fails at start unless the table has exactly one active key and all keys are usable. */
const make = Effect.gen(function* () {
  const table = yield* SigningKeyTable
  const turn = yield* Semaphore.make(1)
  const changed = Latch.makeUnsafe(false)
  yield* (yield* Revocations).watch(({ kind }) => {
    if (kind === "signing_key" || kind === "signing_keys") changed.openUnsafe()
  })
  // If several nodes start together, the first one finds no keys and creates them; the others then read these keys.
  yield* table.replace((keys) => (keys.length > 0 ? Effect.succeed(keys) : Effect.map(newRing, keptOf)))

  const read = Effect.flatMap(table.all, (keys) => Effect.fromResult(ringOf(keys)))
  let ring = yield* read
  let published = publicKeys(ring)
  let soughtAtMillis = -Infinity

  // Serialised, so that an older ring never replaces a newer one.
  const adopt = turn.withPermits(1)(
    Effect.map(read, (next) => {
      ring = next
      published = publicKeys(next)
    })
  )
  /** If the keys cannot be read, the node keeps the previous ring, which might still be valid. */
  const reread = Effect.catchCause(adopt, (cause) =>
    DatabaseOutage.report(cause, Effect.logWarning("the signing keys could not be reloaded", cause))
  )
  yield* Effect.forkScoped(
    Effect.forever(
      changed.await.pipe(
        Effect.andThen(Effect.sync(() => changed.closeUnsafe())),
        Effect.andThen(Effect.retry(adopt, Schedule.spaced("500 millis")))
      )
    )
  )

  const find = (kid: string) => published.get(kid)
  return SigningKeys.of({
    find,
    reread,
    sign: Effect.fn("SigningKeys.sign")((claims: Readonly<Record<string, unknown>>, typ: "at+jwt" | "JWT") => {
      const { key } = ring.find(({ state }) => state === "active")!
      const token = new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: key.kid, typ })
      return Effect.promise(() => token.sign(Redacted.value(key.privateKey)))
    }),
    jwks: Effect.sync(() => ({ keys: ring.map(({ key }) => key.publicJwk) })),
    seek: Effect.fn("SigningKeys.seek")(function* (kid: string) {
      const now = yield* Clock.currentTimeMillis
      if (find(kid) === undefined && now - soughtAtMillis >= seekEveryMillis) {
        soughtAtMillis = now
        yield* reread
      }
      return find(kid)
    }),
    ring: Effect.sync(() => ring)
  })
})

const seekEveryMillis = 30_000

const publicKeys = (ring: KeyRing.KeyRing): ReadonlyMap<string, KeyObject> =>
  new Map(ring.map(({ key }) => [key.kid, key.publicKey]))
