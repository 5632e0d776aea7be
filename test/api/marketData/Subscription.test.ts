/** Tests of decoding market-data subscriptions. */
import { decode, keyOf, topics } from "@venue/api/marketData/Subscription"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const listed = new Set(["GOLD-USD", "NVDA-USD", "EUR-USD"].map((name) => MarketSymbol.make(name)))

const refused = (text: string): readonly [string, string] => {
  const decoded = decode(text, listed)
  if (decoded._tag !== "Malformed") throw new Error(`decoded ${decoded._tag}`)
  return [decoded.code, decoded.message]
}

describe("subscription request", () => {
  it("returns a topic for each channel and symbol of a subscription request", () => {
    const decoded = decode(`{"type":"subscribe","channels":["bbo","trade"],"symbols":["GOLD-USD","NVDA-USD"]}`, listed)
    expect(decoded).toEqual({
      _tag: "Subscribe",
      channels: ["bbo", "trade"],
      symbols: ["GOLD-USD", "NVDA-USD"],
      markets: ["GOLD-USD", "NVDA-USD"],
      sigFigs: [],
      intervals: [],
      declined: []
    })
    if (decoded._tag === "Malformed") throw new Error(decoded.message)
    expect(topics(decoded).map(keyOf)).toEqual([
      "bbo/GOLD-USD/0",
      "bbo/NVDA-USD/0",
      "trade/GOLD-USD/0",
      "trade/NVDA-USD/0"
    ])
  })

  it("returns the same topics for an unsubscribe as for a subscribe request", () =>
    expect(decode(`{"type":"unsubscribe","channels":["bbo"],"symbols":["GOLD-USD"]}`, listed)).toMatchObject({
      _tag: "Unsubscribe",
      channels: ["bbo"],
      symbols: ["GOLD-USD"]
    }))

  it("returns a topic for each requested grouping of a book, or for grouping 0 by default", () => {
    expect(decode(`{"type":"subscribe","channels":["level2"],"symbols":["GOLD-USD"]}`, listed)).toMatchObject({
      sigFigs: [0]
    })
    const decoded = decode(
      `{"type":"subscribe","channels":["level2","mark_price"],"symbols":["EUR-USD"],"sig_figs":[1,0,1]}`,
      listed
    )
    if (decoded._tag === "Malformed") throw new Error(decoded.message)
    expect(topics(decoded).map(keyOf)).toEqual(["level2/EUR-USD/1", "level2/EUR-USD/0", "mark_price/EUR-USD/0"])
  })

  it("a subscription to * returns the topics of each listed symbol once", () =>
    expect(decode(`{"type":"subscribe","channels":["bbo"],"symbols":["*","GOLD-USD","*"]}`, listed)).toMatchObject({
      symbols: ["*", "GOLD-USD"],
      markets: [...listed]
    }))
})

describe("request for market_stats", () => {
  it("a market_stats subscription returns one topic for * and one for each named symbol", () => {
    const decoded = decode(`{"type":"subscribe","channels":["market_stats"],"symbols":["*","GOLD-USD"]}`, listed)
    if (decoded._tag === "Malformed") throw new Error(decoded.message)
    expect(topics(decoded).map(keyOf)).toEqual(["market_stats/*/0", "market_stats/GOLD-USD/0"])
  })
})

describe("a refusal states the fault", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["nonsense", "InvalidJSONFormat", "expected one JSON object per text frame, got text that is not JSON"],
    [`{"type":"ping"}`, "InvalidJSONFormat", 'wrong field type: expected "subscribe" or "unsubscribe", got "ping"'],
    [`{"type":"subscribe"}`, "InvalidJSONFormat", "missing field channels: expected an array of channel names"],
    [
      `{"type":"subscribe","channels":[],"symbols":["GOLD-USD"]}`,
      "InvalidParameter",
      "invalid channels: expected at least one channel name"
    ],
    [
      `{"type":"subscribe","channels":["bbo"]}`,
      "InvalidJSONFormat",
      'missing field symbols: expected an array of symbols such as "GOLD-USD", or ["*"]'
    ],
    [
      `{"type":"subscribe","channels":["bbo"],"symbols":[]}`,
      "InvalidParameter",
      'invalid symbols: expected at least one symbol, or "*"'
    ],
    [
      `{"type":"subscribe","channels":["level2"],"symbols":["GOLD-USD"],"sig_figs":0}`,
      "InvalidJSONFormat",
      "wrong field sig_figs: expected an array with one or more of 0, 1 and 2, got 0"
    ],
    [
      `{"type":"subscribe","channels":["candle"],"symbols":["GOLD-USD"],"intervals":"1MIN"}`,
      "InvalidJSONFormat",
      'wrong field intervals: expected an array with one or more of 1MIN, 5MINS, 15MINS, 30MINS, 1HOUR, 4HOURS, 1DAY, got "1MIN"'
    ]
  ]
  it.each(cases)("%s", (text, code, message) => expect(refused(text)).toEqual([code, message]))
})

