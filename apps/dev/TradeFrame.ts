/** What is said on the trade socket, as far as our own programs use it. */
import { type Option, Schema } from "effect"

export interface AddOrder {
  readonly symbol: string
  readonly side: "BUY" | "SELL"
  readonly order_type: "LIMIT" | "MARKET" | "ALO"
  readonly order_time_in_force: "GTC" | "IOC" | "FOK"
  readonly quantity: number
  readonly price: number
  readonly reduce_only: boolean
  readonly client_order_id: string
}

export interface ModifyOrder {
  readonly symbol: string
  readonly order_id: string
  readonly side: "BUY" | "SELL"
  readonly order_type: "LIMIT" | "ALO"
  readonly reduce_only: boolean
  readonly price: number
  readonly quantity: number
}

export interface CancelOrder {
  readonly symbol: string
  readonly order_id: string
  readonly cancel_order_id_type: "order_id" | "client_order_id"
}

export type Command =
  | { readonly type: "add_order"; readonly params: AddOrder }
  | { readonly type: "modify_order"; readonly params: ModifyOrder }
  | { readonly type: "cancel_order"; readonly params: CancelOrder }
  | { readonly type: "cancel_all_orders"; readonly params: { readonly symbol?: string } }
  | { readonly type: "close_position"; readonly params: { readonly symbol: string; readonly client_order_id: string } }
  | { readonly type: "get_user_orders"; readonly params: { readonly limit?: number; readonly offset?: number } }
  | { readonly type: "subscribe"; readonly params: { readonly channels: ReadonlyArray<Channel> } }

export type Channel = "order_responses" | "fills" | "positions" | "balances"

/** Kinds and times are left out where the venue cannot know them, as in the answer to an unknown order. */
export const OrderResponse = Schema.Struct({
  order_id: Schema.String,
  symbol: Schema.String,
  status: Schema.String,
  quantity: Schema.Number,
  price: Schema.Number,
  quantity_remaining: Schema.Number,
  side: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String),
  time_in_force: Schema.optionalKey(Schema.String),
  client_order_id: Schema.optionalKey(Schema.String),
  trade_id: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type OrderResponse = typeof OrderResponse.Type

export const FillResponse = Schema.Struct({
  trade_id: Schema.String,
  symbol: Schema.String,
  price: Schema.Number,
  quantity: Schema.Number,
  side: Schema.Literals(["BUY", "SELL"]),
  aggressor_side: Schema.String,
  order_id: Schema.String,
  client_order_id: Schema.String,
  fee: Schema.Number,
  remaining_quantity: Schema.Number,
  realised_pnl: Schema.Number
})
export type FillResponse = typeof FillResponse.Type

export const PositionResponse = Schema.Struct({
  symbol: Schema.String,
  position: Schema.Number,
  average_price: Schema.Number,
  realised_pnl: Schema.Number,
  unrealised_pnl: Schema.Number,
  net_funding: Schema.Number,
  margin_alloc: Schema.Number,
  leverage: Schema.Number
})
export type PositionResponse = typeof PositionResponse.Type

export const BalanceResponse = Schema.Struct({
  deposit: Schema.Number,
  realised_pnl: Schema.Number,
  unrealised_pnl: Schema.Number,
  net_funding: Schema.Number,
  referral_rewards: Schema.Number,
  builder_rewards: Schema.optionalKey(Schema.Number),
  fees: Schema.Number,
  order_margin: Schema.Number,
  position_margin: Schema.Number,
  available_balance: Schema.Number
})
export type BalanceResponse = typeof BalanceResponse.Type

const Incoming = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  params: Schema.optionalKey(
    Schema.Struct({
      symbol: Schema.optionalKey(Schema.String),
      order_id: Schema.optionalKey(Schema.String),
      client_order_id: Schema.optionalKey(Schema.String)
    })
  )
})

export const ErrorResponse = Schema.Struct({
  error_code: Schema.String,
  message: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The request; its text where it was no JSON. */
  incoming_message: Schema.optionalKey(Schema.Union([Incoming, Schema.String]))
})
export type ErrorResponse = typeof ErrorResponse.Type

/** One of these keys is there; frames of other kinds read as an empty object. */
export const Frame = Schema.Struct({
  authenticated: Schema.optionalKey(Schema.Boolean),
  subscribed: Schema.optionalKey(Schema.String),
  order_response: Schema.optionalKey(OrderResponse),
  fill_response: Schema.optionalKey(FillResponse),
  position_response: Schema.optionalKey(PositionResponse),
  balance_response: Schema.optionalKey(BalanceResponse),
  all_orders_response: Schema.optionalKey(Schema.Struct({ orders: Schema.Array(OrderResponse) })),
  ack: Schema.optionalKey(Schema.Struct({ incoming_message: Schema.optionalKey(Incoming) })),
  err: Schema.optionalKey(ErrorResponse)
})
export type Frame = typeof Frame.Type

/** None when the text is no JSON object or a known key does not hold what it should. */
export const read: (text: string) => Option.Option<Frame> = Schema.decodeUnknownOption(Schema.fromJsonString(Frame))

/** The request an error answers; none when it was no JSON. */
export const requestOf = (error: ErrorResponse): typeof Incoming.Type | undefined =>
  typeof error.incoming_message === "string" ? undefined : error.incoming_message
