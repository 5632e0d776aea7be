/** How what was drawn at random is stored: nobody guesses 256 bits, so a fast hash is enough. */
import { Redacted } from "effect"
import type { Buffer } from "node:buffer"
import { createHash } from "node:crypto"

/** SHA-256, 32 bytes. */
export const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** The same of a secret, as 64 digits of lower-case hex. */
export const hashOf = (secret: Redacted.Redacted): string => digestOf(Redacted.value(secret)).toString("hex")
