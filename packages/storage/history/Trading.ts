/**
 * Group of trades and ended orders, which are one group because a list of orders sums their trades. Also contains the
 * operator's payments into reserve funds.
 */
import { marketStream } from "@venue/domain/Market"
import * as LedgerEntries from "./LedgerEntries.ts"
import * as Orders from "./Orders.ts"
import type { MarketProjection } from "./Projection.ts"
import * as Trades from "./Trades.ts"

export const projection: MarketProjection = {
  group: "trading",
  stream: marketStream,
  writes: (symbol, rows) => {
    const events = rows.flatMap((row) => row.events)
    const trades = events.flatMap((event) => (event._tag === "Traded" ? Trades.rowsOf(symbol, event) : []))
    const orders = events.flatMap((event) => Orders.endedBy(symbol, event))
    return [Trades.trades.write(trades), Orders.endedOrders.write(orders), LedgerEntries.ofMarketRows(symbol, rows)]
  }
}
