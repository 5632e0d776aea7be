/** Proof that whoever brings a code also asked for it (RFC 7636), by S256 alone. */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { createHash, timingSafeEqual } from "node:crypto"

export const method = "S256"

/** SHA-256 in base64url, without padding. */
export const isChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text)

export const isVerifier = (verifier: Redacted.Redacted): boolean => /^[\w.~-]{43,128}$/.test(Redacted.value(verifier))

/** In constant time; `challenge` has passed `isChallenge`. */
export const matches = (verifier: Redacted.Redacted, challenge: string): boolean => {
  const computed = createHash("sha256").update(Redacted.value(verifier)).digest("base64url")
  return timingSafeEqual(Buffer.from(computed), Buffer.from(challenge))
}
