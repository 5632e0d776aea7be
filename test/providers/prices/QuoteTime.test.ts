import { readCurrent } from "@venue/providers/prices/Prints"
import * as QuoteTime from "@venue/providers/prices/QuoteTime"
import { assert, it } from "@effect/vitest"

const millis = Date.UTC(2026, 10, 20, 15, 30, 0, 250)

for (const value of [
  millis / 1_000,
  millis,
  String(millis),
  String(millis / 1_000),
  "2026-11-20T15:30:00.25Z",
  "2026-11-20T15:30:00.250000123Z",
  "2026-11-20 15:30:00.250z",
  "2026-11-20T17:00:00.25+01:30"
])
  it(`parses ${JSON.stringify(value)} as 15:30:00.250 UTC`, () => {
    assert.strictEqual(QuoteTime.read(value), millis)
  })

for (const value of [
  null,
  true,
  {},
  "",
  "soon",
  0,
  -5,
  Number.NaN,
  "1e12",
  "2026-11-20",
  "2026-11-20T15:30:00",
  "2026-02-30T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-11-20T24:00:00Z",
  "Fri, 20 Nov 2026 15:30:00 GMT"
])
  it(`finds no time in ${JSON.stringify(value)}`, () => {
    assert.isUndefined(QuoteTime.read(value))
  })

const fields = { items: "quotes", contract: "s", price: "p", time: "t" }
const faultOf = (...quotes: ReadonlyArray<object>) => readCurrent(fields, JSON.stringify({ quotes }), millis)

it("accepts a quote up to 60 s old or 5 s in the future", () => {
  for (const [seconds, counts] of [
    [-60, true],
    [-60.001, false],
    [5, true],
    [5.001, false]
  ] as const) {
    const { prints } = faultOf({ s: "A", p: 200, t: millis + seconds * 1_000 })
    assert.strictEqual(prints.length === 1, counts, `${seconds}`)
  }
})

for (const answer of [{ quotes: [{ s: "A", p: 200 }] }, { t: millis, quotes: [{ s: "A", p: 200 }] }])
  it(`ignores an item without its own time in ${JSON.stringify(answer)}`, () => {
    const { fault, prints } = readCurrent(fields, JSON.stringify(answer), millis)
    assert.deepStrictEqual(prints, [])
    assert.match(String(fault), /no price with a time at "t" \(fields.time\)/)
  })

it("reads the time from the top of the response if the path begins with $.", () => {
  const ofAnswer = { ...fields, time: "$.meta.t" }
  const quotes = [{ s: "A", p: 200, meta: { t: millis - 5_000 } }]
  const { prints } = readCurrent(ofAnswer, JSON.stringify({ meta: { t: millis }, quotes }), millis)
  assert.deepStrictEqual(prints, [{ contract: "A", priceE8: 200e8, quotedAtMillis: millis }])
  const { fault } = readCurrent(ofAnswer, JSON.stringify({ quotes }), millis)
  assert.match(String(fault), /no price with a time at "\$.meta.t" \(fields.time\)/)
})

it("reports quotes as too old if every quote in the response is too old", () => {
  assert.match(String(faultOf({ s: "A", p: 200, t: millis - 10_800_000 }).fault), /more than 60 s old/)
})
