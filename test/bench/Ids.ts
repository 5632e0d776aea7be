/** Version 4 UUIDs as clients and the gateway generate them, reproducible from a number. */
import { randomInt } from "node:crypto"
import { type Id, version4 } from "@venue/domain/Id"
import { mix } from "@venue/domain/BitMix"

/**
 * Ids of one kind in one process, in series as the edge draws them; the same number gives the same id, as a fresh one.
 */
export const ids = (): ((number: number) => Id) => {
  const salts = Array.from({ length: 4 }, () => randomInt(2 ** 31)) as [number, number, number, number]
  const [a, b, c, d] = salts
  return (number) => {
    const series = number >> 4
    return version4(mix(series ^ a), mix(series ^ b), mix(number ^ c), (mix(number ^ d) & ~15) | (number & 15))
  }
}
