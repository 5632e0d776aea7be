/** Histories that each contain a single fault in orders, trades or money. */
import { add, at, endedRow, fill, heard, innocent, order, sent, tables, tradeRow } from "./HandmadeHistory.ts"
import { ended, err, proof, shown, symbol, trades, visible, without, type Spoiled } from "./HandmadeLines.ts"
import type { Line } from "./HistoryLine.ts"

export const spoiledOrders: ReadonlyArray<Spoiled> = [
  [
    "I1",
    "an acknowledged order is recorded nowhere",
    () => shown("ann", { open: [] }),
    /^I1: order o1 was acknowledged/
  ],
  [
    "I1",
    "a client received a fill that no trade records",
    () => innocent({ trade: [] }),
    /^I1: fill t1 of order o1 was told and is no trade/
  ],
  [
    "I1",
    "a client received a fill with a quantity that differs from the trade's",
    () =>
      innocent({}, [
        { kind: "heard", at: at(302.5), connection: "cid-1", frame: { fill_response: fill({ quantity: 0.5 }) } }
      ]),
    /^I1: fill t1 of o1 was told otherwise/
  ],
  [
    "I1",
    "a client received a cancel that is not recorded",
    () => innocent({ ended_order: tables.ended_order.filter((row) => row["order_id"] !== "o3") }),
    /^I1: order o3 was told CANCELLED and is nowhere/
  ],
  [
    "I1",
    "a client received a change to an order that is not recorded",
    () => innocent({ ended_order: tables.ended_order.map((row) => ({ ...row, price: "20000" })) }),
    /^I1: order o3 was told 10 lots at 20100 ticks and is 10 lots at 20000/
  ],
  [
    "I1",
    "two gateways report different state for one account",
    () =>
      innocent().map((line) =>
        line.kind === "read" && line.account === "ann" && line.through === "gateway-2"
          ? { ...line, positions: [] }
          : line
      ),
    /^I1: ann is shown otherwise by gateway-2/
  ],
  [
    "I1",
    "a gateway does not know an order that another gateway acknowledged",
    () => innocent({}, [visible("o1", "missing")]),
    /^I1: order o1/
  ],
  [
    "I1",
    "a gateway does not know an order that it acknowledged itself",
    () => {
      const other: Line = { kind: "opened", at: at(5), connection: "ann-2", account: "ann", through: "gateway-2" }
      return innocent({}, [other, heard(120, "ann-2", order("o1", "a-1", "ACK")), visible("o1", "missing", 445)])
    },
    /^I1: order o1/
  ],
  [
    "I8",
    "one command created two orders",
    () => innocent(ended(endedRow("ann", "o7", "a-2"))),
    /^I8 I20: a-2 was sent once/
  ],
  [
    "I8",
    "tables for queries do not catch up with the journal",
    () => innocent({}, [proof(true, "market/X")]),
    /^I8: after episode 1 .* market\/X/
  ],
  [
    "I9",
    "a ledger transaction does not balance",
    () => innocent({ ledger_entry: tables.ledger_entry.slice(0, 3) }),
    /^I9: /
  ],
  [
    "I10",
    "an account's fees differ from the fees of its trades",
    () => shown("ben", { balance: { deposit: 100, fees: 0.03, realised_pnl: 0, net_funding: 0 } }),
    /^I10: fees of ben/
  ],
  [
    "I10",
    "an account's deposit differs from the credited amount",
    () => shown("ben", { balance: { deposit: 99, fees: 0.02, realised_pnl: 0, net_funding: 0 } }),
    /^I10: deposit of ben/
  ],
  [
    "I10",
    "a position differs from the sum of its trades",
    () => shown("ben", { positions: [] }),
    /^I10: position AAPL-USD of ben/
  ],
  [
    "I20",
    "there is an order that no client sent",
    () => innocent(ended(endedRow("ann", "o7", "x-1"))),
    /^I20: nobody sent x-1/
  ],
  [
    "I21",
    "a trade is recorded for only one side",
    () => innocent({ trade: tables.trade.slice(0, 1) }),
    /^I21: trade t1 has 1 sides/
  ],
  [
    "I21",
    "the two sides of a trade differ",
    () => innocent({ trade: [tables.trade[0]!, { ...tables.trade[1]!, quantity: "3" }] }),
    /^I21: the sides/
  ],
  [
    "I21",
    "an order is filled beyond its quantity",
    () =>
      innocent({
        ended_order: tables.ended_order.map((row) => (row["order_id"] === "o2" ? { ...row, quantity: "3" } : row))
      }),
    /^I21: order o2 is FILLED of 3/
  ],
  [
    "I21",
    "an open order's remaining quantity is larger than its trades allow",
    () => shown("ann", { open: [order("o1", "a-1", "ACK")] }),
    /^I21: open order o1/
  ],
  [
    "I22",
    "a trade follows the recorded end of its order",
    () =>
      innocent({
        ended_order: tables.ended_order.map((row) =>
          row["order_id"] === "o2" ? { ...row, ended_at_millis: String(at(299)) } : row
        )
      }),
    /^I22: order o2 was FILLED/
  ],
  [
    "I22",
    "an ended order is still listed as open",
    () => shown("ann", { open: [order("o3", "a-2", "ACK")] }),
    /^I22: order o3 has ended and is open/
  ],
  [
    "I22",
    "a client receives an update about an order that has ended",
    () => innocent({}, [heard(620, "ann-1", order("o3", "a-2", "MODIFIED", { price: 201 }))]),
    /^I22: order o3 was told CANCELLED/
  ],
  [
    "I22",
    "a client receives FILLED twice for one trade",
    () => innocent({}, [heard(305, "ben-1", order("o2", "b-1", "FILLED", { quantity_remaining: 0, trade_id: "t1" }))]),
    /^I22: order o2: FILLED t1 twice on ben-1/
  ],
  [
    "I22",
    "a FILLED has a larger remaining quantity than the previous one",
    () =>
      innocent({}, [heard(304, "ann-1", order("o1", "a-1", "FILLED", { quantity_remaining: 0.8, trade_id: "t9" }))]),
    /^I22: order o1: FILLED t9 with 0\.8 left after 0\.6 on ann-1/
  ],
  [
    "I25",
    "the positions in a symbol do not sum to zero",
    () => shown("cid", { positions: [{ symbol, position: 1, realised_pnl: 0, net_funding: 0 }] }),
    /^I25: positions of AAPL-USD add up to 10/
  ],
  [
    "I35",
    "a CANCELLED states a smaller filled quantity than the trades",
    () =>
      innocent(
        trades(
          tradeRow("ann", "SELL", "o3", "a-2", { trade_id: "t9" }),
          tradeRow("ben", "BUY", "o9", "", { trade_id: "t9" })
        )
      ),
    /^I35: order o3 was told CANCELLED with 0 lots/
  ],
  [
    "I51",
    "a refused order was placed",
    () =>
      innocent(ended(endedRow("ann", "o7", "a-9")), [
        add(5_000, "ann-1", "a-9"),
        heard(5_010, "ann-1", order("", "a-9", "REJECTED_MARKET_CLOSED"))
      ]),
    /^I51: a-9 was told REJECTED_MARKET_CLOSED/
  ],
  [
    "I51",
    "an order was placed although the error stated that it was not",
    () => {
      const one = add(5_000, "ann-1", "a-9")
      return innocent(ended(endedRow("ann", "o7", "a-9")), [one, err(5_010, "ann-1", "not placed, try again", one)])
    },
    /^I51: a-9 was told ServerError: not placed/
  ],
  [
    "I51",
    "a cancel of an open order receives NO_SUCH_ORDER",
    () =>
      innocent({}, [
        sent(5_000, "ann-1", "cancel_order", { order_id: "o1" }),
        heard(5_010, "ann-1", order("o1", "a-1", "NO_SUCH_ORDER"))
      ]),
    /^I51: cancel_order of o1 was told NO_SUCH_ORDER/
  ],
  [
    "I51",
    "a command receives no response",
    () => innocent({}, [add(30_000, "ann-1", "a-9")]),
    /^I51: add_order a-9 on ann-1 was answered nothing/
  ],
  [
    "I51",
    "the history is incomplete",
    () => without(innocent(), ({ kind }) => kind === "table"),
    /^I51: the history has no end/
  ]
]
