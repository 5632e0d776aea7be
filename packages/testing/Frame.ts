/** What a client reads: every frame of the two sockets, as its JSON is typed. */
import type { ErrorCode } from "@venue/api/ErrorFrame"
import type { SigFigs } from "@venue/api/marketData/Subscription"
import type { OrderStatus } from "@venue/api/trade/OrderFrame"
import type { Channel } from "@venue/api/trade/SessionCommand"
import type { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"

export interface OrderResponse {
  /** Empty when a placement was refused. */
  readonly order_id: string
  readonly symbol: string
  readonly status: OrderStatus | OrderRefusal
  readonly quantity: number
  readonly price: number
  readonly take_profit: number
  readonly stop_loss: number
  /** This and the next two are absent where a cancel found nothing. */
  readonly side?: Side
  readonly type?: OrderType
  readonly time_in_force?: TimeInForce
  readonly user_id: string
  readonly client_order_id: string
  readonly quantity_remaining: number
  /** Unix seconds. */
  readonly update_time: number
  readonly trade_id: string | null
  /** Absent on refusals. */
  readonly reduce_only?: boolean
}

export interface UserTrade {
  readonly trade_id: string
  readonly symbol: string
  readonly price: number
  readonly quantity: number
  readonly side: Side
  readonly aggressor_side: Side
  readonly order_id: string
  readonly client_order_id: string
  readonly fee: number
  readonly order_type: OrderType
  readonly tif: TimeInForce
  readonly execution_type: string
  readonly realised_pnl: number
  /** Unix seconds. */
  readonly timestamp: number
}

export interface FillResponse extends UserTrade {
  readonly user_id: string
  readonly order_price: number
  readonly remaining_quantity: number
  readonly take_profit: number
  readonly stop_loss: number
}

export interface PositionResponse {
  readonly id: string
  readonly symbol: string
  /** Signed; negative is short. */
  readonly position: number
  readonly margin_alloc: number
  readonly realised_pnl: number
  readonly unrealised_pnl: number
  readonly net_funding: number
  readonly open_orders: number
  readonly open_quantity: number
  readonly leverage: number
  /** A rate, as is the next. */
  readonly initial_margin: number
  readonly maintenance_margin: number
  readonly average_price: number
}

export interface BalanceResponse {
  readonly id: string
  readonly user_id: string
  readonly deposit: number
  readonly realised_pnl: number
  readonly order_margin: number
  readonly position_margin: number
  readonly unrealised_pnl: number
  readonly net_funding: number
  readonly available_balance: number
  readonly referral_rewards: number
  readonly fees: number
}

export interface LeverageRow {
  readonly id: string
  readonly symbol: string
  readonly initial_margin: number
  readonly maintenance_margin: number
  readonly max_notional: number
  /** The one number that is written as a string. */
  readonly leverage: string
}

export interface AllOrders {
  readonly orders: ReadonlyArray<OrderResponse>
  readonly twaps: ReadonlyArray<unknown>
}

export interface ErrorBody {
  readonly error_code: ErrorCode
  readonly message: string
  /** The request, or its text when it was no JSON object. */
  readonly incoming_message?: unknown
}

/** The bodies of the trade socket's frames by their keys. */
export interface TradeBodies {
  readonly type: "auth"
  readonly result: "success"
  readonly authenticated: true
  readonly subscribed: Channel
  readonly unsubscribed: Channel
  readonly order_response: OrderResponse
  readonly fill_response: FillResponse
  readonly position_response: PositionResponse
  readonly balance_response: BalanceResponse
  readonly all_orders_response: AllOrders
  readonly get_orders_response: AllOrders
  readonly user_trades_response: ReadonlyArray<UserTrade>
  readonly user_leverage_response: ReadonlyArray<LeverageRow>
  readonly available_leverage_levels_response: ReadonlyArray<LeverageRow>
  readonly cancel_on_disconnect: boolean
  readonly ack: { readonly incoming_message?: unknown }
  readonly ack_response: true
  readonly err: ErrorBody
}

/** Any frame of the trade socket. */
export type TradeFrame = Partial<TradeBodies>

/** The frames of the trade socket by a key they are sure to have. */
export type TradeFrames = { readonly [Key in keyof TradeBodies]: TradeFrame & Pick<TradeBodies, Key> }

/** Price and size, as decimal text. */
export type LevelText = readonly [price: string, size: string]

interface Data<Type extends string> {
  readonly type: Type
  /** Counts the data messages of one connection from 1. */
  readonly sequence: number
  /** ISO 8601. */
  readonly time: string
  readonly symbol: string
}

interface Confirmation<Type extends string> {
  readonly type: Type
  readonly channels: ReadonlyArray<string>
  readonly symbols: ReadonlyArray<string>
  readonly sig_figs?: ReadonlyArray<SigFigs>
}

interface Book {
  readonly bid: ReadonlyArray<LevelText>
  readonly ask: ReadonlyArray<LevelText>
}

/** The frames of the market-data socket by their type; the error frame has a key instead. */
export interface MarketDataFrames {
  readonly subscribed: Confirmation<"subscribed">
  readonly unsubscribed: Confirmation<"unsubscribed">
  readonly level2: Data<"level2"> & Book & { readonly sig_figs: SigFigs }
  readonly bbo: Data<"bbo"> & Book
  readonly trade: Data<"trade"> & {
    readonly trade_id: string
    readonly size: string
    readonly price: string
    readonly side: "buy" | "sell"
    readonly execution_type: string
  }
  readonly mark_price: Data<"mark_price"> & { readonly price: string }
  readonly err: { readonly type?: undefined; readonly sequence?: undefined; readonly err: ErrorBody }
}

/** Any frame of the market-data socket. */
export type MarketDataFrame = MarketDataFrames[keyof MarketDataFrames]
