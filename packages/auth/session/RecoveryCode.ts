/** Codes on paper for whoever lost the authenticator: `xxxxx-xxxxx`, without letters that look like others. */
import type { UserId } from "@venue/domain/UserId"
import { Redacted } from "effect"
import { createHash } from "node:crypto"

/** How many random bytes `of` takes. */
export const codeBytes = 10

/** Ten letters of five bits each; the upper bits of the bytes are left out. */
export const of = (bytes: Uint8Array): Redacted.Redacted => {
  const letters = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
  return Redacted.make(`${letters.slice(0, 5)}-${letters.slice(5)}`)
}

/** What is stored of a user's code, in whatever case it was typed. The user is part of it: equal codes differ. */
export const hash = (userId: UserId, code: Redacted.Redacted): Uint8Array =>
  createHash("sha256")
    .update(`${userId}:${Redacted.value(code).trim().toLowerCase()}`)
    .digest()

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
