/** How the words of ids are spread over tables. */

/** A bijection of 32 bits in which every bit of the input reaches every bit of the result. */
export const mix = (word: number): number => {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return h ^ (h >>> 16)
}

/** Hashes the half of an id that it shares with those drawn before and after it. */
export const ofHalf = (a: number, b: number): number => mix(Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77))
