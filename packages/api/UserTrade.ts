/** One side of a trade, as the socket and REST list it for its owner. */
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
  /** In ticks. */
  readonly price: number
  /** In lots. */
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
