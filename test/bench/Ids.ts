/** Ids as clients and the edge choose them: random-looking version 4 UUIDs, made again from a number at any time. */
import { randomInt } from "node:crypto"
import * as Uuid from "@venue/matching/Uuid"

/** Ids of one kind in one process; the same number gives the same id, as a fresh flat text. */
export const ids = (): ((number: number) => string) => {
  const salts = Array.from({ length: 4 }, () => randomInt(2 ** 31))
  return (number) => {
    const [a, b, c, d] = salts.map((salt, word) => Uuid.mix(number ^ Math.imul(salt, 2 * word + 1)))
    return Uuid.text(a!, (b! & 0xffff0fff) | 0x4000, (c! & 0x3fffffff) | 0x80000000, d!)
  }
}
