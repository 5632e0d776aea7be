import * as Pkce from "@venue/auth/oauth/Pkce"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { challenge, verifier } from "./OAuthServices.ts"

describe("Pkce", () => {
  it("accepts the example verifier of RFC 7636 for its challenge, and rejects any other verifier", () => {
    assert.isTrue(Pkce.matches(Redacted.make(verifier), challenge))
    for (const other of [challenge, `${verifier}a`, verifier.slice(1), verifier.toLowerCase(), ""]) {
      assert.isFalse(Pkce.matches(Redacted.make(other), challenge), other)
    }
  })

  it("A4: accepts challenges of 43 base64url characters without padding", () => {
    assert.isTrue(Pkce.isChallenge(challenge))
    for (const text of ["", challenge.slice(1), `${challenge}A`, `${challenge}=`, `${challenge.slice(1)}=`]) {
      assert.isFalse(Pkce.isChallenge(text), text)
    }
    for (const character of ["+", "/", ".", "~", "\n", "é"]) {
      assert.isFalse(Pkce.isChallenge(`${challenge.slice(1)}${character}`), character)
    }
  })

  it("T2: accepts verifiers of 43 to 128 unreserved characters", () => {
    const isVerifier = (text: string) => Pkce.isVerifier(Redacted.make(text))
    for (const text of ["a".repeat(43), "Z9-._~".repeat(8), "a".repeat(128)]) assert.isTrue(isVerifier(text), text)
    for (const text of ["", "a".repeat(42), "a".repeat(129), `${"a".repeat(43)}+`, `${"a".repeat(43)}\n`]) {
      assert.isFalse(isVerifier(text), text)
    }
  })
})
