/** Tests of ids and their text form. */
import { Id, parse, schema, series, version4 } from "@venue/domain/Id"
import { assert, test } from "@effect/vitest"
import { Schema } from "effect"
import * as FastCheck from "fast-check"
import { isDeepStrictEqual } from "node:util"

const word = FastCheck.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const words = FastCheck.tuple(word, word, word, word)
const known = "6e9de0ae-0dff-410f-a4a2-c916ddc1bafd"

test("converts the four words of an id to text and back", () => {
  assert.strictEqual(new Id(0x6e9de0ae, 0x0dff410f, 0xa4a2c916 | 0, 0xddc1bafd | 0).text, known)
  FastCheck.assert(
    FastCheck.property(words, ([a, b, c, d]) => {
      const { text } = new Id(a, b, c, d)
      const read = parse(text)!
      assert.match(text, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
      assert.deepStrictEqual([read.a, read.b, read.c, read.d], [a, b, c, d])
      assert.strictEqual(read.text, text)
    })
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.uuid(), (text) => {
      const { a, b, c, d } = parse(text)!
      assert.strictEqual(new Id(a, b, c, d).text, text)
    })
  )
})

test("prints an id as its text in a template string and in JSON", () => {
  const id = parse(known)!
  assert.strictEqual(`${id}`, known)
  assert.strictEqual(JSON.stringify({ id }), `{"id":"${known}"}`)
})

/** Invalid texts, each with its fault. */
const misses: ReadonlyArray<readonly [what: string, text: string]> = [
  ["nothing", ""],
  ["upper case", known.toUpperCase()],
  ["one letter in upper case", known.replace("d", "D")],
  ["a letter too few", known.slice(1)],
  ["a letter too many", `${known}0`],
  ["a space before it", ` ${known}`],
  ["a line end after it", `${known}\n`],
  ["no dashes", known.replaceAll("-", "")],
  ["a dash one place late", "6e9de0ae0-dff-410f-a4a2-c916ddc1bafd"],
  ["another sign for a dash", known.replace("-", "_")],
  ["a dash for a digit", known.replace("6", "-")],
  ["letters beyond f", known.replace("6", "g")],
  ["a wide digit", known.replace("6", "\uff16")],
  ["braces", `{${known.slice(1, -1)}}`]
]

test("rejects an id with an invalid character at any position", () => {
  for (const [what, text] of misses) assert.isUndefined(parse(text), what)
  for (let at = 0; at < known.length; at++) {
    for (const sign of ["g", "/", ":", "`", "A", "\u0131", known[at] === "-" ? "0" : "-"]) {
      const text = known.slice(0, at) + sign + known.slice(at + 1)
      assert.isUndefined(parse(text), text)
    }
  }
})

test("parses an id if and only if the Schema accepts its text", () => {
  const sign = FastCheck.constantFrom(..."0123456789abcdefA-g")
  const text = FastCheck.oneof(FastCheck.uuid(), FastCheck.string({ unit: sign, minLength: 35, maxLength: 37 }))
  FastCheck.assert(
    FastCheck.property(text, (text) =>
      assert.strictEqual(Schema.is(Schema.toEncoded(schema))(text), parse(text) !== undefined)
    )
  )
})

test("sets the six bits that mark a version 4 UUID, and keeps all other bits", () => {
  FastCheck.assert(
    FastCheck.property(words, ([a, b, c, d]) => {
      const id = version4(a, b, c, d)
      assert.match(id.text, isVersion4)
      assert.deepStrictEqual([id.a, id.d], [a, d])
      assert.strictEqual((id.b ^ b) & ~0xf000, 0)
      assert.strictEqual((id.c ^ c) & ~0xc0000000, 0)
      assert.deepStrictEqual(version4(id.a, id.b, id.c, id.d), id)
    })
  )
})

test("creates series of sixteen ids that differ only in the second half, and never repeats an id", () => {
  let state = 7
  const next = series(() => (state = Math.imul(state, 1_664_525) + 1_013_904_223))
  const ids = Array.from({ length: 4_000 }, next)
  assert.strictEqual(new Set(ids.map(({ text }) => text)).size, ids.length)
  const halves = ids.map(({ text }) => text.slice(0, 18))
  assert.strictEqual(new Set(halves).size, ids.length / 16)
  ids.forEach(({ text }, place) => {
    assert.match(text, isVersion4)
    assert.strictEqual(halves[place], halves[place - (place % 16)])
    assert.strictEqual(Number.parseInt(text.at(-1)!, 16), place % 16)
  })
})

test("accepts signed and unsigned random words as the seed of a series of ids", () => {
  const [signed, unsigned] = [-1, 0xffffffff].map((drawn) => series(() => drawn)())
  assert.deepStrictEqual(signed, unsigned)
})

test("encodes an id in JSON as its text", () => {
  const id = parse(known)!
  assert.strictEqual(Schema.encodeSync(schema)(id), known)
  assert.deepStrictEqual(Schema.decodeUnknownSync(schema)(known), id)
  assert.instanceOf(Schema.decodeUnknownSync(schema)(known), Id)
})

test("rejects an invalid id when decoding, and states the expected form", () => {
  for (const [what, text] of misses) {
    assert.throws(() => Schema.decodeUnknownSync(schema)(text), /a lower-case UUID/, what)
  }
  for (const value of [undefined, null, 7, {}]) assert.throws(() => Schema.decodeUnknownSync(schema)(value), /string/)
})

test("compares ids by value, whether or not their text was computed before", () => {
  const silent = version4(1, 2, 3, 4)
  const asked = version4(1, 2, 3, 4)
  const read = parse(asked.text)!
  for (const other of [asked, read]) {
    assert.deepStrictEqual(silent, other)
    assert.isTrue(isDeepStrictEqual(silent, other))
  }
  for (const other of [version4(9, 2, 3, 4), version4(1, 9, 3, 4), version4(1, 2, 9, 4), version4(1, 2, 3, 9)]) {
    assert.notDeepEqual(silent, other)
    assert.isFalse(isDeepStrictEqual(silent, other))
  }
})

const isVersion4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
