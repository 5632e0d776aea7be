/** The frames of the trade socket, field by field against the examples of the reference. */
import * as Incoming from "@venue/api/Incoming"
import { decode } from "@venue/api/trade/Command"
import * as Frame from "@venue/api/trade/Frame"
import { type Instrument, starters } from "@venue/domain/Instrument"
import type { Echo, Traded } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { type Balance, type Holding, LeverageInUse, NotALevel, UnknownSymbol } from "@venue/domain/Trader"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const gold = starters.find(({ symbol }) => symbol === "GOLD-USD")!
/** With lots fine enough to be written with an exponent. */
const dust: Instrument = { ...gold, tick: 1, lot: 1 }

const alice = "3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"
const tradeId = "a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82"
const order: Order = {
  orderId: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77",
  userId: alice,
  accountId: alice,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: 34_112,
  quantity: 2_500,
  remaining: 1_000,
  reduceOnly: false,
  clientOrderId: "mm-7-000182",
  origin: "USER",
  builderCode: "",
  placedAtMillis: 1790503240000
}
/** Attached take profit and stop loss are not offered, so those are 0 where the reference's examples have some. */
const orderRow = {
  order_id: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77",
  symbol: "GOLD-USD",
  status: "FILLED",
  quantity: 2.5,
  price: 3411.2,
  take_profit: 0,
  stop_loss: 0,
  side: "BUY",
  type: "LIMIT",
  time_in_force: "GTC",
  user_id: alice,
  client_order_id: "mm-7-000182",
  quantity_remaining: 1,
  update_time: 1790503244.118,
  trade_id: tradeId,
  reduce_only: false
}
const traded: Traded = {
  _tag: "Traded",
  tradeId,
  number: 1,
  price: 34_111,
  quantity: 1_500,
  notional: 5_116_650_000,
  maker: { order, fee: 511_665, realised: 0 },
  taker: {
    order: { ...order, orderId: "taker", accountId: "bob", side: "SELL" },
    fee: 2_558_325,
    realised: -1_250_000
  },
  atMillis: 1790503244118
}
const holding: Holding = {
  accountId: alice,
  symbol: "GOLD-USD",
  quantity: 1_500,
  basis: 5_116_650_000,
  realised: 0,
  unrealised: 1_650_000n,
  funding: -12_000,
  fees: 0,
  leverage: 20,
  marginHeld: 255_915_000n,
  openOrders: 1,
  openQuantity: 1_000
}
const balance: Balance = {
  accountId: alice,
  deposit: 25_000_000_000n,
  realised: 118_400_000n,
  unrealised: 1_650_000n,
  funding: -12_000n,
  fees: 511_665n,
  orderMargin: 170_560_000n,
  positionMargin: 255_915_000n,
  equity: 0n,
  available: 24_730_301_335n,
  withdrawable: 0n
}
const echo: Echo = {
  orderId: "",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: 3411.2,
  quantity: 900,
  clientOrderId: "mm-7-000183",
  reduceOnly: false
}

