/** Ids that the venue chooses, of commands, orders and trades: 128 bits, and a UUID wherever they are written out. */
import { Schema, SchemaTransformation } from "effect"

/**
 * Four words of 32 bits, the first ones of the UUID first. A market compares, hashes and keeps these alone; the text is
 * made when somebody first asks for it.
 */
export class Id {
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
  #text: string | undefined

  constructor(a: number, b: number, c: number, d: number, text?: string) {
    this.a = a
    this.b = b
    this.c = c
    this.d = d
    this.#text = text
  }

  /** The lower-case UUID. */
  get text(): string {
    return (this.#text ??= written(this.a, this.b, this.c, this.d))
  }

  toString(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }
}

/**
 * Answers nothing unless it is the text of an id to the letter: 36 characters, in lower case. Every text of a record is tried,
 * and a pattern with `parseInt` takes more than ten times as long (bench row `socket, 16x16, rate`).
 */
export const parse = (text: string): Id | undefined => {
  if (
    text.length !== 36 ||
    text.charCodeAt(8) !== dash ||
    text.charCodeAt(13) !== dash ||
    text.charCodeAt(18) !== dash ||
    text.charCodeAt(23) !== dash
  )
    return undefined
  const a = quad(text, 0),
    b = quad(text, 4),
    c = quad(text, 9),
    d = quad(text, 14)
  const e = quad(text, 19),
    f = quad(text, 24),
    g = quad(text, 28),
    h = quad(text, 32)
  if ((a | b | c | d | e | f | g | h) < 0) return undefined
  return new Id((a << 16) | b, (c << 16) | d, (e << 16) | f, (g << 16) | h, text)
}

/** So many ids share their first half: as many as the last digit of a UUID tells apart. */
export const together = 16

/**
 * Draws ids one after the other, from 32 random bits at a time. Sixteen that follow each other share their first half
 * and count in their last digit, so that whatever finds ids by their words, a market or a database, finds what came
 * together side by side.
 */
export const series = (draw: () => number): (() => Id) => {
  let a = 0
  let b = 0
  let count = 0
  return () => {
    if (count % together === 0) {
      a = draw()
      b = draw()
    }
    return version4(a, b, draw(), (draw() & -together) | (count++ % together))
  }
}

/** Makes a version 4 UUID of these bits, except six that say its version and variant. */
export const version4 = (a: number, b: number, c: number, d: number): Id =>
  new Id(a | 0, (b & 0xffff0fff) | 0x4000, (c & 0x3fffffff) | 0x80000000, d | 0)

export const isSame = (one: Id, other: Id): boolean =>
  one.a === other.a && one.b === other.b && one.c === other.c && one.d === other.d

const form = "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
const anyCase = new RegExp(form, "i")

/** Says whether clients may write it for an id; they may use either letter case. */
export const isUuid = (text: string): boolean => anyCase.test(text)

/** Gives the id as the venue writes it. */
export const Uuid = Schema.String.check(Schema.isPattern(new RegExp(form), { expected: "a lower-case UUID" }))

/** Between nodes an id travels as its text. */
export const schema = Uuid.pipe(
  Schema.decodeTo(
    Schema.instanceOf(Id),
    SchemaTransformation.transform({ decode: (text: string) => parse(text)!, encode: (id: Id) => id.text })
  )
)

/**
 * One call makes one flat string. From a filled array it takes twice the time, from joined parts four times, and an
 * order is printed two to four times (bench row `socket, 16x16, rate`).
 */
function written(a: number, b: number, c: number, d: number): string {
  return String.fromCharCode(
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
}

const dash = 45
const hex = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0))

/**
 * Each character has its value as a digit here. Those that are no digits have -1, whose sign is seen in whatever it is
 * joined to.
 */
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
