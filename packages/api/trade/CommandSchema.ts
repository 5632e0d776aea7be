/** Schemas of the trade socket's commands, which `Command.ts` decodes by hand for speed. */
import { Timeout } from "@venue/domain/DeadManSwitch"
import { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { isUuid } from "@venue/domain/Id"
import * as Text from "@venue/domain/Text"
import { Schema, SchemaTransformation } from "effect"
import { NumberOrText } from "../Body.ts"
import * as Member from "../Member.ts"
import { maxOffset } from "../Offset.ts"

/** Channel about the account or the connection. */
export const Channel = Schema.Literals([
  "order_responses",
  "positions",
  "balances",
  "fills",
  "stop_orders",
  "cancel_on_disconnect"
])
export type Channel = typeof Channel.Type

/** Market-data channel of the trade socket; clients subscribe in `params` or in the market-data socket's flat form. */
export const MarketDataChannel = Schema.Literals(["market_stats", "funding"])
export type MarketDataChannel = typeof MarketDataChannel.Type

/** Optional member; some clients send `null` instead of omitting it. */
const Maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Symbol = Member.symbol.check(Text.atMost(64))
const SymbolFilter = Symbol.check(Text.atLeast(1))
const Id = (what: string) =>
  Member.text(what).check(Text.matches("^[ -~]{1,64}$", "1 to 64 printable ASCII characters"))
const MaybeId = (what: string) =>
  Member.text(what).check(Text.matches("^[ -~]{0,64}$", "up to 64 printable ASCII characters"))
const ClientId = MaybeId("Id chosen by the client, up to 64 printable ASCII characters; returned in every answer")
const Decimal = (description: string) => NumberOrText(Schema.Finite).annotate({ description })
const Trigger = (what: string) =>
  Maybe(
    NumberOrText(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))).annotate({
      description: `${what}, in USD per base unit.`
    })
  )
/** Boolean; some clients send 0 and 1. */
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
const ReduceOnly = Truth.annotate({ description: "Whether the order can only reduce a position." })
const OrderSide = Side.annotate({ description: "Order side." })
const Price = Decimal("Limit price, in USD per base unit. For a stop, the mark price that triggers it.")

const message = <const Type extends string, Params extends Schema.Constraint>(type: Type, params: Params) =>
  Schema.Struct({ type: Schema.Literal(type), params })

const Placement = {
  symbol: Symbol,
  side: OrderSide,
  order_time_in_force: TimeInForce.annotate({ description: "Time in force of the order." }),
  quantity: Decimal("Total quantity, in base units."),
  reduce_only: Maybe(ReduceOnly),
  client_order_id: Maybe(ClientId),
  take_profit: Trigger("Price of the attached take-profit (0 for no take-profit)"),
  stop_loss: Trigger("Price of the attached stop-loss (0 for no stop-loss)")
}

/** Places an order. Decoding also accepts numbers as decimal text; encoding always yields JSON numbers. */
export const AddOrder = message(
  "add_order",
  Schema.Union([
    Schema.Struct({
      ...Placement,
      order_type: Schema.Literals(["LIMIT", "ALO", "TAKE_PROFIT", "STOP_LOSS", "STOP_MARKET"]),
      price: Price
    }),
    Schema.Struct({
      ...Placement,
      order_type: Schema.Literal("MARKET"),
      price: Maybe(Decimal("Ignored: a market order has no limit price."))
    })
  ])
)

export type AddOrder = typeof AddOrder.Type

/** Previews an order, or a close of the whole position. */
export const PreviewOrder = message(
  "preview_order",
  Schema.Union([
    Schema.Struct({ symbol: Symbol, close_position: Schema.Literal(true), client_order_id: Maybe(ClientId) }),
    ...AddOrder.fields.params.members
  ])
)
export type PreviewOrder = typeof PreviewOrder.Type

const NewPrice = Decimal("New price, in USD per base unit; unchanged if 0 or absent.")
const NewQuantity = Decimal("New total quantity, in base units; unchanged if 0 or absent.")

