/** Trades and ended orders stand in one group: an order is told with the sum of its trades. What the operator puts into the reserve fund goes with them. */
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
