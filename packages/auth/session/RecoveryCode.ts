/** Recovery codes of the form `xxxxx-xxxxx`, without ambiguous letters. */
import type { UserId } from "@venue/domain/UserId"
import { Redacted } from "effect"
import { createHash } from "node:crypto"

/** Number of random bytes from which `of` makes a code. */
export const codeBytes = 10

/** Ten letters with five random bits each; the upper three bits of each byte are ignored. */
export const of = (bytes: Uint8Array): Redacted.Redacted => {
  const letters = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
  return Redacted.make(`${letters.slice(0, 5)}-${letters.slice(5)}`)
}

/** Returns the stored hash of a code in any letter case; the user id makes the hashes of equal codes differ. */
export const hash = (userId: UserId, code: Redacted.Redacted): Uint8Array =>
  createHash("sha256")
    .update(`${userId}:${Redacted.value(code).trim().toLowerCase()}`)
    .digest()

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