/** Modifies an order; `side`, `order_type` and `reduce_only` must repeat the order's values. */
export const ModifyOrder = message(
  "modify_order",
  Schema.Struct({
    symbol: Symbol,
    order_id: Id("Order id assigned by the venue"),
    side: Side.annotate({ description: "Side of the order. It must match the order and cannot be changed." }),
    order_type: OrderType.annotate({
      description: "Type of the order. It must match the order and cannot be changed."
    }),
    reduce_only: Truth.annotate({
      description: "Whether the order is reduce-only. It must match the order and cannot be changed."
    }),
    price: Maybe(NewPrice),
    quantity: Maybe(NewQuantity),
    take_profit: Trigger("New price of the attached take-profit (0 to remove it; unchanged if absent)"),
    stop_loss: Trigger("New price of the attached stop-loss (0 to remove it; unchanged if absent)")
  })
)

/** Cancels orders or a TWAP. The second form, from 2025, has the client order id in a separate member. */
export const CancelOrder = message(
  "cancel_order",
  Schema.Union([
    Schema.Struct({
      symbol: Symbol,
      order_id: Id("Id to cancel; `cancel_order_id_type` states which kind of id this is"),
      cancel_order_id_type: Schema.Literals(["order_id", "client_order_id", "twap_id", "client_twap_id"]).annotate({
        description: "Kind of the id in `order_id`."
      })
    }),
    Schema.Struct({
      symbol: Symbol,
      order_id: Maybe(Schema.Literal("")),
      client_order_id: Id("Client order id that all orders to cancel have"),
      cancel_order_id_type: Maybe(Schema.Literal("client_order_id"))
    })
  ])
)

export type CancelOrder = typeof CancelOrder.Type

/** Cancels all of the account's open orders and stops; without a symbol, in every market. */
export const CancelAllOrders = message("cancel_all_orders", Schema.Struct({ symbol: Maybe(SymbolFilter) }))

/** Closes the whole position in a market. */
export const ClosePosition = message(
  "close_position",
  Schema.Struct({ symbol: Symbol, client_order_id: Maybe(ClientId) })
)

/** Cancels a stop. */
export const CancelStopOrder = message("cancel_stop_order", Schema.Struct({ stop_order_id: Id("Id of the stop") }))

const StopTarget = {
  symbol: Symbol,
  stop_order_id: Id("Id of the stop"),
  side: Maybe(Side.annotate({ description: "Side of the stop. It must match the stop and cannot be changed." })),
  order_type: Maybe(
    Schema.Literals(["TAKE_PROFIT", "STOP_LOSS"]).annotate({
      description: "Type of the stop. It must match the stop and cannot be changed."
    })
  )
}

/** Modifies a stop. Requires a price, a quantity or both; `side` and `order_type`, if present, must match the stop. */
export const ModifyStopOrder = message(
  "modify_stop_order",
  Schema.Union([
    Schema.Struct({ ...StopTarget, price: Schema.NullOr(NewPrice), quantity: Maybe(NewQuantity) }),
    Schema.Struct({ ...StopTarget, price: Maybe(NewPrice), quantity: Schema.NullOr(NewQuantity) })
  ])
)

const Moment = (what: string) =>
  NumberOrText(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 }))).annotate({
    description: `${what}, in Unix seconds. A value of at least 1e11 is in milliseconds.`
  })

const whole = (description: string, bound: Check) => NumberOrText(Schema.Int.check(bound)).annotate({ description })
type Check = ReturnType<typeof Schema.isBetween>

/** Starts a TWAP. */
export const AddTwap = message(
  "add_twap",
  Schema.Struct({
    symbol: Symbol,
    side: OrderSide,
    total_quantity: Decimal("Total quantity, in base units."),
    num_orders: whole("Number of orders, at least 2.", Schema.isGreaterThanOrEqualTo(2)),
    order_interval_secs: whole("Interval between orders in seconds, at least 30.", Schema.isGreaterThanOrEqualTo(30)),
    reduce_only: ReduceOnly,
    client_twap_id: Maybe(ClientId),
    start_time: Maybe(Moment("Earliest time of the first order (immediately if absent)")),
    worst_price: Trigger("Worst price allowed for a fill (0 for no limit)")
  })
)

const Page = {
  limit: Maybe(
    whole("Maximum number of rows, 1 to 1,000; default 1,000.", Schema.isBetween({ minimum: 1, maximum: 1_000 }))
  ),
  offset: Maybe(whole("Number of rows to skip; default 0.", Schema.isBetween({ minimum: 0, maximum: maxOffset })))
}

/** Requests one open order. */
export const GetOrder = message(
  "get_order",
  Schema.Struct({ symbol: Symbol, order_id: Id("Order id or client order id") })
)

