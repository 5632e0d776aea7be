/** Tests of refusals of malformed frames of the trade socket. */
import { decode, weight } from "@venue/api/trade/Command"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const goldOrder = {
  symbol: "GOLD-USD",
  side: "BUY",
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  quantity: 2.5,
  price: 3411.2
}
const resting = {
  symbol: "GOLD-USD",
  order_id: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77",
  side: "BUY",
  order_type: "LIMIT",
  reduce_only: false
}

const frame = (type: string, params: unknown): string => JSON.stringify({ type, params })

const refused = (text: string) => {
  const decoded = decode(text)
  if (decoded._tag !== "Malformed") throw new Error(`decoded ${decoded._tag}`)
  return decoded
}

describe("a refusal states the fault and the expected value", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["", "InvalidJSONFormat", "expected one JSON object per text frame, got text that is not JSON"],
    ["{", "InvalidJSONFormat", "expected one JSON object per text frame, got text that is not JSON"],
    ["[]", "InvalidJSONFormat", "expected one JSON object per text frame, got an array"],
    ["null", "InvalidJSONFormat", "expected one JSON object per text frame, got null"],
    ["7", "InvalidJSONFormat", "expected one JSON object per text frame, got a number"],
    ["{}", "InvalidJSONFormat", 'missing field type: expected a command such as "add_order"'],
    [`{"type":"add_order"}`, "InvalidJSONFormat", "missing field params: expected an object, or {} for no parameters"],
    [
      `{"type":"add_order","params":[]}`,
      "InvalidJSONFormat",
      "wrong field params: expected an object, or {} for no parameters, got an array"
    ],
    [
      frame("add_orders", {}),
      "InvalidJSONFormat",
      'wrong field type: expected a command such as "add_order", got "add_orders"'
    ],
    [frame("add_order", {}), "InvalidJSONFormat", 'missing field symbol: expected a string such as "GOLD-USD"'],
    [
      frame("add_order", { ...goldOrder, side: "buy" }),
      "InvalidJSONFormat",
      'wrong field side: expected "BUY" or "SELL", got "buy"'
    ],
    [
      frame("add_order", { ...goldOrder, order_time_in_force: "GFD" }),
      "InvalidJSONFormat",
      'wrong field order_time_in_force: expected "GTC", "IOC" or "FOK", got "GFD"'
    ],
    [
      frame("add_order", { ...goldOrder, quantity: "1e2" }),
      "InvalidJSONFormat",
      'wrong field quantity: expected a JSON number, got "1e2"'
    ],
    [
      frame("add_order", { ...goldOrder, price: null }),
      "InvalidJSONFormat",
      "wrong field price: expected a JSON number, got null"
    ],
    [
      frame("add_order", { ...goldOrder, reduce_only: "false" }),
      "InvalidJSONFormat",
      'wrong field reduce_only: expected true or false, got "false"'
    ],
    [
      `{"type":"add_order","params":{"symbol":"GOLD-USD","side":"BUY","order_type":"LIMIT","order_time_in_force":"GTC","quantity":1e999,"price":1}}`,
      "InvalidParameter",
      "invalid quantity: expected a finite number, got Infinity"
    ],
    [
      frame("add_order", { ...goldOrder, client_order_id: "ü" }),
      "InvalidParameter",
      'invalid client_order_id: expected 1 to 64 printable ASCII characters, got "ü"'
    ],
    [
      frame("add_order", { ...goldOrder, client_order_id: 7 }),
      "InvalidJSONFormat",
      "wrong field client_order_id: expected a string, got 7"
    ],
    [
      frame("add_order", { ...goldOrder, symbol: "x".repeat(65) }),
      "InvalidParameter",
      `invalid symbol: expected at most 64 characters, got "${"x".repeat(40)}" and more`
    ],
    [
      frame("modify_order", { ...resting, reduce_only: undefined }),
      "InvalidJSONFormat",
      "missing field reduce_only: expected true or false"
    ],
    [
      frame("modify_order", { ...resting, order_type: undefined }),
      "InvalidJSONFormat",
      'missing field order_type: expected "LIMIT", "MARKET", "ALO", "TAKE_PROFIT" or "STOP_LOSS"'
    ],
    [
      frame("cancel_order", { symbol: "GOLD-USD", order_id: "1" }),
      "InvalidJSONFormat",
      'missing field cancel_order_id_type: expected "order_id", "client_order_id", "twap_id" or "client_twap_id"'
    ],
    [
      frame("cancel_all_orders", { symbol: "" }),
      "InvalidParameter",
      'invalid symbol: expected a symbol such as "GOLD-USD", or no symbol field, got ""'
    ],
    [
      frame("get_user_orders", { limit: 0 }),
      "InvalidParameter",
      "invalid limit: expected a whole number from 1 to 1000, got 0"
    ],
    [
      frame("get_user_trades", { limit: 1001 }),
      "InvalidParameter",
      "invalid limit: expected a whole number from 1 to 1000, got 1001"
    ],
    [
      frame("get_user_leverage", { offset: -1 }),
      "InvalidParameter",
      "invalid offset: expected a whole number from 0 to 100000, got -1"
    ],
    [
      frame("get_user_trades", { start_ts: -1 }),
      "InvalidParameter",
      "invalid start_ts: expected Unix seconds or milliseconds, got -1"
    ],
    [
      frame("set_user_leverage", { symbol: "GOLD-USD", leverage: "20x" }),
      "InvalidJSONFormat",
      'wrong field leverage: expected a JSON number, got "20x"'
    ],
    [
      frame("subscribe", { channels: "fills" }),
      "InvalidJSONFormat",
      'wrong field channels: expected an array of channel names, got "fills"'
    ],
    [
      frame("subscribe", { channels: [] }),
      "InvalidParameter",
      "invalid channels: expected at least one channel name, got an array"
    ],
    [
      `{"type":"subscribe","channels":["market_stats","fills"],"symbols":["*"]}`,
      "InvalidJSONFormat",
      "missing field params: expected an object, or {} for no parameters"
    ],
    [
      frame("cancel_on_disconnect", { cancel_on_disconnect: 1 }),
      "InvalidJSONFormat",
      "wrong field cancel_on_disconnect: expected true or false, got 1"
    ],
    [frame("cancel_all_after", {}), "InvalidJSONFormat", "missing field timeout_secs: expected a JSON number"],
    [
      frame("cancel_all_after", { timeout_secs: 4 }),
      "InvalidParameter",
      "invalid timeout_secs: expected 0, or a whole number of seconds from 5 to 600, got 4"
    ],
    [
      frame("add_twap", { symbol: "GOLD-USD", side: "BUY", total_quantity: 1, num_orders: 1 }),
      "InvalidParameter",
      "invalid num_orders: expected a whole number of at least 2, got 1"
    ],
    [
      frame("modify_stop_order", { stop_order_id: "s", symbol: "GOLD-USD" }),
      "InvalidJSONFormat",
      "missing field price: expected price, quantity or both"
    ],
    [
      frame("auth", {}),
      "InvalidJSONFormat",
      "missing field hmac: expected hmac { public_key, nonce, unix_ts, signature } or jwt in params"
    ],
    [
      frame("auth", { api_key: "k" }),
      "InvalidJSONFormat",
      "missing field hmac: expected hmac { public_key, nonce, unix_ts, signature } or jwt in params; api_key is no longer supported"
    ],
    [frame("auth", { jwt: "x", hmac: {} }), "InvalidJSONFormat", "expected either hmac or jwt in params, got both"],
    [
      frame("auth", { jwt: "x", account_id: "mine" }),
      "InvalidParameter",
      "invalid account_id: expected a UUID of 36 characters"
    ],
    [
      frame("auth", { hmac: { public_key: "k", nonce: "n", unix_ts: "1790503201s", signature: "s" } }),
      "InvalidJSONFormat",
      "wrong field hmac.unix_ts: expected a whole number of Unix seconds, got a string"
    ]
  ]
  it.each(cases)("%s", (text, code, message) => {
    const decoded = refused(text)
    expect([decoded.code, decoded.message]).toEqual([code, message])
  })
})

