/** Tests of ended orders, as records and as CSV lines. */
import { initialInstruments } from "@venue/domain/Instrument"
import { HistoricOrder, historicOrder, historicOrdersFile, type UserOrder } from "@venue/api/rest/HistoricOrders"
import { expect, it } from "vitest"
import { Schema } from "effect"

const gold = initialInstruments.find(({ symbol }) => symbol === "GOLD-USD")!

const filled: UserOrder = {
  orderId: "o-1",
  status: "FILLED",
  endedAtMillis: 1_790_503_244_118,
  symbol: gold.symbol,
  side: "BUY",
  orderType: "LIMIT",
  timeInForce: "GTC",
  clientOrderId: "=mine",
  price: 34_112,
  quantity: 3_000,
  askedPrice: null,
  askedQuantity: null,
  passiveQuantity: 1_000,
  filledQuantity: 3_000,
  filledCost: 34_110n * 1_000n + 34_111n * 2_000n,
  firstFillAtMillis: 1_790_503_240_000,
  lastFillAtMillis: 1_790_503_244_118
}
const unfilled = {
  filledQuantity: 0,
  passiveQuantity: 0,
  filledCost: 0n,
  firstFillAtMillis: null,
  lastFillAtMillis: null
}

it("returns a filled order's average price to the nearest 1e-8, and the times of its fills", () => {
  const record = historicOrder(gold, filled)
  expect(record).toEqual({
    order_id: "o-1",
    terminal_status: "FILLED",
    status_ts: "2026-09-27T10:00:44.118Z",
    symbol: "GOLD-USD",
    side: "BUY",
    type: "LIMIT",
    time_in_force: "GTC",
    quantity: 3,
    price: 3_411.2,
    client_order_id: "=mine",
    passive_qty: 1,
    filled_qty: 3,
    avg_price: 3_411.06666667,
    first_fill_ts: "2026-09-27T10:00:40.000Z",
    last_fill_ts: "2026-09-27T10:00:44.118Z",
    execution_state: "FILLED"
  })
  expect(Schema.decodeUnknownSync(HistoricOrder)(record)).toEqual(record)
})

it("returns a cancelled order as partly filled if it has a fill, and otherwise as unfilled", () => {
  expect(historicOrder(gold, { ...filled, status: "CANCELLED", quantity: 9_000 })).toMatchObject({
    execution_state: "PARTIALLY_FILLED",
    quantity: 9
  })
  expect(historicOrder(gold, { ...filled, ...unfilled, status: "CANCELLED" })).toMatchObject({
    execution_state: "UNFILLED",
    filled_qty: 0,
    avg_price: null,
    first_fill_ts: null,
    last_fill_ts: null
  })
})

it("returns a refused order's price and quantity as requested, and price 0 for a market order", () => {
  const refused: UserOrder = {
    ...filled,
    ...unfilled,
    status: "INVALID_TICK_SIZE_PRECISION_PRICE",
    price: 0,
    quantity: 0,
    askedPrice: 10.12345,
    askedQuantity: 2.5
  }
  expect(historicOrder(gold, refused)).toMatchObject({ price: 10.12345, quantity: 2.5 })
  expect(historicOrder(gold, { ...refused, orderType: "MARKET" })).toMatchObject({ price: 0, quantity: 2.5 })
})

it("prints an order as a CSV line with the members in order, empty cells for null, and formulas made harmless", () => {
  expect(historicOrdersFile.columns.join(",")).toBe(
    "order_id,terminal_status,status_ts,symbol,side,type,time_in_force,quantity,price,client_order_id,passive_qty," +
      "filled_qty,avg_price,first_fill_ts,last_fill_ts,execution_state"
  )
  expect(historicOrdersFile.cells(gold, filled).join(",")).toBe(
    "o-1,FILLED,2026-09-27T10:00:44.118000Z,GOLD-USD,BUY,LIMIT,GTC,3,3411.2,'=mine,1,3,3411.06666667," +
      "2026-09-27T10:00:40.000000Z,2026-09-27T10:00:44.118000Z,FILLED"
  )
  expect(historicOrdersFile.cells(gold, { ...filled, ...unfilled, status: "CANCELLED" }).join(",")).toBe(
    "o-1,CANCELLED,2026-09-27T10:00:44.118000Z,GOLD-USD,BUY,LIMIT,GTC,3,3411.2,'=mine,0,0,,,,UNFILLED"
  )
})
