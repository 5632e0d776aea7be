/** Deterministic ids for rows without an id of their own. */

/** Returns the same UUID for the same parts, in the version 4 format that clients check; the hash is not cryptographic. */
export const stableId = (...parts: ReadonlyArray<string>): string => {
  const text = parts.join("\n")
  const hex = seeds.map((seed) => hashOf(text, seed).toString(16).padStart(8, "0")).join("")
  const variant = (8 + (parseInt(hex.charAt(16), 16) & 3)).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}

const seeds = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x6a09e667]

/**
 * Returns a 32-bit hash: mixes in each character by multiplication and rotation, then mixes until every output bit
 * depends on all input bits.
 */
const hashOf = (text: string, seed: number): number => {
  let hash = seed
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x85ebca6b ^ seed)
    hash = (hash << 13) | (hash >>> 19)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
