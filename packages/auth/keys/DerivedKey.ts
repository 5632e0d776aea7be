/** Keys that are derived from the venue's secret, one for each purpose. */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { hkdfSync } from "node:crypto"

/** Returns 64 hexadecimal digits, equal on every node with the same secret. Keys reveal nothing about each other. */
export const derivedKey = (secret: Redacted.Redacted, use: string): Redacted.Redacted =>
  Redacted.make(Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", `venue ${use}`, 32)).toString("hex"))
