/** Proof that the caller who redeems a code also requested it (PKCE, RFC 7636), with S256 only. */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { createHash, timingSafeEqual } from "node:crypto"

export const method = "S256"

/** Returns true for the form of a SHA-256 hash in base64url without padding. */
export const isChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text)

export const isVerifier = (verifier: Redacted.Redacted): boolean => /^[\w.~-]{43,128}$/.test(Redacted.value(verifier))

/** Compares in constant time; `challenge` must pass `isChallenge`. */
export const matches = (verifier: Redacted.Redacted, challenge: string): boolean => {
  const computed = createHash("sha256").update(Redacted.value(verifier)).digest("base64url")
  return timingSafeEqual(Buffer.from(computed), Buffer.from(challenge))
}
