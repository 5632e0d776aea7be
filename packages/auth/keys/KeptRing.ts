/** A ring of keys as it is kept. */
import type { KeptKey } from "@venue/storage/access/SigningKeyTable"
import { Redacted, Result, Schema } from "effect"
import type { KeyRing, RingKey } from "./KeyRing.ts"
import { fromJwk, PrivateJwk } from "./SigningKey.ts"

/** Why there are no keys to sign with. */
export class SigningKeysUnusable extends Schema.TaggedError<SigningKeysUnusable>()("SigningKeysUnusable", {
  /**
   * The file that they were kept in cannot be read, or others than its owner may read it; they are no list of P-256
   * keys; a key is damaged; not exactly one key is active.
   */
  reason: Schema.Literals(["unreadable", "exposed", "malformed", "wrong_key", "active_keys"])
}) {
  override get message(): string {
    return `the signing keys cannot be used: ${faults[this.reason]}`
  }
}

export const unusable = (reason: SigningKeysUnusable["reason"]) => new SigningKeysUnusable({ reason })

export const ringOf = (keys: ReadonlyArray<KeptKey>): Result.Result<KeyRing, SigningKeysUnusable> =>
  Result.gen(function* () {
    const ring: Array<RingKey> = []
    for (const { jwk, sinceMillis, state } of keys) {
      const decoded = yield* Result.mapError(decode(Redacted.value(jwk)), () => unusable("malformed"))
      ring.push({ key: yield* Result.mapError(fromJwk(decoded), () => unusable("wrong_key")), state, sinceMillis })
    }
    if (ring.filter(({ state }) => state === "active").length !== 1) return yield* Result.fail(unusable("active_keys"))
    return ring
  })

export const keptOf = (ring: KeyRing): ReadonlyArray<KeptKey> =>
  ring.map(({ key: { jwk, kid }, sinceMillis, state }) => ({
    kid,
    state,
    sinceMillis,
    jwk: Redacted.make(JSON.stringify(Redacted.value(jwk)))
  }))

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(PrivateJwk))

const faults = {
  unreadable: "their file cannot be read",
  exposed: "others than its owner may read their file; make it 0600",
  malformed: "they are no list of keys",
  wrong_key: "one of them is no P-256 key",
  active_keys: "not exactly one of them is active"
} as const
