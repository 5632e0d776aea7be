/** Hash functions for the 32-bit words of ids. */

/** Mixes a 32-bit word: a bijection in which every input bit affects every output bit. */
export const mix = (word: number): number => {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return h ^ (h >>> 16)
}

/** Hashes the first two words of an id. Consecutive ids in one series share these words. */
export const hashHalf = (a: number, b: number): number => mix(Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77))
