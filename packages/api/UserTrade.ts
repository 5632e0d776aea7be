/** One side of a trade, in the form that the socket and REST show to the side's owner. */
import type { ExecutionType, Liquidation } from "@venue/domain/Execution"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderOrigin, OrderType, Side, TimeInForce } from "@venue/domain/Order"

/** Fill of one of the user's orders: price in ticks, quantity in lots, money in 1e-6 USD. */
export interface UserTrade {
  readonly symbol: MarketSymbol
  readonly tradeId: string
  readonly side: Side
  readonly aggressorSide: Side
  readonly orderId: string
  readonly clientOrderId: string
  readonly price: number
  readonly quantity: number
  readonly fee: number
  readonly realised: number
  /** Initial margin that the fill added, in 1e-6 USD; 0 for a fill that reduced the position. */
  readonly marginUsed: number
  readonly orderType: OrderType
  readonly timeInForce: TimeInForce
  readonly origin: OrderOrigin
  readonly liquidation: Liquidation
  readonly executionType: ExecutionType
  readonly atMillis: number
}
