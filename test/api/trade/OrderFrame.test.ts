/** Tests of frames about orders and fills, against the reference examples. */
import * as Frame from "@venue/api/trade/Frame"
import { primaryAccountOf, AccountId } from "@venue/domain/AccountId"
import { parse } from "@venue/domain/Id"
import { type Instrument, initialInstruments } from "@venue/domain/Instrument"
import type { Echo } from "@venue/domain/Echo"
import type { Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order } from "@venue/domain/Order"
import { parseOrderId, orderIdFrom } from "@venue/domain/OrderId"
import { UserId } from "@venue/domain/UserId"
import { expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { id } from "../../Id.ts"

const gold = initialInstruments.find(({ symbol }) => symbol === "GOLD-USD")!
/** Instrument with lots so small that JavaScript would print them with an exponent. */
const dust: Instrument = { ...gold, tickE8: 1, lotE8: 1 }
const alice = UserId.make("3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10")
const tradeId = "a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82"
const order: Order = {
  orderId: parseOrderId("e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77")!,
  userId: alice,
  accountId: primaryAccountOf(alice),
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  priceTicks: 34_112,
  quantityLots: 2_500,
  remainingLots: 1_000,
  reduceOnly: false,
  clientOrderId: "mm-7-000182",
  origin: "USER",
  builderCode: "",
  modified: false,
  updatedAtMillis: 1790503240000
}
/** The reference example's order without attached stops, which are printed as 0. */
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
  tradeId: parse(tradeId)!,
  number: 1,
  priceTicks: 34_111,
  quantityLots: 1_500,
  notional: 5_116_650_000,
  maker: { order, fee: 511_665, realised: 0, marginUsed: 0, reward: null },
  taker: {
    order: { ...order, orderId: orderIdFrom(id("taker")), accountId: AccountId.make("bob"), side: "SELL" },
    fee: 2_558_325,
    realised: -1_250_000,
    marginUsed: 0,
    reward: null
  },
  atMillis: 1790503244118
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

it("prints a filled order", () =>
  expect(JSON.parse(Frame.orderResponse(gold, order, "FILLED", 1790503244118, tradeId))).toEqual({
    order_response: orderRow
  }))

it("prints an accepted order without a trade id", () =>
  expect(JSON.parse(Frame.orderResponse(gold, order, "ACK", 1790503244118, null))).toEqual({
    order_response: { ...orderRow, status: "ACK", trade_id: null }
  }))

it("the response to a refused order contains an empty order id and the requested values", () =>
  expect(
    JSON.parse(
      Frame.refusal("GOLD-USD", {
        accountId: primaryAccountOf(alice),
        status: "FAILED_MARGIN_CHECK",
        echo,
        atMillis: 1790503250520
      })
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

it("omits side, type and time in force from the response to a cancel of an unknown order", () => {
  const unknown = { ...echo, orderId: "nonsense", side: null, type: null, timeInForce: null, price: 0, quantity: 0 }
  const { order_response } = JSON.parse(
    Frame.refusal("GOLD-USD", {
      accountId: primaryAccountOf(alice),
      status: "NO_SUCH_ORDER",
      echo: unknown,
      atMillis: 0
    })
  )
  expect(order_response).toMatchObject({ order_id: "nonsense", status: "NO_SUCH_ORDER", quantity: 0, price: 0 })
  expect(Object.keys(order_response)).not.toEqual(expect.arrayContaining(["side"]))
  expect("type" in order_response || "time_in_force" in order_response).toBe(false)
})

it("the response to an expired command has the status REJECTED_FAILED_TO_PROCESS", () => {
  const late = Frame.refusal("GOLD-USD", { accountId: primaryAccountOf(alice), status: "EXPIRED", echo, atMillis: 0 })
  expect(JSON.parse(late).order_response.status).toBe("REJECTED_FAILED_TO_PROCESS")
})

it("prints price 0 for a market order, even if the order is refused", () => {
  const market = Frame.refusal("GOLD-USD", {
    accountId: primaryAccountOf(alice),
    status: "BAD_SYMBOL",
    echo: { ...echo, type: "MARKET" },
    atMillis: 0
  })
  expect(JSON.parse(market).order_response.price).toBe(0)
})

it("prints a trade for both of its sides", () => {
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
    fill_response: {
      ...maker,
      user_id: "bob",
      side: "SELL",
      order_id: id("taker").text,
      fee: 2.558325,
      realised_pnl: -1.25
    }
  })
})

it("lists open orders with status ACK, under both names of the order list", () => {
  const resting = { instrument: gold, order, status: "ACK", updateMillis: 1790503244118 } as const
  const list = { orders: [{ ...orderRow, status: "ACK", trade_id: null }], twaps: [] }
  expect(JSON.parse(Frame.allOrdersResponse([resting], []))).toEqual({
    all_orders_response: list,
    get_orders_response: list
  })
  expect(JSON.parse(Frame.getOrderResponse(resting))).toEqual({
    order_response: list.orders[0],
    all_orders_response: list
  })
  expect(JSON.parse(Frame.allOrdersResponse([], [])).all_orders_response).toEqual({ orders: [], twaps: [] })
})

const bothNames = (trade: object) => ({ user_trades_response: [trade], user_trades: [trade] })

it("lists fills under both names of the fill list, with the total number of matching fills", () =>
  expect(
    JSON.parse(
      Frame.userTradesResponse(
        () => gold,
        [
          {
            symbol: MarketSymbol.make("GOLD-USD"),
            tradeId,
            side: "BUY",
            aggressorSide: "SELL",
            orderId: order.orderId.text,
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
        ],
        57
      )
    )
  ).toEqual({
    count: 57,
    ...bothNames({
      trade_id: tradeId,
      symbol: "GOLD-USD",
      price: 3411.1,
      quantity: 1.5,
      side: "BUY",
      aggressor_side: "SELL",
      order_id: order.orderId.text,
      client_order_id: "mm-7-000182",
      fee: 0.511665,
      order_type: "LIMIT",
      tif: "GTC",
      execution_type: "NEW",
      realised_pnl: 0,
      timestamp: 1790503244.118
    })
  }))

it("returns a client's own ids unchanged", () =>
  fc.assert(
    fc.property(fc.string(), fc.string(), (clientOrderId, symbol) => {
      const printed = Frame.refusal(symbol, {
        accountId: primaryAccountOf(alice),
        status: "BAD_SYMBOL",
        echo: { ...echo, clientOrderId, orderId: clientOrderId },
        atMillis: 0
      })
      expect(JSON.parse(printed).order_response).toMatchObject({
        symbol,
        client_order_id: clientOrderId,
        order_id: clientOrderId
      })
      const accepted = Frame.orderResponse(gold, { ...order, clientOrderId }, "ACK", 0, null)
      expect(JSON.parse(accepted).order_response.client_order_id).toBe(clientOrderId)
    })
  ))

it("prints numbers without an exponent", () => {
  const small = { ...order, priceTicks: 3, quantityLots: 10, remainingLots: 1 }
  const text = Frame.orderResponse(dust, small, "ACK", 1790503244118, null)
  expect(text).toContain(`"quantity":0.0000001,"price":0.00000003,`)
  const printed = Frame.refusal("GOLD-USD", {
    accountId: primaryAccountOf(alice),
    status: "REJECTED",
    echo: { ...echo, price: 1e-7, quantity: 1e21 },
    atMillis: 0
  })
  expect(printed).toContain(`"quantity":1000000000000000000000,"price":0.0000001,`)
})
