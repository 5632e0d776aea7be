/** Ids that the venue assigns to commands, orders and trades: 128 bits, written as a UUID. */
import { Schema, SchemaTransformation } from "effect"

/** Four 32-bit words in UUID order. Markets compare, hash and store the words; `text` is created on first use. */
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

  /** UUID in lower case. */
  get text(): string {
    return (this.#text ??= formatted(this.a, this.b, this.c, this.d))
  }

  toString(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }
}

/**
 * Parses a UUID in lower case; returns undefined for any other text. Written by hand because decoding a record tries
 * to parse every string as an id, and a pattern with `parseInt` takes over ten times as long (bench row `socket,
 * 16x16, rate`).
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

/** Number of consecutive ids that share their first half: one per value of the last hex digit. */
export const sharedRun = 16

/**
 * Returns a generator of ids, which calls `draw` for 32 random bits at a time. The 16 ids of a run share their first
 * half and count up in the last digit, so markets and database indexes store ids created together next to each other.
 */
export const series = (draw: () => number): (() => Id) => {
  let a = 0
  let b = 0
  let count = 0
  return () => {
    if (count % sharedRun === 0) {
      a = draw()
      b = draw()
    }
    return version4(a, b, draw(), (draw() & -sharedRun) | (count++ % sharedRun))
  }
}

/** Returns a version 4 UUID with these bits, except the six bits that hold version and variant. */
export const version4 = (a: number, b: number, c: number, d: number): Id =>
  new Id(a | 0, (b & 0xffff0fff) | 0x4000, (c & 0x3fffffff) | 0x80000000, d | 0)

/** Returns true if both ids are equal. */
export const isSame = (x: Id, y: Id): boolean => x.a === y.a && x.b === y.b && x.c === y.c && x.d === y.d

const form = "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
const anyCase = new RegExp(form, "i")

/** Returns true if the text is a valid id from a client: a UUID in either letter case. */
export const isUuid = (text: string): boolean => anyCase.test(text)

/** UUID in lower case, the form that the venue writes. */
export const Uuid = Schema.String.check(Schema.isPattern(new RegExp(form), { expected: "a lower-case UUID" }))

/** Schema of an id; encoded as its text between nodes. */
export const schema = Uuid.pipe(
  Schema.decodeTo(
    Schema.instanceOf(Id),
    SchemaTransformation.transform({ decode: (text: string) => parse(text)!, encode: (id: Id) => id.text })
  )
)

/**
 * Formats the UUID with one call, which creates one flat string. Filling an array takes twice as long, joining parts
 * four times as long. Each order is printed two to four times (bench row `socket, 16x16, rate`).
 */
function formatted(a: number, b: number, c: number, d: number): string {
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
 * Value of each hex digit by character code. Any other character has -1, which keeps a bitwise OR of digits negative.
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
