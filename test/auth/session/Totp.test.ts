import * as Totp from "@venue/auth/session/Totp"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as fc from "fast-check"
import { Buffer } from "node:buffer"
import { Secret, TOTP, URI } from "otpauth"

const secretBytes = fc.uint8Array({ minLength: Totp.secretBytes, maxLength: Totp.secretBytes })
const nowMillis = fc.integer({ min: 120_000, max: 4_000_000_000_000 })

const oracle = (bytes: Uint8Array) => new TOTP({ secret: new Secret({ buffer: Uint8Array.from(bytes).buffer }) })
const stepOf = (bytes: Uint8Array, code: string, now: number) =>
  Totp.stepOf(Totp.secretOf(bytes), Redacted.make(code), now)

describe("Totp", () => {
  it("computes the example codes of RFC 6238", () => {
    const secret = Buffer.from("12345678901234567890")
    const vectors = {
      59: "287082",
      1111111109: "081804",
      1111111111: "050471",
      1234567890: "005924",
      2000000000: "279037",
      20000000000: "353130"
    }
    for (const [seconds, code] of Object.entries(vectors)) {
      assert.strictEqual(stepOf(secret, code, Number(seconds) * 1000), Math.floor(Number(seconds) / 30))
    }
  })

  it("M2: accepts the codes of the current and adjacent time steps, and rejects codes two time steps away", () => {
    fc.assert(
      fc.property(secretBytes, nowMillis, (bytes, now) => {
        const at = (steps: number) => oracle(bytes).generate({ timestamp: now + steps * 30_000 })
        const step = Math.floor(now / 30_000)
        const near = [-1, 0, 1].map(at)
        // If two steps have the same code, the later step counts.
        for (const code of near) assert.strictEqual(stepOf(bytes, code, now), step - 1 + near.lastIndexOf(code))
        for (const steps of [-2, 2]) {
          if (!near.includes(at(steps))) assert.isUndefined(stepOf(bytes, at(steps), now))
        }
      })
    )
  })

  it("I50: rejects text that is not six digits", () => {
    const bytes = new Uint8Array(Totp.secretBytes)
    const code = oracle(bytes).generate({ timestamp: 60_000 })
    for (const text of ["", code.slice(1), `${code}0`, ` ${code}`, "１２３４５６", "abcdef", "\ud800\ud800"]) {
      assert.isUndefined(stepOf(bytes, text, 60_000))
    }
    fc.assert(fc.property(fc.string(), (text) => text === code || stepOf(bytes, text, 60_000) === undefined))
  })

  it("encodes the secret in the form that authenticator apps accept", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const { base32 } = new Secret({ buffer: Uint8Array.from(bytes).buffer })
        assert.strictEqual(Redacted.value(Totp.secretOf(bytes)), base32)
      })
    )
  })

  it("the enrolment URI contains the secret unchanged, whatever characters the issuer and account names contain", () => {
    const secret = Totp.secretOf(new Uint8Array(Totp.secretBytes).fill(7))
    const read = (issuer: string, account: string) => URI.parse(Redacted.value(Totp.uri(secret, issuer, account)))
    const { issuer, label, secret: read32 } = read("Venue & Söhne", "my phone?secret=x")
    assert.deepStrictEqual(
      [issuer, label, read32.base32],
      ["Venue & Söhne", "my phone?secret=x", Redacted.value(secret)]
    )
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (issuer, account) => {
        const params = new URL(Redacted.value(Totp.uri(secret, `${issuer}\ud800`, account))).searchParams
        assert.deepStrictEqual(params.getAll("secret"), [Redacted.value(secret)])
      })
    )
  })
})
