/** A ring of keys as text, and the file with the mode of a secret that it is kept in. */
import { Effect, FileSystem, Redacted, Result, Schema } from "effect"
import { type KeyRing, KeyState, type RingKey } from "./KeyRing.ts"
import { fromJwk, PrivateJwk } from "./SigningKey.ts"

/** Why there are no keys to sign with. */
export class SigningKeysUnusable extends Schema.TaggedError<SigningKeysUnusable>()("SigningKeysUnusable", {
  /**
   * The file cannot be read or written; others than its owner may read it; it is being changed, or a change was cut
   * short and left `.next` beside it; it is no list of P-256 keys; a key is damaged; not exactly one key is active.
   */
  reason: Schema.Literals(["unreadable", "unwritable", "exposed", "changing", "malformed", "wrong_key", "active_keys"])
}) {
  override get message(): string {
    return `the signing keys cannot be used: ${faults[this.reason]}`
  }
}

const faults = {
  unreadable: "their file cannot be read",
  unwritable: "their file cannot be written",
  exposed: "others than its owner may read their file; make it 0600",
  changing: "their file is being changed, or a change was cut short and left a .next beside it",
  malformed: "their file is no list of keys",
  wrong_key: "one of them is no P-256 key",
  active_keys: "not exactly one of them is active"
} as const

/** Where the text of a ring is kept. */
export interface KeyStore {
  readonly read: Effect.Effect<Redacted.Redacted, SigningKeysUnusable>
  /** Nobody else changes it between the two; a failure of `change` leaves it as it was. */
  readonly replace: <A, E>(
    change: Effect.Effect<readonly [text: Redacted.Redacted, result: A], E>
  ) => Effect.Effect<A, E | SigningKeysUnusable>
}

export const parse = (text: Redacted.Redacted): Result.Result<KeyRing, SigningKeysUnusable> =>
  Result.gen(function* () {
    const { keys } = yield* Result.mapError(decode(Redacted.value(text)), () => unusable("malformed"))
    const ring: Array<RingKey> = []
    for (const { jwk, sinceMillis, state } of keys) {
      const key = yield* Result.mapError(fromJwk(jwk), () => unusable("wrong_key"))
      ring.push({ key, state, sinceMillis })
    }
    if (ring.filter(({ state }) => state === "active").length !== 1) return yield* Result.fail(unusable("active_keys"))
    return ring
  })

export const print = (ring: KeyRing): Redacted.Redacted =>
  Redacted.make(
    JSON.stringify({ keys: ring.map(({ key, ...rest }) => ({ ...rest, jwk: Redacted.value(key.jwk) })) }, null, 2)
  )

export const keyFile = (path: string): Effect.Effect<KeyStore, never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (files) => {
    const next = `${path}.next`
    const read = Effect.gen(function* () {
      const { mode } = yield* Effect.mapError(files.stat(path), () => unusable("unreadable"))
      if ((mode & othersBits) !== 0) return yield* unusable("exposed")
      return Redacted.make(yield* Effect.mapError(files.readFileString(path), () => unusable("unreadable")))
    })
    const take = Effect.mapError(files.writeFileString(next, "", { flag: "wx", mode: ownerOnly }), ({ reason }) =>
      unusable(reason._tag === "AlreadyExists" ? "changing" : "unwritable")
    )
    const write = (text: Redacted.Redacted) =>
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* files.open(next, { flag: "r+" })
          yield* file.writeAll(new TextEncoder().encode(Redacted.value(text)))
          yield* file.sync
          yield* files.rename(next, path)
        })
      )
    /** Whoever creates the next file has the turn, until it takes the name of the old one or is removed. */
    const replace: KeyStore["replace"] = (change) => {
      const changed = change.pipe(
        Effect.tap(([text]) => Effect.mapError(write(text), () => unusable("unwritable"))),
        Effect.onError(() => Effect.ignore(files.remove(next, { force: true }))),
        Effect.map(([, result]) => result)
      )
      return Effect.uninterruptible(Effect.andThen(take, changed))
    }
    return { read, replace }
  })

const ownerOnly = 0o600
const othersBits = 0o077

const decode = Schema.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Struct({
      keys: Schema.Array(Schema.Struct({ state: KeyState, sinceMillis: Schema.Int, jwk: PrivateJwk }))
    })
  )
)

const unusable = (reason: SigningKeysUnusable["reason"]) => new SigningKeysUnusable({ reason })