describe("applies the valid part of a request, and returns one error per error code for the invalid part", () => {
  const names =
    "wrong field channels: expected one or more of level2, bbo, trade, mark_price, candle, underlier, funding, open_interest, minmax_price, market_stats"
  const intervals = "one or more of 1MIN, 5MINS, 15MINS, 30MINS, 1HOUR, 4HOURS, 1DAY"
  const all = `"symbols":["GOLD-USD"]`
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<readonly [string, string]>]> = [
    [`"channels":["book"],${all}`, [], [["InvalidJSONFormat", `${names}, got "book"`]]],
    [
      `"channels":["bbo","candle"],${all}`,
      ["bbo/GOLD-USD/0"],
      [["InvalidJSONFormat", `missing field intervals: expected ${intervals} for the candle channel`]]
    ],
    [
      `"channels":["candle"],${all},"intervals":["1MIN","2MINS","1DAY","1MIN"]`,
      ["candle/GOLD-USD/1MIN", "candle/GOLD-USD/1DAY"],
      [["InvalidJSONFormat", `wrong field intervals: expected ${intervals}, got "2MINS"`]]
    ],
    [
      `"channels":["bbo"],"symbols":[7]`,
      [],
      [["InvalidJSONFormat", 'wrong field symbols: expected strings such as "GOLD-USD", got 7']]
    ],
    [
      `"channels":["bbo"],"symbols":["GOLD-USD","FOO-USD"]`,
      ["bbo/GOLD-USD/0"],
      [["InvalidParameter", "unknown symbol FOO-USD"]]
    ],
    [
      `"channels":["level2"],${all},"sig_figs":[3]`,
      [],
      [["InvalidParameter", "invalid sig_figs: expected 0, 1 or 2, got 3"]]
    ],
    [
      `"channels":["level2","mark_price"],${all},"sig_figs":[3,1,"2"]`,
      ["level2/GOLD-USD/1", "mark_price/GOLD-USD/0"],
      [
        ["InvalidJSONFormat", 'wrong field sig_figs: expected an array with one or more of 0, 1 and 2, got "2"'],
        ["InvalidParameter", "invalid sig_figs: expected 0, 1 or 2, got 3"]
      ]
    ],
    [
      `"channels":["trade","book","bbo"],"symbols":["FOO-USD","EUR-USD",null,"BAR-USD","FOO-USD"]`,
      ["trade/EUR-USD/0", "bbo/EUR-USD/0"],
      [
        [
          "InvalidJSONFormat",
          `${names}, got "book"; wrong field symbols: expected strings such as "GOLD-USD", got null`
        ],
        ["InvalidParameter", "unknown symbol FOO-USD, BAR-USD"]
      ]
    ]
  ]
  it.each(cases)("%s", (request, streams, errors) => {
    for (const type of ["subscribe", "unsubscribe"]) {
      const decoded = decode(`{"type":"${type}",${request}}`, listed)
      if (decoded._tag === "Malformed") throw new Error(decoded.message)
      expect(topics(decoded).map(keyOf)).toEqual(streams)
      expect(decoded.declined.map(({ code, message }) => [code, message])).toEqual(errors)
    }
  })
})

it("I50: decodes arbitrary fields to a request or a refusal", () => {
  const list = fc.array(fc.oneof(fc.constantFrom("bbo", "level2", "GOLD-USD", "*", 0, 2, "candle"), fc.jsonValue()))
  const request = fc.record(
    { type: fc.constantFrom("subscribe", "unsubscribe"), channels: list, symbols: list, sig_figs: list },
    { requiredKeys: [] }
  )
  fc.assert(
    fc.property(
      fc.oneof(
        request.map((value) => JSON.stringify(value)),
        fc.string(),
        fc.json()
      ),
      (text) => {
        const decoded = decode(text, listed)
        if (decoded._tag === "Malformed" && decoded.incoming !== undefined) JSON.parse(decoded.incoming)
        else if (decoded._tag !== "Malformed") expect(topics(decoded).length).toBeLessThanOrEqual(4 * 3 * 3)
      }
    ),
    { numRuns: 500 }
  )
})
