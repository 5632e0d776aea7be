import * as RecoveryCode from "@venue/auth/session/RecoveryCode"
import { UserId } from "@venue/domain/UserId"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as fc from "fast-check"

const bytes = fc.uint8Array({ minLength: RecoveryCode.codeBytes, maxLength: RecoveryCode.codeBytes })
const textOf = (drawn: Uint8Array) => Redacted.value(RecoveryCode.of(drawn))

describe("RecoveryCode", () => {
  it("a recovery code has the form xxxxx-xxxxx, without ambiguous letters", () => {
    fc.assert(fc.property(bytes, (drawn) => /^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/.test(textOf(drawn))))
  })

  it("maps random bytes evenly to the 32 letters of recovery codes", () => {
    const seen = new Map<string, number>()
    for (let byte = 0; byte < 256; byte++) {
      const letter = textOf(new Uint8Array(RecoveryCode.codeBytes).fill(byte))[0]!
      seen.set(letter, (seen.get(letter) ?? 0) + 1)
    }
    assert.deepStrictEqual(
      [...seen.values()],
      Array.from({ length: 32 }, () => 8)
    )
  })

  it("hashes every accepted spelling of a recovery code to the same value, and other codes to other values", () => {
    const hash = (userId: UserId, code: string) => RecoveryCode.hash(userId, Redacted.make(code))
    assert.deepStrictEqual(hash(UserId.make("alice"), " ABCDE-12345\n"), hash(UserId.make("alice"), "abcde-12345"))
    assert.notDeepEqual(hash(UserId.make("alice"), "abcde-12345"), hash(UserId.make("bob"), "abcde-12345"))
    assert.notDeepEqual(hash(UserId.make("alice"), "abcde-12345"), hash(UserId.make("alice"), "abcde-12346"))
    assert.lengthOf(hash(UserId.make("alice"), "abcde-12345"), 32)
  })
})