describe("session", () => {
  it("signing in succeeded", () =>
    expect(JSON.parse(Frame.authenticated)).toEqual({ type: "auth", result: "success", authenticated: true }))

  it("a channel is confirmed by its name", () => {
    expect(Frame.subscribed("order_responses")).toBe(`{"subscribed":"order_responses"}`)
    expect(Frame.unsubscribed("fills")).toBe(`{"unsubscribed":"fills"}`)
    expect(Frame.cancelOnDisconnect(true)).toBe(`{"cancel_on_disconnect":true}`)
  })

  it("an acknowledgement carries the request and both signs", () => {
    const request = `{"type":"set_user_leverage","params":{"symbol":"GOLD-USD","leverage":20}}`
    expect(JSON.parse(Frame.ack(Incoming.ofObject(request)))).toEqual({
      ack: { incoming_message: { type: "set_user_leverage", params: { symbol: "GOLD-USD", leverage: 20 } } },
      ack_response: true
    })
  })

  it("an error carries the request, and never a key with null", () => {
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

  it("a limited rate says how long to wait", () =>
    expect(JSON.parse(Frame.rateLimited(1_330, `{"type":"get_user_orders","params":{}}`))).toEqual({
      err: {
        error_code: "RateLimited",
        message: "rate exceeded, retry after 1.4 s",
        incoming_message: { type: "get_user_orders", params: {} }
      }
    }))

  it("a refused leverage says why", () => {
    const message = (refusal: Parameters<typeof Frame.leverageRefused>[0]) =>
      JSON.parse(Frame.leverageRefused(refusal, undefined)).err
    expect(message(new NotALevel({ leverage: 99, maxLeverage: 30 }))).toEqual({
      error_code: "InvalidParameter",
      message: "leverage 99 is not available: expected a whole number from 1 to 30"
    })
    expect(message(new UnknownSymbol({ symbol: "X" })).message).toBe("unknown symbol X")
    expect(message(new LeverageInUse({ symbol: "X", openOrders: 1, hasPosition: false })).error_code).toBe(
      "InvalidParameter"
    )
  })
})

describe("orders", () => {
  it("an order that was filled", () =>
    expect(JSON.parse(Frame.orderResponse(gold, order, "FILLED", 1790503244118, tradeId))).toEqual({
      order_response: orderRow
    }))

  it("an order that was accepted has no trade id", () =>
    expect(JSON.parse(Frame.orderResponse(gold, order, "ACK", 1790503244118, null))).toEqual({
      order_response: { ...orderRow, status: "ACK", trade_id: null }
    }))

  it("a refused placement has no order id and echoes the request", () =>
    expect(
      JSON.parse(
        Frame.refusal("GOLD-USD", { accountId: alice, status: "FAILED_MARGIN_CHECK", echo, atMillis: 1790503250520 })
      )
    ).toEqual({
      order_response: {
        order_id: "",
        symbol: "GOLD-USD",
        status: "FAILED_MARGIN_CHECK",
        quantity: 900,
        price: 3411.2,
        take_profit: 0,
        stop_loss: 0,
        side: "BUY",
        type: "LIMIT",
        time_in_force: "GTC",
        user_id: alice,
        client_order_id: "mm-7-000183",
        quantity_remaining: 900,
        update_time: 1790503250.52,
        trade_id: null
      }
    }))

  it("a cancel that found nothing leaves out what nobody knows", () => {
    const unknown = { ...echo, orderId: "nonsense", side: null, type: null, timeInForce: null, price: 0, quantity: 0 }
    const { order_response } = JSON.parse(
      Frame.refusal("GOLD-USD", { accountId: alice, status: "NO_SUCH_ORDER", echo: unknown, atMillis: 0 })
    )
    expect(order_response).toMatchObject({ order_id: "nonsense", status: "NO_SUCH_ORDER", quantity: 0, price: 0 })
    expect(Object.keys(order_response)).not.toEqual(expect.arrayContaining(["side"]))
    expect("type" in order_response || "time_in_force" in order_response).toBe(false)
  })

  it("a command that came too late was not processed", () => {
    const late = Frame.refusal("GOLD-USD", { accountId: alice, status: "EXPIRED", echo, atMillis: 0 })
    expect(JSON.parse(late).order_response.status).toBe("REJECTED_FAILED_TO_PROCESS")
  })

  it("a market order's price is 0, also in a refusal", () => {
    const market = Frame.refusal("GOLD-USD", {
      accountId: alice,
      status: "BAD_SYMBOL",
      echo: { ...echo, type: "MARKET" },
      atMillis: 0
    })
    expect(JSON.parse(market).order_response.price).toBe(0)
  })

  it("the two sides of a trade", () => {
    const maker = {
      trade_id: tradeId,
      user_id: alice,
      symbol: "GOLD-USD",
      price: 3411.1,
      quantity: 1.5,
      side: "BUY",
      aggressor_side: "SELL",
      order_id: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77",
      fee: 0.511665,
      order_type: "LIMIT",
      tif: "GTC",
      order_price: 3411.2,
      client_order_id: "mm-7-000182",
      remaining_quantity: 1,
      take_profit: 0,
      stop_loss: 0,
      execution_type: "NEW",
      timestamp: 1790503244.118,
      realised_pnl: 0
    }
    expect(JSON.parse(Frame.fillResponse(gold, traded, "maker"))).toEqual({ fill_response: maker })
    expect(JSON.parse(Frame.fillResponse(gold, traded, "taker"))).toEqual({
      fill_response: { ...maker, user_id: "bob", side: "SELL", order_id: "taker", fee: 2.558325, realised_pnl: -1.25 }
    })
  })

  it("open orders stand under both names, with the status of an open order", () => {
    const resting = { instrument: gold, order, status: "ACK", updateMillis: 1790503244118 } as const
    const list = { orders: [{ ...orderRow, status: "ACK", trade_id: null }], twaps: [] }
    expect(JSON.parse(Frame.allOrdersResponse([resting]))).toEqual({
      all_orders_response: list,
      get_orders_response: list
    })
    expect(JSON.parse(Frame.getOrderResponse(resting))).toEqual({
      order_response: list.orders[0],
      all_orders_response: list
    })
    expect(JSON.parse(Frame.allOrdersResponse([])).all_orders_response).toEqual({ orders: [], twaps: [] })
  })

  it("trades of an account", () =>
    expect(
      JSON.parse(
        Frame.userTradesResponse(
          () => gold,
          [
            {
              symbol: "GOLD-USD",
              tradeId,
              side: "BUY",
              aggressorSide: "SELL",
              orderId: order.orderId,
              clientOrderId: "mm-7-000182",
              price: 34_111,
              quantity: 1_500,
              fee: 511_665,
              realised: 0,
              marginUsed: 0,
              orderType: "LIMIT",
              timeInForce: "GTC",
              origin: "USER",
              liquidation: "NONE",
              executionType: "NEW",
              atMillis: 1790503244118
            }
          ]
        )
      )
    ).toEqual({
      user_trades_response: [
        {
          trade_id: tradeId,
          symbol: "GOLD-USD",
          price: 3411.1,
          quantity: 1.5,
          side: "BUY",
          aggressor_side: "SELL",
          order_id: order.orderId,
          client_order_id: "mm-7-000182",
          fee: 0.511665,
          order_type: "LIMIT",
          tif: "GTC",
          execution_type: "NEW",
          realised_pnl: 0,
          timestamp: 1790503244.118
        }
      ]
    }))

  it("whatever a client wrote comes back byte for byte", () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), (clientOrderId, symbol) => {
        const told = Frame.refusal(symbol, {
          accountId: alice,
          status: "BAD_SYMBOL",
          echo: { ...echo, clientOrderId, orderId: clientOrderId },
          atMillis: 0
        })
        expect(JSON.parse(told).order_response).toMatchObject({
          symbol,
          client_order_id: clientOrderId,
          order_id: clientOrderId
        })
        const accepted = Frame.orderResponse(gold, { ...order, clientOrderId }, "ACK", 0, null)
        expect(JSON.parse(accepted).order_response.client_order_id).toBe(clientOrderId)
      })
    ))

  it("no number has an exponent", () => {
    const small = { ...order, price: 3, quantity: 10, remaining: 1 }
    const text = Frame.orderResponse(dust, small, "ACK", 1790503244118, null)
    expect(text).toContain(`"quantity":0.0000001,"price":0.00000003,`)
    const told = Frame.refusal("GOLD-USD", {
      accountId: alice,
      status: "REJECTED",
      echo: { ...echo, price: 1e-7, quantity: 1e21 },
      atMillis: 0
    })
    expect(told).toContain(`"quantity":1000000000000000000000,"price":0.0000001,`)
  })
})

