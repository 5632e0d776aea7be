/**
 * A short, correct history for tests to corrupt. The user ann sells to ben, then modifies and cancels an order, and a
 * gateway is killed.
 */
import type { FillRow, Received, Line, OrderRow, Read, Row, Sent } from "./HistoryLine.ts"

const start = 1_800_000_000_000
export const at = (millis: number): number => start + millis

const symbol = "AAPL-USD"
/** Returns an order in a market with lot 0.1 and tick 0.01. */
export const order = (
  orderId: string,
  clientOrderId: string,
  status: string,
  more: Partial<OrderRow> = {}
): OrderRow => ({
  order_id: orderId,
  symbol,
  status,
  quantity: 1,
  price: 200,
  side: "SELL",
  type: "LIMIT",
  client_order_id: clientOrderId,
  quantity_remaining: 1,
  trade_id: null,
  reduce_only: false,
  ...more
})

export const heard = (millis: number, connection: string, row: OrderRow): Received => ({
  kind: "heard",
  at: at(millis),
  connection,
  frame: { order_response: row }
})

export const sent = (millis: number, connection: string, type: string, params: object): Sent => ({
  kind: "sent",
  at: at(millis),
  connection,
  type,
  params: { ...params }
})

export const add = (millis: number, connection: string, clientOrderId: string, more: object = {}): Sent =>
  sent(millis, connection, "add_order", { symbol, client_order_id: clientOrderId, quantity: 1, price: 200, ...more })

export const fill = (more: Partial<FillRow> = {}): FillRow => ({
  trade_id: "t1",
  order_id: "o1",
  client_order_id: "a-1",
  symbol,
  price: 200,
  quantity: 0.4,
  side: "SELL",
  fee: 0.02,
  realised_pnl: 0,
  ...more
})

export const tradeRow = (
  account: string,
  side: string,
  orderId: string,
  clientOrderId: string,
  more: Row = {}
): Row => ({
  trade_id: "t1",
  order_id: orderId,
  client_order_id: clientOrderId,
  account_id: account,
  symbol,
  side,
  origin: "USER",
  quantity: "4",
  price: "20000",
  fee: "20000",
  realised: "0",
  at_millis: String(at(300)),
  ...more
})

export const endedRow = (account: string, orderId: string, clientOrderId: string, more: Row = {}): Row => ({
  order_id: orderId,
  client_order_id: clientOrderId,
  account_id: account,
  symbol,
  status: "CANCELLED",
  order_type: "LIMIT",
  time_in_force: "GTC",
  price: "20000",
  quantity: "10",
  reduce_only: false,
  ended_at_millis: String(at(600)),
  ...more
})

const open = order("o1", "a-1", "ACK", { quantity_remaining: 0.6 })

const readOf = (account: string, through: string, more: Partial<Read> = {}): Read => ({
  kind: "read",
  at: at(90_000),
  account,
  through,
  open: [],
  trades: [],
  positions: [{ symbol, position: 0.4, realised_pnl: 0, net_funding: 0 }],
  balance: { deposit: 100, fees: 0.02, realised_pnl: 0, net_funding: 0 },
  ...more
})

const entry = (account: string, transaction: string, amount: string): Row => ({
  account,
  transaction_id: transaction,
  kind: "credit",
  amount
})

export const tables = {
  trade: [tradeRow("ann", "SELL", "o1", "a-1"), tradeRow("ben", "BUY", "o2", "b-1")] as Array<Row>,
  ended_order: [
    endedRow("ben", "o2", "b-1", { status: "FILLED", quantity: "4", ended_at_millis: String(at(300)) }),
    endedRow("ann", "o3", "a-2", { price: "20100" }),
    endedRow("cid", "o4", "c-1", { ended_at_millis: String(at(23_000)) })
  ] as Array<Row>,
  ledger_entry: [
    entry("ann", "1", "100000000"),
    entry("venue/funding", "1", "-100000000"),
    entry("ben", "2", "100000000"),
    entry("venue/funding", "2", "-100000000")
  ] as Array<Row>,
  twap: [] as Array<Row>
}

