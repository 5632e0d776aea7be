/** Every command of the trade socket as it travels: the contract that `Command.ts` reads by hand. */
import { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { isUuid } from "@venue/domain/Id"
import { Schema, SchemaTransformation } from "effect"
import { NumberOrText } from "../Body.ts"

export const Channel = Schema.Literals([
  "order_responses",
  "positions",
  "balances",
  "fills",
  "stop_orders",
  "cancel_on_disconnect"
])
export type Channel = typeof Channel.Type

/** Market data that the trade socket carries too; it is asked for as on its own socket, or in `params` as the rest is. */
export const MarketDataChannel = Schema.Literals(["market_stats", "funding"])
export type MarketDataChannel = typeof MarketDataChannel.Type

/** What clients leave out they also write as `null`. */
const Maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Symbol = Schema.String.check(Schema.isMaxLength(64))
const SymbolFilter = Symbol.check(Schema.isNonEmpty())
const Id = Schema.String.check(
  Schema.isPattern(/^[\x20-\x7e]{1,64}$/, { expected: "1 to 64 printable ASCII characters" })
)
/** Empty when the client gives none. */
const ClientId = Schema.String.check(
  Schema.isPattern(/^[\x20-\x7e]{0,64}$/, { expected: "up to 64 printable ASCII characters" })
)
const Decimal = NumberOrText(Schema.Finite)
/** The price of a stop that an order brings; 0 is none. */
const Trigger = Maybe(NumberOrText(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))))
/** Clients also write 0 and 1. */
const Truth = Schema.Union([
  Schema.Boolean,
  Schema.Literals([0, 1]).pipe(
    Schema.decodeTo(
      Schema.Boolean,
      SchemaTransformation.transform({
        decode: (digit: 0 | 1) => digit === 1,
        encode: (truth: boolean): 0 | 1 => (truth ? 1 : 0)
      })
    )
  )
])

const message = <const Type extends string, Params extends Schema.Constraint>(type: Type, params: Params) =>
  Schema.Struct({ type: Schema.Literal(type), params })

const Placement = {
  symbol: Symbol,
  side: Side,
  order_time_in_force: TimeInForce,
  quantity: Decimal,
  reduce_only: Maybe(Truth),
  client_order_id: Maybe(ClientId),
  take_profit: Trigger,
  stop_loss: Trigger
}

/** A command in its plain form is its own JSON; what is read beside that, such as numbers as text, need not be sent. */
export const AddOrder = message(
  "add_order",
  Schema.Union([
    Schema.Struct({
      ...Placement,
      order_type: Schema.Literals(["LIMIT", "ALO", "TAKE_PROFIT", "STOP_LOSS", "STOP_MARKET"]),
      price: Decimal
    }),
    // The price of a market order is not read.
    Schema.Struct({ ...Placement, order_type: Schema.Literal("MARKET"), price: Maybe(Decimal) })
  ])
)

export type AddOrder = typeof AddOrder.Type

/** What an order would come to, or a close of the whole position. */
export const PreviewOrder = message(
  "preview_order",
  Schema.Union([
    Schema.Struct({ symbol: Symbol, close_position: Schema.Literal(true), client_order_id: Maybe(ClientId) }),
    ...AddOrder.fields.params.members
  ])
)
export type PreviewOrder = typeof PreviewOrder.Type

/** `price` and `quantity` 0 mean unchanged, as does leaving them out. */
export const ModifyOrder = message(
  "modify_order",
  Schema.Struct({
    symbol: Symbol,
    order_id: Id,
    side: Side,
    order_type: OrderType,
    reduce_only: Truth,
    price: Maybe(Decimal),
    quantity: Maybe(Decimal),
    take_profit: Trigger,
    stop_loss: Trigger
  })
)

/** The second form is that of 2025, with the client's id in a field of its own. */
export const CancelOrder = message(
  "cancel_order",
  Schema.Union([
    Schema.Struct({
      symbol: Symbol,
      order_id: Id,
      cancel_order_id_type: Schema.Literals(["order_id", "client_order_id", "twap_id", "client_twap_id"])
    }),
    Schema.Struct({
      symbol: Symbol,
      order_id: Maybe(Schema.Literal("")),
      client_order_id: Id,
      cancel_order_id_type: Maybe(Schema.Literal("client_order_id"))
    })
  ])
)

export type CancelOrder = typeof CancelOrder.Type

/** Of every symbol when none is given. */
export const CancelAllOrders = message("cancel_all_orders", Schema.Struct({ symbol: Maybe(SymbolFilter) }))