describe("the echo of a refused frame", () => {
  it("echoes a refused frame as an object if it is a JSON object", () => {
    const text = `{ "type":"modify_order", "params":{"symbol":"GOLD-USD","price":3410.90} }`
    expect(refused(text).incoming).toBe(text)
  })

  it("echoes a refused frame as a string if it is not a JSON object", () => {
    expect(refused('buy "gold"').incoming).toBe(JSON.stringify('buy "gold"'))
    expect(refused("[1]").incoming).toBe('"[1]"')
  })

  it("truncates the echo of a long refused frame", () =>
    expect(refused("x".repeat(60_000)).incoming).toHaveLength(8_194))

  it("I46: echoes no frame that might contain a credential, and shows no credential in a message", () => {
    const secrets = [
      `{"type":"auth","params":{"jwt":7,"hmac":"c4n4ry"}}`,
      `{"type":"auth","params":{"hmac":{"public_key":"c4n4ry","nonce":["c4n4ry"]}}}`,
      `{"type":"auth","params":{"jwt":["c4n4ry"]}}`,
      `{"type":"auth","params":{"jwt":"x","account_id":"c4n4ry"}}`,
      `{"type":"Auth","params":{"jwt":"c4n4ry"}}`,
      `{"type":"subscribe","params":{"jwt":"c4n4ry"}}`,
      `{'type':'auth','params':{'jwt':'c4n4ry'}}`,
      `{"type":"auth","params":{"hmac":{"signature":"c4n4ry"`
    ]
    for (const text of secrets) {
      const decoded = refused(text)
      expect(decoded.incoming).toBeUndefined()
      expect(decoded.message).not.toContain("c4n4ry")
    }
  })
})