const opened = (millis: number, connection: string, account: string, through: string): Line => ({
  kind: "opened",
  at: at(millis),
  connection,
  account,
  through
})

const ask = { type: "cancel_on_disconnect", params: { cancel_on_disconnect: true } }

export const innocent = (over: Partial<typeof tables> = {}, more: ReadonlyArray<Line> = []): ReadonlyArray<Line> => {
  const rows = { ...tables, ...over }
  const lines: ReadonlyArray<Line> = [
    {
      kind: "began",
      at: at(0),
      seed: 1,
      patience: 1,
      accounts: ["ann", "ben", "cid"],
      symbols: [{ symbol, tick: 0.01, lot: 0.1 }]
    },
    opened(1, "ann-1", "ann", "gateway-1"),
    opened(2, "ben-1", "ben", "gateway-1"),
    opened(3, "cid-1", "cid", "gateway-2"),
    add(100, "ann-1", "a-1"),
    heard(110, "ann-1", order("o1", "a-1", "ACK")),
    add(290, "ben-1", "b-1", { quantity: 0.4 }),
    heard(301, "ben-1", order("o2", "b-1", "ACK", { side: "BUY", quantity: 0.4, quantity_remaining: 0.4 })),
    { kind: "heard", at: at(302), connection: "ann-1", frame: { fill_response: fill() } },
    heard(303, "ann-1", order("o1", "a-1", "FILLED", { quantity_remaining: 0.6, trade_id: "t1" })),
    heard(
      304,
      "ben-1",
      order("o2", "b-1", "FILLED", { side: "BUY", quantity: 0.4, quantity_remaining: 0, trade_id: "t1" })
    ),
    add(400, "ann-1", "a-2"),
    heard(410, "ann-1", order("o3", "a-2", "ACK")),
    sent(450, "ann-1", "modify_order", { symbol, order_id: "o3", price: 201, quantity: 1 }),
    heard(460, "ann-1", order("o3", "a-2", "MODIFIED", { price: 201 })),
    sent(590, "ann-1", "cancel_order", { symbol, order_id: "o3", cancel_order_id_type: "order_id" }),
    heard(610, "ann-1", order("o3", "a-2", "CANCELLED", { price: 201 })),
    sent(700, "cid-1", ask.type, ask.params),
    { kind: "heard", at: at(710), connection: "cid-1", frame: { ack: { incoming_message: ask } } },
    add(800, "cid-1", "c-1"),
    heard(810, "cid-1", order("o4", "c-1", "ACK")),
    { kind: "fault", at: at(20_000), phase: "begin", number: 1, fault: "kill", targets: ["gateway-2"] },
    { kind: "closed", at: at(20_001), connection: "cid-1", isOurs: false },
    { kind: "fault", at: at(21_000), phase: "end", number: 1, fault: "kill", targets: ["gateway-2"] },
    ...more,
    ...["gateway-1", "gateway-2"].flatMap((through): ReadonlyArray<Line> => [
      readOf("ann", through, {
        open: [open],
        positions: [{ symbol, position: -0.4, realised_pnl: 0, net_funding: 0 }]
      }),
      readOf("ben", through),
      readOf("cid", through, { positions: [], balance: { deposit: 0, fees: 0, realised_pnl: 0, net_funding: 0 } })
    ]),
    ...(Object.keys(rows) as ReadonlyArray<keyof typeof tables>).map((table): Line => ({
      kind: "table",
      at: at(90_001),
      table,
      rows: rows[table]
    })),
    {
      kind: "streams",
      at: at(90_002),
      rows: [
        { stream: "market/AAPL-USD", epoch: 1, first: 1, last: 10, count: 10 },
        { stream: "market/AAPL-USD", epoch: 2, first: 11, last: 12, count: 2 }
      ]
    }
  ]
  return lines.toSorted((a, b) => a.at - b.at)
}