describe("accounts", () => {
  it("a position, with rates for its margins", () => {
    const {
      position_response: { id, ...row }
    } = JSON.parse(Frame.positionResponse(gold, holding))
    expect(row).toEqual({
      symbol: "GOLD-USD",
      position: 1.5,
      margin_alloc: 255.915,
      realised_pnl: 0,
      unrealised_pnl: 1.65,
      net_funding: -0.012,
      open_orders: 1,
      open_quantity: 1,
      leverage: 20,
      initial_margin: 0.05,
      maintenance_margin: 0.03333333333333333,
      average_price: 3411.1
    })
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(JSON.parse(Frame.positionResponse(gold, { ...holding, quantity: 0 })).position_response).toMatchObject({
      id,
      position: 0,
      average_price: 0
    })
  })

  it("a short position is negative and its average price is not", () => {
    const short = { ...holding, quantity: -3, basis: -10_233_300 - 1 }
    expect(JSON.parse(Frame.positionResponse(gold, short)).position_response).toMatchObject({
      position: -0.003,
      average_price: 3411.10033333
    })
  })

  it("a balance, with builder rewards for the owner of a code alone", () => {
    const row = {
      id: alice,
      user_id: alice,
      deposit: 25000,
      realised_pnl: 118.4,
      order_margin: 170.56,
      position_margin: 255.915,
      unrealised_pnl: 1.65,
      net_funding: -0.012,
      available_balance: 24730.301335,
      referral_rewards: 0,
      fees: 0.511665
    }
    expect(JSON.parse(Frame.balanceResponse(balance))).toEqual({ balance_response: row })
    expect(JSON.parse(Frame.balanceResponse(balance, 37_250_000n))).toEqual({
      balance_response: { ...row, builder_rewards: 37.25 }
    })
  })

  it("leverage is a string, in its rows alone", () => {
    const levels = [
      { instrument: gold, leverage: 20 },
      { instrument: gold, leverage: 10 }
    ]
    const [chosen] = JSON.parse(Frame.userLeverageResponse(alice, levels)).user_leverage_response
    expect(chosen).toEqual({
      id: chosen.id,
      symbol: "GOLD-USD",
      initial_margin: 0.05,
      maintenance_margin: 0.03333333333333333,
      max_notional: 13333333.333333,
      leverage: "20"
    })
    const [, offered] = JSON.parse(Frame.availableLeverageLevelsResponse(levels)).available_leverage_levels_response
    expect(offered).toEqual({
      id: offered.id,
      symbol: "GOLD-USD",
      initial_margin: 0.1,
      maintenance_margin: 0.06666666666666667,
      max_notional: 16666666.666666,
      leverage: "10"
    })
  })
})
