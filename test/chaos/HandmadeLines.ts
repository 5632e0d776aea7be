/** Lines that tests add to a history, and changes to the history's final reads. */
import { add, at, heard, innocent, order, tables, tradeRow } from "./HandmadeHistory.ts"
import type { EpochRow, Line, ProbeLine, Read, Row } from "./HistoryLine.ts"

export const symbol = "AAPL-USD"
export const without = (lines: ReadonlyArray<Line>, drop: (line: Line) => boolean): ReadonlyArray<Line> =>
  lines.filter((line) => !drop(line))

/** Changes one account's final read. */
export const shown = (account: string, change: Partial<Read>, lines = innocent()): ReadonlyArray<Line> =>
  lines.map((line) => (line.kind === "read" && line.account === account ? { ...line, ...change } : line))

export const streams = (
  ...rows: ReadonlyArray<readonly [epoch: number, first: number, last: number, count?: number]>
): Line => ({
  kind: "streams",
  at: at(99_000),
  rows: rows.map(([epoch, first, last, count = last - first + 1]): EpochRow => ({
    stream: "market/X",
    epoch,
    first,
    last,
    count
  }))
})

export const err = (millis: number, connection: string, message: string, incoming: Line): Line => ({
  kind: "heard",
  at: at(millis),
  connection,
  frame: {
    err: {
      error_code: "ServerError",
      message,
      ...(incoming.kind === "sent" ? { incoming_message: { type: incoming.type, params: incoming.params } } : {})
    }
  }
})

export const unknown = "the outcome is not known yet; it is told when it is"
export const ended = (...rows: ReadonlyArray<Row>): Partial<typeof tables> => ({
  ended_order: [...tables.ended_order, ...rows]
})
export const trades = (...rows: ReadonlyArray<Row>): Partial<typeof tables> => ({ trade: [...tables.trade, ...rows] })
export const late = { ended_at_millis: String(at(26_000)) }
export const twap = (more: Row = {}): Row => ({
  twap_id: "w1",
  account_id: "ann",
  symbol,
  start_at_millis: String(at(1_000)),
  ended_at_millis: String(at(80_000)),
  interval_millis: "30000",
  total_quantity: "4",
  filled_quantity: "4",
  slices: "2",
  ...more
})
export const child = (tradeId: string, orderId: string, millis: number, quantity = "2"): ReadonlyArray<Row> => {
  const more = { trade_id: tradeId, quantity, fee: "0", at_millis: String(at(millis)) }
  return [
    tradeRow("ann", "SELL", orderId, "", { ...more, origin: "TWAP" }),
    tradeRow("ann", "BUY", "o9", "", { ...more, origin: "TWAP2" })
  ]
}
export const stop = (orderId: string, tradeId: string, millis: number): ReadonlyArray<Row> => {
  const more = { trade_id: tradeId, quantity: "1", fee: "0", at_millis: String(at(millis)) }
  return [tradeRow("ann", "SELL", orderId, "a-1", { ...more, origin: "STOP" }), tradeRow("ann", "BUY", "o9", "", more)]
}
export const nonce = (...statuses: ReadonlyArray<number | null>): Line => ({
  kind: "nonce",
  at: at(5_000),
  answers: statuses.map((status, index) => ({ through: `gateway-${index + 1}`, status }))
})
export const key = (askedAt: number, outcome: "replaced" | "refused" | "unknown", old: string, next: string): Line => ({
  kind: "key",
  at: at(askedAt + 10),
  askedAt: at(askedAt),
  outcome,
  old,
  ...(outcome === "replaced" ? { next } : {})
})
export const probe = (askedAt: number, name: string, outcome: ProbeLine["outcome"]): Line => ({
  kind: "probe",
  at: at(askedAt + 5),
  askedAt: at(askedAt),
  key: name,
  through: "gateway-1",
  outcome
})
export const visible = (orderId: string, outcome: "open" | "missing" | "unknown", millis = 4_000): Line => ({
  kind: "visible",
  at: at(millis + 5),
  askedAt: at(millis),
  orderId,
  told: "gateway-1",
  through: "gateway-2",
  outcome
})
export const state = (phase: "before" | "after", ann: string): Line => ({
  kind: "state",
  at: at(phase === "before" ? 30_000 : 31_000),
  pair: 1,
  phase,
  sums: { ann }
})
export const proof = (isBalanced: boolean, ...behind: ReadonlyArray<string>): Line => ({
  kind: "proof",
  at: at(40_000),
  episode: 1,
  isBalanced,
  detail: "",
  behind
})
export const pulse = (millis: number, net_funding: number): Line => ({
  kind: "heard",
  at: at(millis),
  connection: "ann-1",
  frame: { position_response: { symbol, position: -0.4, realised_pnl: 0, net_funding } }
})

/** Lines of an open order placed by ann, whose connections do not use cancel on disconnect. */
export const resting = [add(2_000, "ann-1", "a-3"), heard(2_010, "ann-1", order("o5", "a-3", "ACK"))]

export type Spoiled = readonly [rule: string, what: string, lines: () => ReadonlyArray<Line>, said: RegExp]