export const ClosePosition = message(
  "close_position",
  Schema.Struct({ symbol: Symbol, client_order_id: Maybe(ClientId) })
)

export const CancelStopOrder = message("cancel_stop_order", Schema.Struct({ stop_order_id: Id }))

const StopTarget = {
  symbol: Symbol,
  stop_order_id: Id,
  side: Maybe(Side),
  order_type: Maybe(Schema.Literals(["TAKE_PROFIT", "STOP_LOSS"]))
}

/** At least one of price and quantity is said; what is said of side and type must be so. */
export const ModifyStopOrder = message(
  "modify_stop_order",
  Schema.Union([
    Schema.Struct({ ...StopTarget, price: Schema.NullOr(Decimal), quantity: Maybe(Decimal) }),
    Schema.Struct({ ...StopTarget, price: Maybe(Decimal), quantity: Schema.NullOr(Decimal) })
  ])
)

/** Unix seconds, or milliseconds from 1e11 on. */
const Moment = NumberOrText(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 })))

export const AddTwap = message(
  "add_twap",
  Schema.Struct({
    symbol: Symbol,
    side: Side,
    total_quantity: Decimal,
    num_orders: NumberOrText(Schema.Int.check(Schema.isGreaterThanOrEqualTo(2))),
    order_interval_secs: NumberOrText(Schema.Int.check(Schema.isGreaterThanOrEqualTo(30))),
    reduce_only: Truth,
    client_twap_id: Maybe(ClientId),
    start_time: Maybe(Moment),
    worst_price: Trigger
  })
)

const Page = {
  limit: Maybe(NumberOrText(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))),
  offset: Maybe(NumberOrText(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))))
}

/** The id is an order id or a client order id. */
export const GetOrder = message("get_order", Schema.Struct({ symbol: Symbol, order_id: Id }))

export const GetUserOrders = message("get_user_orders", Schema.Struct({ ...Page, symbol: Maybe(SymbolFilter) }))

/** Both ends of the time window are inclusive. */
export const GetUserTrades = message(
  "get_user_trades",
  Schema.Struct({ ...Page, order_id: Maybe(ClientId), start_ts: Maybe(Moment), end_ts: Maybe(Moment) })
)

export const GetUserLeverage = message("get_user_leverage", Schema.Struct(Page))

export const GetAvailableLeverageLevels = message("get_available_leverage_levels", Schema.Struct(Page))

export const SetUserLeverage = message("set_user_leverage", Schema.Struct({ symbol: Symbol, leverage: Decimal }))

export const HmacCredential = Schema.Struct({
  public_key: Schema.String,
  nonce: Schema.String,
  unix_ts: NumberOrText(Schema.Int),
  signature: Schema.String
})
export type HmacCredential = typeof HmacCredential.Type

const Account = {
  /** Empty for the primary account, as when it is left out. */
  account_id: Maybe(
    Schema.String.check(Schema.makeFilter((id) => id === "" || isUuid(id), { expected: "a UUID of 36 characters" }))
  ),
  builder_code: Maybe(Schema.String)
}

/** An API key, or an access token. */
export const Auth = message(
  "auth",
  Schema.Union([
    Schema.Struct({ ...Account, hmac: HmacCredential, jwt: Schema.optionalKey(Schema.Null) }),
    Schema.Struct({ ...Account, jwt: Schema.String, hmac: Schema.optionalKey(Schema.Null) })
  ])
)

const Channels = Schema.Struct({
  channels: Schema.NonEmptyArray(Schema.Literals([...Channel.literals, ...MarketDataChannel.literals])),
  /** Of market data alone, which needs them: names, or `*` for all. */
  symbols: Schema.optionalKey(Schema.NonEmptyArray(Schema.String))
})

export const Subscribe = message("subscribe", Channels)

export const Unsubscribe = message("unsubscribe", Channels)

export const CancelOnDisconnect = message(
  "cancel_on_disconnect",
  Schema.Struct({ cancel_on_disconnect: Schema.Boolean })
)

/** Any command that this venue does. */
export const Command = Schema.Union([
  AddOrder,
  PreviewOrder,
  ModifyOrder,
  CancelOrder,
  CancelAllOrders,
  ClosePosition,
  CancelStopOrder,
  ModifyStopOrder,
  AddTwap,
  GetOrder,
  GetUserOrders,
  GetUserTrades,
  GetUserLeverage,
  GetAvailableLeverageLevels,
  SetUserLeverage,
  Auth,
  Subscribe,
  Unsubscribe,
  CancelOnDisconnect
])
export type Command = typeof Command.Type
