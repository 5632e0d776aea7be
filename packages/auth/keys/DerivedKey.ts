/** Keys for one use each, out of the one secret a venue is given. */
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { hkdfSync } from "node:crypto"

/** The same on every node that has the secret; of one use nothing can be told about another. 64 hex digits. */
export const derivedKey = (secret: Redacted.Redacted, use: string): Redacted.Redacted =>
  Redacted.make(Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", `venue ${use}`, 32)).toString("hex"))
