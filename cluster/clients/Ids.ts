/** Source of new ids, which are version 4 UUIDs. Tests can replace it. */
import { type Id, series } from "@venue/domain/Id"
import { Context } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

export const Ids = Context.Reference<{ readonly next: () => Id }>("@venue/cluster/Ids", {
  defaultValue: () => ({ next: series(pooled()) })
})

/** Number of random bytes drawn at once, enough for 256 ids. One draw costs as much as decoding an order. */
const drawnBytes = 4_096

function pooled(): () => number {
  let words = new Int32Array(0)
  let at = 0
  return () => {
    if (at === words.length) {
      words = new Int32Array(Uint8Array.from(SecureRandom.randomBytesUnsafe(drawnBytes)).buffer)
      at = 0
    }
    return words[at++]!
  }
}
