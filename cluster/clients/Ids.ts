/** New ids: version 4 UUIDs. Chosen once, at the edge; a test may replace the source. */
import { type Id, series } from "@venue/domain/Id"
import { Context } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

export const Ids = Context.Reference<{ readonly next: () => Id }>("@venue/cluster/Ids", {
  defaultValue: () => ({ next: series(pooled()) })
})

/** Random bytes are drawn for many ids at once: a draw costs as much as the rest of an order's decoding. */
const drawn = 4_096

function pooled(): () => number {
  let words = new Int32Array(0)
  let at = 0
  return () => {
    if (at === words.length) {
      words = new Int32Array(Uint8Array.from(SecureRandom.randomBytesUnsafe(drawn)).buffer)
      at = 0
    }
    return words[at++]!
  }
}
