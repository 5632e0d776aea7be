/** New ids: version 4 UUIDs. Chosen once, at the edge; a test may replace the source. */
import { Context } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

export const Ids = Context.Reference<{ readonly next: () => string }>("@venue/cluster/Ids", {
  defaultValue: () => ({ next: pooled() })
})

/** Random bytes are drawn for many ids at once: a draw costs as much as the rest of an order's decoding. */
const drawn = 4_096

function pooled(): () => string {
  let bytes: Uint8Array = new Uint8Array(0)
  let at = 0
  return () => {
    if (at + 16 > bytes.length) {
      bytes = SecureRandom.randomBytesUnsafe(drawn)
      at = 0
    }
    const b = (offset: number) => bytes[at + offset]!
    const pair = (offset: number) => hex[b(offset)]! + hex[b(offset + 1)]!
    const id = `${pair(0)}${pair(2)}-${pair(4)}-${hex[(b(6) & 0x0f) | 0x40]}${hex[b(7)]}-${
      hex[(b(8) & 0x3f) | 0x80]
    }${hex[b(9)]}-${pair(10)}${pair(12)}${pair(14)}`
    at += 16
    return id
  }
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))
