/** A fast hash is enough for what was drawn at random: nobody guesses 256 bits. */
import { Redacted } from "effect"
import type { Buffer } from "node:buffer"
import { createHash } from "node:crypto"

/** It is the SHA-256, of 32 bytes. */
export const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** It is the same of a secret, as 64 digits of lower-case hex. */
export const hashOf = (secret: Redacted.Redacted): string => digestOf(Redacted.value(secret)).toString("hex")
