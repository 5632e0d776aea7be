/** The stored form of a key ring. */
import type { StoredKey } from "@venue/storage/access/SigningKeyTable"
import { Redacted, Result, Schema } from "effect"
import type { KeyRing, RingKey } from "./KeyRing.ts"
import { fromJwk, PrivateJwk } from "./SigningKey.ts"

/** The stored signing keys cannot be used. */
export class SigningKeysUnusable extends Schema.TaggedError<SigningKeysUnusable>()("SigningKeysUnusable", {
  /**
   * `malformed`: a row is no P-256 key. `wrong_key`: a key is damaged. `active_keys`: not exactly one key is active.
   */
  reason: Schema.Literals(["malformed", "wrong_key", "active_keys"])
}) {
  override get message(): string {
    return `the signing keys cannot be used: ${faults[this.reason]}`
  }
}

const unusable = (reason: SigningKeysUnusable["reason"]) => new SigningKeysUnusable({ reason })

export const ringOf = (keys: ReadonlyArray<StoredKey>): Result.Result<KeyRing, SigningKeysUnusable> =>
  Result.gen(function* () {
    const ring: Array<RingKey> = []
    for (const { jwk, sinceMillis, state } of keys) {
      const decoded = yield* Result.mapError(decode(Redacted.value(jwk)), () => unusable("malformed"))
      ring.push({ key: yield* Result.mapError(fromJwk(decoded), () => unusable("wrong_key")), state, sinceMillis })
    }
    if (ring.filter(({ state }) => state === "active").length !== 1) return yield* Result.fail(unusable("active_keys"))
    return ring
  })

export const keptOf = (ring: KeyRing): ReadonlyArray<StoredKey> =>
  ring.map(({ key: { jwk, kid }, sinceMillis, state }) => ({
    kid,
    state,
    sinceMillis,
    jwk: Redacted.make(JSON.stringify(Redacted.value(jwk)))
  }))

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(PrivateJwk))

const faults = {
  malformed: "a stored key is not a P-256 key",
  wrong_key: "a stored key is damaged",
  active_keys: "the number of active keys is not 1"
} as const
