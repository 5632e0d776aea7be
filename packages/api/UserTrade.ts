/** One side of a trade as its owner lists it, on the socket and over REST. */
import type { ExecutionType, Liquidation } from "@venue/domain/Execution"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderOrigin, OrderType, Side, TimeInForce } from "@venue/domain/Order"

/** Prices are in ticks, quantities in lots, money in 1e-6 USD. */
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
  /** The fill added so much initial margin; 0 when it reduced. */
  readonly marginUsed: number
  readonly orderType: OrderType
  readonly timeInForce: TimeInForce
  readonly origin: OrderOrigin
  readonly liquidation: Liquidation
  readonly executionType: ExecutionType
  readonly atMillis: number
}
