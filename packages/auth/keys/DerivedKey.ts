/** Keys derived from the venue's secret, one per use. */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { hkdfSync } from "node:crypto"

/**
 * Returns 64 hexadecimal digits: the same on every node with the secret. A key reveals nothing about keys for other
 * uses.
 */
export const derivedKey = (secret: Redacted.Redacted, use: string): Redacted.Redacted =>
  Redacted.make(Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", `venue ${use}`, 32)).toString("hex"))