/** Requests the account's open orders, stops and TWAPs. */
export const GetUserOrders = message("get_user_orders", Schema.Struct({ ...Page, symbol: Maybe(SymbolFilter) }))

/** Requests the account's fills, newest first. */
export const GetUserTrades = message(
  "get_user_trades",
  Schema.Struct({
    ...Page,
    order_id: Maybe(MaybeId("Id of the order whose fills are returned (all orders if absent or empty)")),
    start_ts: Maybe(Moment("Earliest time of a fill, inclusive")),
    end_ts: Maybe(Moment("Latest time of a fill, inclusive"))
  })
)

/** Requests the current leverage in each market. */
export const GetUserLeverage = message("get_user_leverage", Schema.Struct(Page))

/** Requests the leverage levels that each market offers. */
export const GetAvailableLeverageLevels = message("get_available_leverage_levels", Schema.Struct(Page))

/** Sets the leverage in a market. */
export const SetUserLeverage = message(
  "set_user_leverage",
  Schema.Struct({ symbol: Symbol, leverage: Decimal("Leverage: the notional divided by the margin.") })
)

/** Credential of an API key. */
export const HmacCredential = Schema.Struct({
  public_key: Member.text("Public key of the API key"),
  nonce: Member.text("Nonce: random hexadecimal digits, not used in the last 15 minutes"),
  unix_ts: NumberOrText(Schema.Int).annotate({
    description: "Current time in Unix seconds, at most 5 minutes from the venue's time."
  }),
  signature: Member.text("HMAC-SHA256 of `<nonce>:<unix_ts>` with the secret key, in hexadecimal")
})
export type HmacCredential = typeof HmacCredential.Type

const Account = {
  account_id: Maybe(
    Member.text("Id of the account to trade on (the primary account if absent or empty)").check(
      Schema.makeFilter((id) => id === "" || isUuid(id), {
        expected: "a UUID of 36 characters",
        toJsonSchema: () => ({ pattern: "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})?$" })
      })
    )
  ),
  builder_code: Maybe(
    Member.text(
      "Builder code (UUID) for the orders of this connection, instead of the code in the upgrade request; empty for no code"
    )
  )
}

/** Signs the connection in with an API key or an access token. */
export const Auth = message(
  "auth",
  Schema.Union([
    Schema.Struct({ ...Account, hmac: HmacCredential, jwt: Schema.optionalKey(Schema.Null) }),
    Schema.Struct({ ...Account, jwt: Member.text("Access token of a session"), hmac: Schema.optionalKey(Schema.Null) })
  ])
)

const Channels = Schema.Struct({
  channels: Schema.NonEmptyArray(Schema.Literals([...Channel.literals, ...MarketDataChannel.literals])).annotate({
    description: "Names of channels."
  }),
  symbols: Schema.optionalKey(
    Schema.NonEmptyArray(Schema.String).annotate({
      description:
        "Symbols of markets, or * for all markets. Required for market-data channels, ignored for other channels."
    })
  )
})

/** Subscribes to channels. */
export const Subscribe = message("subscribe", Channels)

/** Unsubscribes from channels. */
export const Unsubscribe = message("unsubscribe", Channels)

/** Returns a subscription message in the flat form of the market-data socket. */
const flat = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    channels: Schema.NonEmptyArray(MarketDataChannel).annotate({ description: "Names of market-data channels." }),
    symbols: Schema.NonEmptyArray(Schema.String).annotate({ description: "Symbols of markets, or * for all markets." })
  })

/** Subscribes to market data in the flat form. */
export const FlatSubscribe = flat("subscribe")

/** Unsubscribes from market data in the flat form. */
export const FlatUnsubscribe = flat("unsubscribe")

/** Sets whether all of the account's open orders are cancelled when this connection closes. */
export const CancelOnDisconnect = message(
  "cancel_on_disconnect",
  Schema.Struct({
    cancel_on_disconnect: Member.truth("Whether all open orders of the account are cancelled when this connection ends")
  })
)

/** Sets, renews or switches off the account's dead-man switch. */
export const CancelAllAfter = message(
  "cancel_all_after",
  Schema.Struct({
    timeout_secs: NumberOrText(Timeout).annotate({
      description: "Timeout of the dead-man switch in seconds, 5 to 600; 0 switches it off."
    })
  })
)

/** Command of the trade socket in the form with `params`. */
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
  CancelOnDisconnect,
  CancelAllAfter
])
export type Command = typeof Command.Type
