/** Keys that are derived from the venue's secret, one for each purpose. */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { hkdfSync } from "node:crypto"

/**
 * Returns a key of 64 hexadecimal digits, equal on every node with the same secret. A key reveals nothing about keys
 * for other purposes.
 */
export const derivedKey = (secret: Redacted.Redacted, use: string): Redacted.Redacted =>
  Redacted.make(Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", `venue ${use}`, 32)).toString("hex"))