describe("I50: treats bad input as the client's error", () => {
  it("refuses any text that is not a command", () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(decode(text)._tag).toBe("Malformed")
      })
    ))

  it("decodes any fields to a command or to a refusal that is valid JSON", () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom("BUY", "LIMIT", "GTC", "GOLD-USD", 0, 1, -1, 1e308, true))
    const names = [...Object.keys(goldOrder), ...Object.keys(resting), "reduce_only", "channels", "limit", "__proto__"]
    const params = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value)
    const types = ["add_order", "modify_order", "cancel_order", "auth", "subscribe", "get_user_trades", "__proto__"]
    fc.assert(
      fc.property(fc.constantFrom(...types), params, (type, fields) => {
        const decoded = decode(JSON.stringify({ type, params: fields }))
        if (decoded._tag === "Malformed" && decoded.incoming !== undefined) JSON.parse(decoded.incoming)
        expect(weight(decoded).weight).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 500 }
    )
  })

  it("handles deep nesting, duplicate keys and prototype names as plain text", () => {
    const depth = 15_000
    const deep = `{"type":"add_order","params":{"symbol":${"[".repeat(depth)}${"]".repeat(depth)}}}`
    expect(refused(deep).message).toBe('wrong field symbol: expected a string such as "GOLD-USD", got an array')
    expect(decode(`{"type":"nonsense","type":"cancel_all_orders","params":{}}`)._tag).toBe("CancelAllOrders")
    refused(`{"__proto__":{"type":"cancel_all_orders","params":{}}}`)
    refused(`{"type":"cancel_all_orders","params":{"__proto__":{"symbol":"GOLD-USD"},"symbol":1}}`)
    expect(({} as Record<string, unknown>)["symbol"]).toBeUndefined()
  })
})
