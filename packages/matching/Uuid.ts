/** Ids as four 32-bit words: what a book keeps of an id, and its text again. */

/** Room for an id's four words and their hash. */
export const words = (): Int32Array => new Int32Array(5)

/** Where the hash stands behind the words. */
export const HASH = 4

/**
 * Writes the words of an id and their hash, from a place on, and tells whether the words give the text back. Any text
 * but a lower-case UUID is digested instead, and whoever keeps its words keeps the text as well.
 */
export const read = (text: string, into: Int32Array, at = 0): boolean => {
  if (
    text.length !== 36 ||
    text.charCodeAt(8) !== dash ||
    text.charCodeAt(13) !== dash ||
    text.charCodeAt(18) !== dash ||
    text.charCodeAt(23) !== dash
  )
    return digest(text, into, at)
  const a = quad(text, 0),
    b = quad(text, 4),
    c = quad(text, 9),
    d = quad(text, 14)
  const e = quad(text, 19),
    f = quad(text, 24),
    g = quad(text, 28),
    h = quad(text, 32)
  if ((a | b | c | d | e | f | g | h) < 0) return digest(text, into, at)
  into[at] = (a << 16) | b
  into[at + 1] = (c << 16) | d
  into[at + 2] = (e << 16) | f
  into[at + 3] = (g << 16) | h
  into[at + HASH] = spread((a << 16) | b, (c << 16) | d, (e << 16) | f, (g << 16) | h)
  return true
}

/** One call that makes one flat string: joining parts would leave a rope to be flattened by every encoder. */
export const text = (a: number, b: number, c: number, d: number): string =>
  String.fromCharCode(
    hex[a >>> 28]!,
    hex[(a >>> 24) & 15]!,
    hex[(a >>> 20) & 15]!,
    hex[(a >>> 16) & 15]!,
    hex[(a >>> 12) & 15]!,
    hex[(a >>> 8) & 15]!,
    hex[(a >>> 4) & 15]!,
    hex[a & 15]!,
    dash,
    hex[b >>> 28]!,
    hex[(b >>> 24) & 15]!,
    hex[(b >>> 20) & 15]!,
    hex[(b >>> 16) & 15]!,
    dash,
    hex[(b >>> 12) & 15]!,
    hex[(b >>> 8) & 15]!,
    hex[(b >>> 4) & 15]!,
    hex[b & 15]!,
    dash,
    hex[c >>> 28]!,
    hex[(c >>> 24) & 15]!,
    hex[(c >>> 20) & 15]!,
    hex[(c >>> 16) & 15]!,
    dash,
    hex[(c >>> 12) & 15]!,
    hex[(c >>> 8) & 15]!,
    hex[(c >>> 4) & 15]!,
    hex[c & 15]!,
    hex[d >>> 28]!,
    hex[(d >>> 24) & 15]!,
    hex[(d >>> 20) & 15]!,
    hex[(d >>> 16) & 15]!,
    hex[(d >>> 12) & 15]!,
    hex[(d >>> 8) & 15]!,
    hex[(d >>> 4) & 15]!,
    hex[d & 15]!
  )

/** The hash of an id's words. */
export const spread = (a: number, b: number, c: number, d: number): number =>
  mix(Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77) ^ Math.imul(c, 0xc2b2ae3d) ^ Math.imul(d, 0x27d4eb2f))

/** A bijection of 32 bits in which every bit of the input reaches every bit of the result. */
export const mix = (word: number): number => {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return h ^ (h >>> 16)
}

/**
 * The id of a market's nth trade. Its first and last words are a bijection of `number`, so no two of one market meet;
 * the 58 bits between them are the market's own, so no two markets meet.
 */
export const ofTrade = (number: number, saltHigh: number, saltLow: number): string => {
  let left = Math.floor(number / 0x1_0000_0000) | 0
  let right = number | 0
  for (let round = 1; round <= 4; round++) {
    const turned = left ^ mix((right + Math.imul(round, 0x9e3779b1)) ^ saltLow)
    left = right
    right = turned
  }
  return text(left, (saltHigh & 0xffff0fff) | 0x4000, (saltLow & 0x3fffffff) | 0x80000000, right)
}

/** 64 bits of a text, as two words. */
export const salt = (text: string): { readonly high: number; readonly low: number } => {
  const into = words()
  digest(text, into, 0)
  return { high: into[0]! ^ into[2]!, low: into[1]! ^ into[3]! }
}

const dash = 45
const hex = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0))

/** Value of each character as a digit; -1 leaves its sign in whatever it is joined to. */
const digits = new Int8Array(0x10000).fill(-1)
for (let value = 0; value < hex.length; value++) digits[hex[value]!] = value

function quad(text: string, at: number): number {
  return (
    (digits[text.charCodeAt(at)]! << 12) |
    (digits[text.charCodeAt(at + 1)]! << 8) |
    (digits[text.charCodeAt(at + 2)]! << 4) |
    digits[text.charCodeAt(at + 3)]!
  )
}

function digest(text: string, into: Int32Array, at: number): false {
  for (let word = 0; word < 4; word++) {
    let h = mix((word + 1) ^ text.length)
    for (let i = 0; i < text.length; i++) h = mix(h ^ Math.imul(text.charCodeAt(i) + 1, 0x9e3779b1))
    into[at + word] = h
  }
  into[at + HASH] = spread(into[at]!, into[at + 1]!, into[at + 2]!, into[at + 3]!)
  return false
}
