/** Tests of decoding frames of the trade socket. */
import { type Command, decode, weight } from "@venue/api/trade/Command"
import { describe, expect, it } from "@effect/vitest"
import { Redacted } from "effect"

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
const added = {
  _tag: "AddOrder",
  symbol: "GOLD-USD",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: 3411.2,
  quantity: 2.5,
  reduceOnly: false,
  clientOrderId: ""
}

const namesAmong =
  "wrong field channels: expected one or more of order_responses, positions, balances, fills, stop_orders, cancel_on_disconnect, market_stats, funding"

const frame = (type: string, params: unknown): string => JSON.stringify({ type, params })

const refused = (text: string) => {
  const decoded = decode(text)
  if (decoded._tag !== "Malformed") throw new Error(`decoded ${decoded._tag}`)
  return decoded
}

describe("reference examples of commands", () => {
  const examples: ReadonlyArray<readonly [string, unknown]> = [
    [
      `{"type":"subscribe","params":{"channels":["order_responses","fills"]}}`,
      { _tag: "Subscribe", channels: ["order_responses", "fills"], declined: [] }
    ],
    [
      `{"type":"unsubscribe","params":{"channels":["fills"]}}`,
      { _tag: "Unsubscribe", channels: ["fills"], declined: [] }
    ],
    [
      `{"type":"modify_order","params":{"symbol":"GOLD-USD","order_id":"e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77","side":"BUY","order_type":"LIMIT","reduce_only":false,"price":3410.9,"quantity":3}}`,
      {
        _tag: "ModifyOrder",
        symbol: "GOLD-USD",
        orderId: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77",
        side: "BUY",
        type: "LIMIT",
        price: 3410.9,
        quantity: 3,
        reduceOnly: false
      }
    ],
    [
      `{"type":"cancel_order","params":{"symbol":"GOLD-USD","order_id":"mm-7-000182","cancel_order_id_type":"client_order_id"}}`,
      { _tag: "CancelOrder", symbol: "GOLD-USD", orderId: "mm-7-000182", byClientOrderId: true }
    ],
    [`{"type":"cancel_all_orders","params":{}}`, { _tag: "CancelAllOrders", symbol: null }],
    [
      `{"type":"cancel_on_disconnect","params":{"cancel_on_disconnect":true}}`,
      { _tag: "CancelOnDisconnect", armed: true }
    ],
    [`{"type":"cancel_all_after","params":{"timeout_secs":30}}`, { _tag: "CancelAllAfter", timeoutSeconds: 30 }],
    [
      `{"type":"close_position","params":{"symbol":"GOLD-USD","client_order_id":"flat-0931"}}`,
      { _tag: "ClosePosition", symbol: "GOLD-USD", clientOrderId: "flat-0931" }
    ],
    [
      `{"type":"add_twap","params":{"symbol":"GOLD-USD","side":"SELL","total_quantity":12,"num_orders":6,"order_interval_secs":45,"reduce_only":true,"client_twap_id":"unwind-12","worst_price":3390.5}}`,
      {
        _tag: "AddTwap",
        symbol: "GOLD-USD",
        side: "SELL",
        totalQuantity: 12,
        slices: 6,
        intervalSeconds: 45,
        reduceOnly: true,
        clientTwapId: "unwind-12",
        startMillis: 0,
        worstPrice: 3390.5
      }
    ],
    [
      `{"type":"get_order","params":{"symbol":"GOLD-USD","order_id":"e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77"}}`,
      { _tag: "GetOrder", symbol: "GOLD-USD", orderId: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77" }
    ],
    [
      `{"type":"get_user_orders","params":{"limit":100,"offset":0,"symbol":"GOLD-USD"}}`,
      { _tag: "GetUserOrders", limit: 100, offset: 0, symbol: "GOLD-USD" }
    ],
    [
      `{"type":"get_user_trades","params":{"limit":50,"offset":0,"start_ts":1790400000,"end_ts":1790503201}}`,
      {
        _tag: "GetUserTrades",
        limit: 50,
        offset: 0,
        orderId: null,
        startMillis: 1790400000000,
        endMillis: 1790503201000
      }
    ],
    [`{"type":"get_user_leverage","params":{"limit":50}}`, { _tag: "GetUserLeverage", limit: 50, offset: 0 }],
    [
      `{"type":"get_available_leverage_levels","params":{}}`,
      { _tag: "GetAvailableLeverageLevels", limit: 1000, offset: 0 }
    ],
    [
      `{"type":"set_user_leverage","params":{"symbol":"GOLD-USD","leverage":20}}`,
      { _tag: "SetUserLeverage", symbol: "GOLD-USD", leverage: 20 }
    ],
    [
      `{"type":"add_order","params":{"symbol":"GOLD-USD","side":"SELL","order_type":"STOP_LOSS","order_time_in_force":"GTC","quantity":1.5,"price":3375,"client_order_id":"sl-44"}}`,
      { ...added, side: "SELL", type: "STOP_LOSS", quantity: 1.5, price: 3375, clientOrderId: "sl-44" }
    ],
    [
      `{"type":"cancel_stop_order","params":{"stop_order_id":"91e6c0d8-2b7f-4a35-8d14-5c3f0b9e72a6"}}`,
      { _tag: "CancelStopOrder", stopOrderId: "91e6c0d8-2b7f-4a35-8d14-5c3f0b9e72a6" }
    ],
    [
      `{"type":"modify_stop_order","params":{"stop_order_id":"91e6c0d8-2b7f-4a35-8d14-5c3f0b9e72a6","symbol":"GOLD-USD","price":3382.5,"quantity":1}}`,
      {
        _tag: "ModifyStopOrder",
        symbol: "GOLD-USD",
        stopOrderId: "91e6c0d8-2b7f-4a35-8d14-5c3f0b9e72a6",
        side: null,
        type: null,
        price: 3382.5,
        quantity: 1
      }
    ]
  ]
  it.each(examples)("%s", (text, command) => expect(decode(text)).toEqual(command))

  it("decodes an auth command signed by HMAC, with account and builder code", () => {
    const decoded = decode(
      `{"type":"auth","params":{"hmac":{"public_key":"svc_pub_4kd91","nonce":"9f1c2ab07de4451b8a90c3fe77125d60","unix_ts":1790503201,"signature":"0b6f3a51"},"account_id":"3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10","builder_code":"c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21"}}`
    )
    if (decoded._tag !== "Auth" || decoded.credential._tag !== "Hmac") throw new Error(decoded._tag)
    const { signature, ...credential } = decoded.credential
    expect(Redacted.value(signature)).toBe("0b6f3a51")
    expect({ ...decoded, credential }).toEqual({
      _tag: "Auth",
      credential: {
        _tag: "Hmac",
        publicKey: "svc_pub_4kd91",
        nonce: "9f1c2ab07de4451b8a90c3fe77125d60",
        unixSeconds: 1790503201
      },
      accountId: "3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10",
      builderCode: "c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21"
    })
  })

  it("decodes an auth command with a token", () => {
    const decoded = decode(`{"type":"auth","params":{"jwt":"eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIzYjBhIn0.c2ln"}}`)
    if (decoded._tag !== "Auth" || decoded.credential._tag !== "Token") throw new Error(decoded._tag)
    expect(Redacted.value(decoded.credential.jwt)).toBe("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIzYjBhIn0.c2ln")
    expect([decoded.accountId, decoded.builderCode]).toEqual([null, null])
  })

  it("decodes an attached stop's price if it is above 0, and reads 0 as no stop", () => {
    const decoded = decode(frame("add_order", { ...goldOrder, take_profit: 3480, stop_loss: 3375 }))
    expect(decoded).toEqual({ ...added, takeProfit: 3480, stopLoss: 3375 })
    const negative = refused(frame("add_order", { ...goldOrder, take_profit: -1 }))
    expect([negative.code, negative.message.includes("take_profit")]).toEqual(["InvalidParameter", true])
  })
})

describe("alternative forms of commands", () => {
  const order = (changed: object): Command => decode(frame("add_order", { ...goldOrder, ...changed })) as Command

  it("accepts a boolean, 0, 1 or no value for reduce_only", () => {
    const read = [true, 1, false, 0, undefined, null].map((reduce_only) => order({ reduce_only }))
    expect(read.map((command) => command._tag === "AddOrder" && command.reduceOnly)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false
    ])
  })

  it("ignores the price of a market order", () => {
    const market = { order_type: "MARKET", order_time_in_force: "IOC" }
    const expected = { ...added, type: "MARKET", timeInForce: "IOC", price: 0 }
    for (const price of [undefined, null, 0, 12.5]) expect(order({ ...market, price })).toEqual(expected)
  })

  it("reads 0, null and an absent price as no attached stop", () => {
    for (const take_profit of [0, null, undefined]) {
      for (const stop_loss of [0, null, undefined]) expect(order({ take_profit, stop_loss })).toEqual(added)
    }
  })

  it("reads an empty client order id as missing, and keeps 64 printable characters unchanged", () => {
    expect(order({ client_order_id: "" })).toEqual(added)
    const longest = `"\\ ${"~".repeat(61)}`
    expect(order({ client_order_id: longest })).toEqual({ ...added, clientOrderId: longest })
  })

  it("decodes an order type that no symbol offers", () =>
    expect(order({ order_type: "STOP_MARKET" })).toEqual({ ...added, type: "STOP_MARKET" }))

  it("accepts a modify command without price and quantity", () =>
    expect(decode(frame("modify_order", resting))).toMatchObject({ price: 0, quantity: 0 }))

  it("accepts the 2025 form of a cancel, with a client_order_id member", () => {
    const expected = { _tag: "CancelOrder", symbol: "GOLD-USD", orderId: "a-1", byClientOrderId: true }
    const old = { symbol: "GOLD-USD", client_order_id: "a-1" }
    expect(decode(frame("cancel_order", old))).toEqual(expected)
    expect(decode(frame("cancel_order", { ...old, cancel_order_id_type: "client_order_id" }))).toEqual(expected)
    expect(decode(frame("cancel_order", { ...old, order_id: "" }))).toEqual(expected)
  })

  it("decodes a cancel of a TWAP by either id", () => {
    const cancel = { symbol: "GOLD-USD", order_id: "t-1" }
    expect(decode(frame("cancel_order", { ...cancel, cancel_order_id_type: "twap_id" }))).toEqual({
      _tag: "CancelTwap",
      symbol: "GOLD-USD",
      twapId: "t-1",
      byClientTwapId: false
    })
    expect(decode(frame("cancel_order", { ...cancel, cancel_order_id_type: "client_twap_id" }))).toEqual({
      _tag: "CancelTwap",
      symbol: "GOLD-USD",
      twapId: "t-1",
      byClientTwapId: true
    })
  })

  it("accepts a TWAP's start in seconds with a fraction or in milliseconds", () => {
    const twap = { symbol: "GOLD-USD", side: "SELL", total_quantity: 12, num_orders: 6, order_interval_secs: 45 }
    for (const start_time of [1790503301.4, 1790503301400]) {
      expect(decode(frame("add_twap", { ...twap, reduce_only: 1, start_time, worst_price: null }))).toMatchObject({
        startMillis: 1790503301400,
        reduceOnly: true,
        clientTwapId: "",
        worstPrice: 0
      })
    }
  })

  it("accepts cancel_all_orders with a symbol", () =>
    expect(decode(frame("cancel_all_orders", { symbol: "GOLD-USD" }))).toEqual({
      _tag: "CancelAllOrders",
      symbol: "GOLD-USD"
    }))

  it("reads a time of at least 1e11 as milliseconds, and a smaller time as seconds with a fraction", () => {
    expect(decode(frame("get_user_trades", { start_ts: 1790503244.118, end_ts: 1790503244118 }))).toMatchObject({
      startMillis: 1790503244118,
      endMillis: 1790503244118
    })
    expect(decode(frame("get_user_trades", { start_ts: 99_999_999_999, end_ts: 100_000_000_000 }))).toMatchObject({
      startMillis: 99_999_999_999_000,
      endMillis: 100_000_000_000
    })
  })

  it("applies a default limit of 1000 and offset of 0", () =>
    expect(decode(frame("get_user_orders", { limit: null }))).toEqual({
      _tag: "GetUserOrders",
      limit: 1000,
      offset: 0,
      symbol: null
    }))

  it("refuses an offset above the maximum", () => {
    const decoded = (offset: number) => decode(frame("get_user_trades", { offset }))
    expect(decoded(100_000)).toMatchObject({ _tag: "GetUserTrades", offset: 100_000 })
    expect(decoded(100_001)).toMatchObject({ _tag: "Malformed", code: "InvalidParameter" })
  })

  it("drops duplicate channels from a subscription", () =>
    expect(decode(frame("subscribe", { channels: ["fills", "balances", "fills"] }))).toEqual({
      _tag: "Subscribe",
      channels: ["fills", "balances"],
      declined: []
    }))

  it("treats an empty account field as the primary account", () => {
    const account = (account_id: unknown) => {
      const decoded = decode(frame("auth", { jwt: "x", account_id }))
      return decoded._tag === "Auth" ? decoded.accountId : decoded._tag
    }
    expect([undefined, null, "", " ", 5].map(account)).toEqual([null, null, null, "Malformed", "Malformed"])
  })

  it("subscribes to the valid channels in a list, and returns one error per error code for the invalid channels", () => {
    const channels = ["fills", "nonsense", "market_stats", 7, "balances", "nonsense", "funding", null]
    for (const [type, _tag] of [["subscribe", "Subscribe"] as const, ["unsubscribe", "Unsubscribe"] as const]) {
      expect(decode(frame(type, { channels }))).toEqual({
        _tag,
        channels: ["fills", "balances"],
        declined: [
          {
            code: "InvalidJSONFormat",
            message: `${namesAmong}, got "nonsense", 7, null`
          }
        ],
        marketData: { type, channels: ["market_stats", "funding"] }
      })
    }
  })

  it("accepts market-data channels in a trade-socket request, alone or in a list with trade channels", () => {
    for (const [type, _tag] of [["subscribe", "Subscribe"] as const, ["unsubscribe", "Unsubscribe"] as const]) {
      const marketData = { type, channels: ["funding"], symbols: ["*"] }
      expect(decode(JSON.stringify(marketData))).toEqual({ _tag, channels: [], declined: [], marketData })
      expect(decode(frame(type, { channels: ["funding", "fills"], symbols: ["*"] }))).toEqual({
        _tag,
        channels: ["fills"],
        declined: [],
        marketData
      })
    }
  })

  it("lists at most 16 wrong channels in an error message", () => {
    const names = Array.from({ length: 20 }, (_, at) => `c${at}`)
    const decoded = decode(frame("subscribe", { channels: names }))
    const sixteen = names.slice(0, 16).map((name) => `"${name}"`)
    expect(decoded).toEqual({
      _tag: "Subscribe",
      channels: [],
      declined: [{ code: "InvalidJSONFormat", message: `${namesAmong}, got ${sixteen.join(", ")} and 4 more` }]
    })
  })

  it("reads an empty or malformed builder code as empty, and a missing builder code as null", () => {
    const code = (builder_code: unknown) => {
      const decoded = decode(frame("auth", { jwt: "x", builder_code }))
      if (decoded._tag === "Malformed") return decoded.code
      return decoded._tag === "Auth" ? decoded.builderCode : decoded._tag
    }
    expect([undefined, null, "", "nonsense", 5].map(code)).toEqual([null, null, "", "", "InvalidJSONFormat"])
  })
})

it("charges cancels to a separate rate-limit bucket", () => {
  const cost = (type: string, params: object) => weight(decode(frame(type, params)))
  expect(cost("add_order", goldOrder)).toEqual({ bucket: "general", weight: 1 })
  expect(cost("cancel_all_orders", {})).toEqual({ bucket: "cancel", weight: 2 })
  expect(cost("cancel_all_after", { timeout_secs: 5 })).toEqual({ bucket: "cancel", weight: 1 })
  expect(cost("get_user_orders", {})).toEqual({ bucket: "general", weight: 5 })
  expect(cost("cancel_stop_order", { stop_order_id: "s" })).toEqual({ bucket: "cancel", weight: 1 })
})
