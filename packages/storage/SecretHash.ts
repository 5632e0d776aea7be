/** How a secret drawn at random is stored: nobody guesses 256 bits, so a fast hash is enough. */
import { Redacted } from "effect"
import { createHash } from "node:crypto"

/** SHA-256 as 64 digits of lower-case hex. */
export const hashOf = (secret: Redacted.Redacted): string =>
  createHash("sha256").update(Redacted.value(secret)).digest("hex")
