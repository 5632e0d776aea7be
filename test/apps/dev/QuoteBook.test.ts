/** Quote book of one symbol, which follows the venue's messages, including refusals and disconnects. */
import type { OrderResponse } from "@venue/api/trade/FrameSchema"
import { beforeEach, expect, it } from "vitest"
import * as QuoteBook from "../../../apps/dev/QuoteBook.ts"
import { usualTerms } from "../../../apps/dev/Quotes.ts"

const apple = { symbol: "AAPL-USD", ticksPerUnit: 100, lotsPerUnit: 1_000, minLots: 100, maxLots: 1e8, maxLeverage: 10 }
let book: QuoteBook.QuoteBook
let sent = 0

const turn = (nowMillis: number) =>
  QuoteBook.next(book, usualTerms, nowMillis).map((action) => QuoteBook.begin(book, action, `c${++sent}`, nowMillis))

const response: OrderResponse = {
  order_id: "",
  symbol: "AAPL-USD",
  status: "ACK",
  quantity: 25,
  price: 200,
  take_profit: 0,
  stop_loss: 0,
  user_id: "maker",
  client_order_id: "",
  quantity_remaining: 25,
  update_time: 0,
  trade_id: null
}

const answer = (
  clientOrderId: string,
  status: OrderResponse["status"],
  changes: Partial<OrderResponse> = {},
  nowMillis = 0
): void => {
  const order = { ...response, order_id: `o-${clientOrderId}`, client_order_id: clientOrderId }
  QuoteBook.ordered(book, { ...order, status, ...changes }, nowMillis)
}

const acknowledgeAll = (): void => {
  for (const id of book.orders.keys()) answer(id, "ACK")
}

beforeEach(() => {
  sent = 0
  book = QuoteBook.make(apple)
  book.markUsd = 200
  book.markedAtMillis = 1
})

it("quotes nothing before the first mark, and cancels all quotes when marks stop arriving", () => {
  book.markedAtMillis = 0
  expect(turn(10)).toEqual([])
  book.markedAtMillis = 10
  expect(turn(10)).toHaveLength(6)
  acknowledgeAll()
  expect(turn(20_000).map(({ type }) => type)).toEqual(Array(6).fill("cancel_order"))
})

it("sends post-only quotes at multiples of the symbol's price and quantity increments", () => {
  for (const { params } of turn(10)) {
    expect(params).toMatchObject({ order_type: "ALO", order_time_in_force: "GTC", quantity: 25, reduce_only: false })
  }
})

it("pauses a symbol only once for several refusals at the same time, and longer for each later refusal", () => {
  const pauses: Array<number> = []
  let nowMillis = 10
  for (let round = 0; round < 8; round++) {
    book.markedAtMillis = nowMillis
    expect(turn(nowMillis)).toHaveLength(6)
    for (const id of book.orders.keys()) answer(id, "FAILED_MARGIN_CHECK", { order_id: "" }, nowMillis)
    expect(book.orders.size).toBe(0)
    expect(turn(book.pausedUntilMillis - 1)).toEqual([])
    pauses.push(book.pausedUntilMillis - nowMillis)
    nowMillis = book.pausedUntilMillis
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
})

it("pauses a symbol after the venue responds to a quote with an error", () => {
  turn(10)
  const request = { type: "add_order", params: { symbol: "AAPL-USD", client_order_id: "c1" } }
  expect(QuoteBook.failed(book, { error_code: "RateLimited", message: "", incoming_message: request }, 10)).toBe(true)
  expect(QuoteBook.failed(book, { error_code: "RateLimited", message: "" }, 10)).toBe(false)
  expect(book.orders.has("c1")).toBe(false)
  expect(turn(1_009)).toEqual([])
})

it("modifies quotes when the mark moves, and stores the new prices from the response", () => {
  turn(10)
  acknowledgeAll()
  book.markUsd = 201
  const moves = turn(20)
  expect(moves.map(({ type }) => type)).toEqual(Array(6).fill("modify_order"))
  expect(turn(30)).toEqual([])
  answer("c1", "MODIFIED", { price: 200.93 })
  expect(book.orders.get("c1")).toMatchObject({ ticks: 20_093, state: "Resting" })
})

it("cancels a quote that cannot be modified, and removes the quote when the venue confirms", () => {
  turn(10)
  acknowledgeAll()
  book.markUsd = 201
  turn(20)
  QuoteBook.ordered(
    book,
    {
      ...response,
      order_id: "o-c1",
      status: "CANNOT_MODIFY_PARTIAL_FILL",
      price: 0,
      quantity: 0,
      quantity_remaining: 0
    },
    30
  )
  expect(turn(10_001)).toEqual([
    { type: "cancel_order", params: { symbol: "AAPL-USD", order_id: "o-c1", cancel_order_id_type: "order_id" } }
  ])
  answer("c1", "NO_SUCH_ORDER")
  expect(book.orders.has("c1")).toBe(false)
})

it("after a fill, reduces the quote and adjusts the position until the venue sends the new position", () => {
  turn(10)
  acknowledgeAll()
  answer("c1", "FILLED", { quantity_remaining: 5 })
  expect(book.orders.get("c1")?.remainingLots).toBe(5_000)
  answer("c1", "FILLED", { quantity_remaining: 0 })
  expect(book.orders.has("c1")).toBe(false)
  const fill = {
    trade_id: "t",
    symbol: "AAPL-USD",
    price: 200,
    quantity: 5,
    aggressor_side: "SELL",
    order_id: "o",
    fee: 0,
    order_type: "ALO",
    tif: "GTC",
    execution_type: "NEW",
    timestamp: 0,
    user_id: "maker",
    order_price: 200,
    take_profit: 0,
    stop_loss: 0
  } as const
  QuoteBook.filled(book, { ...fill, side: "BUY", client_order_id: "c1", remaining_quantity: 0, realised_pnl: 0 })
  expect(book.positionLots).toBe(5_000)
})

it("cancels an order that it does not know, and removes a quote that the venue does not list", () => {
  turn(10)
  acknowledgeAll()
  const listed = [...book.orders.values()].slice(1).map((order) => ({
    ...response,
    order_id: order.orderId,
    client_order_id: order.clientOrderId
  }))
  const stray = { ...listed[0]!, order_id: "stray", client_order_id: "mm-earlier" }
  expect(QuoteBook.reconcile(book, [...listed, stray], 20)).toEqual([
    { type: "cancel_order", params: { symbol: "AAPL-USD", order_id: "stray", cancel_order_id_type: "order_id" } }
  ])
  expect(book.orders.has("c1")).toBe(false)
  expect(book.orders.size).toBe(5)
})
