/** Trades and ended orders stand in one group: an order is told with the sum of its trades. */
import { marketStream } from "@venue/domain/Market"
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
    return [Trades.trades.write(trades), Orders.endedOrders.write(orders)]
  }
}
