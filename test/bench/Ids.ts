/** Version 4 UUIDs in the form that clients and the gateway generate, but reproducible from a number. */
import { randomInt } from "node:crypto"
import { type Id, version4 } from "@venue/domain/Id"
import { mix } from "@venue/domain/BitMix"

/**
 * Returns a generator of ids of one kind, in series as the gateway draws them. Equal numbers give equal ids, each a
 * new object.
 */
export const ids = (): ((number: number) => Id) => {
  const salts = Array.from({ length: 4 }, () => randomInt(2 ** 31)) as [number, number, number, number]
  const [a, b, c, d] = salts
  return (number) => {
    const series = number >> 4
    return version4(mix(series ^ a), mix(series ^ b), mix(number ^ c), (mix(number ^ d) & ~15) | (number & 15))
  }
}
