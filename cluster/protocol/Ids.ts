/** New ids: version 4 UUIDs. Chosen once, at the edge; a test may replace the source. */
import { Context } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

export const Ids = Context.Reference<{ readonly next: () => string }>("@venue/cluster/Ids", {
  defaultValue: () => ({ next: () => SecureRandom.uuidV4Unsafe() })
})
