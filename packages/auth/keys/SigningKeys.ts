/** The keys of this venue's tokens: one signs, all that are published verify. */
import { Clock, Context, Duration, Effect, FileSystem, Layer, Redacted, Result, Schedule, Semaphore } from "effect"
import { SignJWT } from "jose"
import type { KeyObject } from "node:crypto"
import { keyFile, type KeyStore, parse, print, type SigningKeysUnusable } from "./KeyFile.ts"
import * as KeyRing from "./KeyRing.ts"
import { generate, type PublicJwk } from "./SigningKey.ts"

export class SigningKeys extends Context.Service<
  SigningKeys,
  {
    /** Under the active key. Access tokens are `at+jwt`, ID tokens `JWT`. */
    readonly sign: (claims: Readonly<Record<string, unknown>>, typ: "at+jwt" | "JWT") => Effect.Effect<string>
    /** What everybody verifies with. */
    readonly jwks: Effect.Effect<{ readonly keys: ReadonlyArray<PublicJwk> }>
    /** What a token of this key is verified with; undefined when its tokens count no longer, or never did. */
    readonly find: (kid: string) => KeyObject | undefined
    /** As `find`; of an unknown key the store is asked, at most once in 30 s. */
    readonly seek: (kid: string) => Effect.Effect<KeyObject | undefined>
    /** With their states, for the operator. */
    readonly ring: Effect.Effect<KeyRing.KeyRing>
    /** Publishes a new key and returns its id. */
    readonly standby: Effect.Effect<string, SigningKeysUnusable>
    /** The key on standby signs from now on. */
    readonly activate: (
      kid: string,
      urgency?: KeyRing.Urgency
    ) => Effect.Effect<void, KeyRing.UnknownKey | KeyRing.NotStandby | KeyRing.TooEarly | SigningKeysUnusable>
    /** Tokens of this key are good no longer: here at once, on other nodes within 30 s. */
    readonly remove: (
      kid: string,
      urgency?: KeyRing.Urgency
    ) => Effect.Effect<void, KeyRing.UnknownKey | KeyRing.KeyInUse | KeyRing.TooEarly | SigningKeysUnusable>
  }
>()("@venue/auth/keys/SigningKeys") {
  /** Ends the start without exactly one good active key. What another process writes is read within 30 s. */
  static readonly layerFile = (path: string): Layer.Layer<SigningKeys, SigningKeysUnusable, FileSystem.FileSystem> =>
    Layer.effect(
      SigningKeys,
      Effect.gen(function* () {
        const { keys, reread } = yield* make(yield* keyFile(path))
        yield* Effect.forkScoped(Effect.schedule(reread, Schedule.spaced(readEvery)))
        return keys
      })
    )

  /** Writes a file with one new key. A file that is there is left as it is. */
  static readonly makeFile = Effect.fn("SigningKeys.makeFile")(function* (path: string) {
    const files = yield* FileSystem.FileSystem
    if (yield* files.exists(path)) return
    const { replace } = yield* keyFile(path)
    yield* replace(Effect.map(newRing, (ring) => [print(ring), undefined] as const))
  })

  /** One new key, lost with the process. */
  static readonly layerMemory: Layer.Layer<SigningKeys> = Layer.effect(
    SigningKeys,
    Effect.gen(function* () {
      let text = print(yield* newRing)
      const replace: KeyStore["replace"] = (change) =>
        Effect.map(change, ([next, result]) => {
          text = next
          return result
        })
      const { keys } = yield* Effect.orDie(make({ read: Effect.sync(() => text), replace }))
      return keys
    })
  )
}

const newRing = Effect.map(Clock.currentTimeMillis, (now) => KeyRing.found(generate(), now))

const readEvery = Duration.seconds(30)

const make = Effect.fnUntraced(function* (store: KeyStore) {
  const turn = yield* Semaphore.make(1)
  let text = yield* store.read
  let ring = yield* Effect.fromResult(parse(text))
  let published = publicKeys(ring)
  let soughtAtMillis = -Infinity

  const adopt = (next: Redacted.Redacted, parsed: KeyRing.KeyRing) => {
    text = next
    ring = parsed
    published = publicKeys(parsed)
  }
  /** A file that cannot be used leaves the keys as they were: other nodes may still be good with theirs. */
  const reread = Effect.gen(function* () {
    const next = yield* store.read
    if (Redacted.value(next) !== Redacted.value(text)) adopt(next, yield* Effect.fromResult(parse(next)))
  }).pipe(
    turn.withPermits(1),
    Effect.catch((error) => Effect.logWarning("signing keys could not be read again", error.reason))
  )
  /** From what is in the store now, which another process may have changed. */
  const change = <E>(step: (ring: KeyRing.KeyRing, nowMillis: number) => Result.Result<KeyRing.KeyRing, E>) =>
    store
      .replace(
        Effect.gen(function* () {
          const current = yield* Effect.fromResult(parse(yield* store.read))
          const next = yield* Effect.fromResult(step(current, yield* Clock.currentTimeMillis))
          return [print(next), next] as const
        })
      )
      .pipe(
        Effect.map((next) => adopt(print(next), next)),
        turn.withPermits(1)
      )

  const find = (kid: string) => published.get(kid)
  const keys = SigningKeys.of({
    find,
    sign: Effect.fn("SigningKeys.sign")((claims: Readonly<Record<string, unknown>>, typ: "at+jwt" | "JWT") => {
      const { key } = ring.find(({ state }) => state === "active")!
      const token = new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: key.kid, typ })
      return Effect.promise(() => token.sign(Redacted.value(key.privateKey)))
    }),
    jwks: Effect.sync(() => ({ keys: ring.map(({ key }) => key.publicJwk) })),
    seek: Effect.fn("SigningKeys.seek")(function* (kid: string) {
      const now = yield* Clock.currentTimeMillis
      if (find(kid) === undefined && now - soughtAtMillis >= Duration.toMillis(readEvery)) {
        soughtAtMillis = now
        yield* reread
      }
      return find(kid)
    }),
    ring: Effect.sync(() => ring),
    standby: Effect.suspend(() => {
      const key = generate()
      return Effect.as(
        change((current, now) => Result.succeed(KeyRing.stand(current, key, now))),
        key.kid
      )
    }),
    activate: Effect.fn("SigningKeys.activate")((kid: string, urgency: KeyRing.Urgency = inTime) =>
      change((current, now) => KeyRing.activate(current, kid, now, urgency))
    ),
    remove: Effect.fn("SigningKeys.remove")((kid: string, urgency: KeyRing.Urgency = inTime) =>
      change((current, now) => KeyRing.remove(current, kid, now, urgency))
    )
  })
  return { keys, reread }
})

const inTime: KeyRing.Urgency = { emergency: false }

const publicKeys = (ring: KeyRing.KeyRing): ReadonlyMap<string, KeyObject> =>
  new Map(ring.map(({ key }) => [key.kid, key.publicKey]))
