/** Values for random requests: valid ones by parameter name, and unexpected ones. */

export const words: Readonly<Record<string, ReadonlyArray<string>>> = {
  symbol: ["GOLD-USD", "EUR-USD", "CL-USD", "gold-usd"],
  ticker: ["GOLD-USD", "NOPE-USD", ""],
  resolution: ["1MIN", "5MINS", "15MINS", "30MINS", "1HOUR", "4HOURS", "1DAY"],
  interval: ["1m", "5m", "15m", "30m", "1h", "4h", "1d"],
  intervalMinutes: ["1", "5", "15", "30", "60", "240", "1440"],
  address: ["0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"],
  builder_code: ["0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"]
}

export const moments = [
  "2026-03-01T00:00:00Z",
  "2026-11-24T07:00:00.000Z",
  "1970-01-01T00:00:00Z",
  "2100-01-01T00:00:00+01:00"
]
export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
export const types = ["text/plain", "application/xml", "application/json; charset=utf-16", "", "application/jsonp"]
export const names = [
  "$schema",
  "__proto__",
  "constructor",
  "toString",
  "extra",
  "svc_symbol",
  "a".repeat(300),
  "\u0000"
]
export const headerTexts = ["", "x", "0", "00000000-0000-4000-8000-ffffffffffff", "a".repeat(2_000), "%00", "\u00ff"]
export const texts = [
  "",
  " ",
  "0",
  "-1",
  "1e400",
  "1e3",
  "0x10",
  "NaN",
  "1.5",
  "99999999999999999999",
  "null",
  "true",
  "[]",
  "{}",
  "%",
  "%00",
  "\u0000",
  "\ud83d\ude00",
  "../..",
  "'; drop table trade; --",
  "<script>",
  "a".repeat(2_000),
  "yesterday",
  "2026-02-30T00:00:00Z",
  "275760-09-13T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "2026-03-01T24:00:00Z",
  "GOLD-USD,EUR-USD",
  "NOPE-USD",
  "00000000-0000-4000-8000-ffffffffffff",
  "ABCDEFAB-CDEF-4BCD-8FAB-CDEFABCDEFAB"
]

const others: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -0,
  -1,
  0.1,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  1e-320,
  [],
  {},
  [[]],
  { a: { b: [1] } },
  Array.from({ length: 500 }, (_, at) => at)
]

/** Values that replace a member of a body. */
export const values: ReadonlyArray<unknown> = [...others, ...texts]

export const noBodies = [
  "",
  "null",
  "[]",
  "{",
  '"',
  "\u0000",
  "{}{}",
  "[".repeat(20_000),
  '{"a":1e999}',
  '{"\\ud800":"\\udfff"}',
  '{"__proto__":{"leverage":5},"symbol":"EUR-USD"}'
]

/** Exceeds the maximum body size. */
export const oversizedBody = JSON.stringify("x".repeat(70_000))
