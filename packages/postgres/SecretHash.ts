/** Hashes of random secrets. A fast hash suffices: 256 random bits cannot be guessed. */
import { Redacted } from "effect"
import type { Buffer } from "node:buffer"
import { createHash } from "node:crypto"

/** Returns the SHA-256 hash, 32 bytes. */
export const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Returns the SHA-256 hash of a secret as 64 lower-case hex digits. */
export const hashOf = (secret: Redacted.Redacted): string => digestOf(Redacted.value(secret)).toString("hex")
