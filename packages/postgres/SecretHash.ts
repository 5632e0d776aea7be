/** Hashes of random secrets. A fast hash is sufficient, because 256 random bits cannot be guessed. */
import { Redacted } from "effect"
import type { Buffer } from "node:buffer"
import { createHash } from "node:crypto"

/** Returns the SHA-256 hash as 32 bytes. */
export const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Returns a secret's SHA-256 hash as 64 lower-case hexadecimal digits. */
export const hashOf = (secret: Redacted.Redacted): string => digestOf(Redacted.value(secret)).toString("hex")
