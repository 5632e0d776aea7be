/** Tests of session frames of the trade socket: sign-in, channels, acknowledgements, errors. */
import * as Incoming from "@venue/api/Incoming"
import { decode } from "@venue/api/trade/Command"
import * as Frame from "@venue/api/trade/Frame"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { LeverageInUse, NotALevel, UnknownSymbol } from "@venue/domain/Trader"
import { expect, it } from "@effect/vitest"

it("the confirmation of a sign-in states that the connection is authenticated", () =>
  expect(JSON.parse(Frame.authenticated)).toEqual({ type: "auth", result: "success", authenticated: true }))

it("prints the confirmation of a channel subscription with the channel's name", () => {
  expect(Frame.subscribed("order_responses")).toBe(`{"subscribed":"order_responses"}`)
  expect(Frame.unsubscribed("fills")).toBe(`{"unsubscribed":"fills"}`)
  expect(Frame.cancelOnDisconnect(true)).toBe(`{"cancel_on_disconnect":true}`)
})

it("an acknowledgement contains a copy of the request, and is printed under both of its names", () => {
  const request = `{"type":"set_user_leverage","params":{"symbol":"GOLD-USD","leverage":20}}`
  expect(JSON.parse(Frame.ack(Incoming.ofObject(request)))).toEqual({
    ack: { incoming_message: { type: "set_user_leverage", params: { symbol: "GOLD-USD", leverage: 20 } } },
    ack_response: true
  })
})

it("the cancel_all_after response contains the time of the cancel, or null if the switch is off", () => {
  const request = `{"type":"cancel_all_after","params":{"timeout_secs":30}}`
  const acknowledged = JSON.parse(Frame.ack(request))
  expect(JSON.parse(Frame.cancelAllAfterResponse(30, 1_795_186_831_000, request))).toEqual({
    ...acknowledged,
    cancel_all_after_response: { timeout_secs: 30, cancel_at: 1_795_186_831 }
  })
  expect(JSON.parse(Frame.cancelAllAfterResponse(0, 0, request))).toEqual({
    ...acknowledged,
    cancel_all_after_response: { timeout_secs: 0, cancel_at: null }
  })
})

it("an error contains a copy of the request that caused it", () => {
  const request = `{"type":"modify_order","params":{"symbol":"GOLD-USD","order_id":"e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77","side":"BUY","order_type":"LIMIT","price":3410.9}}`
  const example = `{"err":{"error_code":"InvalidJSONFormat","message":"missing field reduce_only","incoming_message":${request}}}`
  expect(Frame.err("InvalidJSONFormat", "missing field reduce_only", Incoming.ofObject(request))).toBe(example)
  expect(Frame.err("PermissionDenied", 'not "you"')).toBe(
    `{"err":{"error_code":"PermissionDenied","message":"not \\"you\\""}}`
  )
  const decoded = decode(request)
  expect(decoded._tag === "Malformed" && JSON.parse(Frame.malformed(decoded)).err.incoming_message).toEqual(
    JSON.parse(request)
  )
})

it("an error about the rate limit states how long the client must wait", () =>
  expect(JSON.parse(Frame.rateLimited(1_330, `{"type":"get_user_orders","params":{}}`))).toEqual({
    err: {
      error_code: "RateLimited",
      message: "rate exceeded, retry after 1.4 s",
      incoming_message: { type: "get_user_orders", params: {} }
    }
  }))

it("an error about a refused leverage states the reason", () => {
  const message = (refusal: Parameters<typeof Frame.leverageRefused>[0]) =>
    JSON.parse(Frame.leverageRefused(refusal, undefined)).err
  expect(message(new NotALevel({ leverage: 99, maxLeverage: 30 }))).toEqual({
    error_code: "InvalidParameter",
    message: "leverage 99 is not available: expected a whole number from 1 to 30"
  })
  expect(message(new UnknownSymbol({ symbol: MarketSymbol.make("X") })).message).toBe("unknown symbol X")
  expect(
    message(new LeverageInUse({ symbol: MarketSymbol.make("X"), openOrders: 1, hasPosition: false })).error_code
  ).toBe("InvalidParameter")
})
