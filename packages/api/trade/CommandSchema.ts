/** Every command of the trade socket as it travels: the contract that `Command.ts` reads by hand. */
import { Timeout } from "@venue/domain/DeadManSwitch"
import { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { isUuid } from "@venue/domain/Id"
import * as Text from "@venue/domain/Text"
import { Schema, SchemaTransformation } from "effect"
import { NumberOrText } from "../Body.ts"
import * as Member from "../Member.ts"
import { maxOffset } from "../Offset.ts"

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

const Symbol = Member.symbol.check(Text.atMost(64))
const SymbolFilter = Symbol.check(Text.atLeast(1))
const Id = (what: string) =>
  Member.text(what).check(Text.matches("^[ -~]{1,64}$", "1 to 64 printable ASCII characters"))
/** Empty when the client gives none. */
const MaybeId = (what: string) =>
  Member.text(what).check(Text.matches("^[ -~]{0,64}$", "up to 64 printable ASCII characters"))
const ClientId = MaybeId("An id of the client's own, given back with every answer")
const Decimal = (description: string) => NumberOrText(Schema.Finite).annotate({ description })
const Trigger = (what: string) =>
  Maybe(
    NumberOrText(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))).annotate({
      description: `${what}, in USD per base unit.`
    })
  )
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
const ReduceOnly = Truth.annotate({ description: "It may only reduce a position." })
const Price = Decimal("In USD per base unit; of a stop, what the mark has to reach.")

const message = <const Type extends string, Params extends Schema.Constraint>(type: Type, params: Params) =>
  Schema.Struct({ type: Schema.Literal(type), params })

const Placement = {
  symbol: Symbol,
  side: Side,
  order_time_in_force: TimeInForce,
  quantity: Decimal("In base units."),
  reduce_only: Maybe(ReduceOnly),
  client_order_id: Maybe(ClientId),
  take_profit: Trigger("The price of a stop that the order brings, 0 for none"),
  stop_loss: Trigger("The price of a stop that the order brings, 0 for none")
}

/** A command in its plain form is its own JSON; what is read beside that, such as numbers as text, need not be sent. */
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
      price: Maybe(Decimal("That of a market order is not read."))
    })
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

const NewPrice = Decimal("In USD per base unit; 0 or left out is unchanged.")
const NewQuantity = Decimal("The new total, in base units; 0 or left out is unchanged.")

/** Side, type and reduce-only are repeated; an order never changes them. */
export const ModifyOrder = message(
  "modify_order",
  Schema.Struct({
    symbol: Symbol,
    order_id: Id("The venue's id of the order"),
    side: Side.annotate({ description: "The order's own." }),
    order_type: OrderType.annotate({ description: "The order's own." }),
    reduce_only: Truth.annotate({ description: "The order's own." }),
    price: Maybe(NewPrice),
    quantity: Maybe(NewQuantity),
    take_profit: Trigger("0 takes it away, and leaving it out changes nothing"),
    stop_loss: Trigger("0 takes it away, and leaving it out changes nothing")
  })
)

/** The second form is that of 2025, with the client's id in a field of its own. */
export const CancelOrder = message(
  "cancel_order",
  Schema.Union([
    Schema.Struct({
      symbol: Symbol,
      order_id: Id("An id of the kind that the next field says"),
      cancel_order_id_type: Schema.Literals(["order_id", "client_order_id", "twap_id", "client_twap_id"])
    }),
    Schema.Struct({
      symbol: Symbol,
      order_id: Maybe(Schema.Literal("")),
      client_order_id: Id("Of all orders that are to be cancelled"),
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

export const CancelStopOrder = message("cancel_stop_order", Schema.Struct({ stop_order_id: Id("Of the stop") }))

const StopTarget = {
  symbol: Symbol,
  stop_order_id: Id("Of the stop"),
  side: Maybe(Side),
  order_type: Maybe(Schema.Literals(["TAKE_PROFIT", "STOP_LOSS"]))
}

/** At least one of price and quantity is said; what is said of side and type must be so. */
export const ModifyStopOrder = message(
  "modify_stop_order",
  Schema.Union([
    Schema.Struct({ ...StopTarget, price: Schema.NullOr(NewPrice), quantity: Maybe(NewQuantity) }),
    Schema.Struct({ ...StopTarget, price: Maybe(NewPrice), quantity: Schema.NullOr(NewQuantity) })
  ])
)

const Moment = (what: string) =>
  NumberOrText(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 }))).annotate({
    description: `${what}, in Unix seconds, or milliseconds from 1e11 on.`
  })

const whole = (description: string, bound: Check) => NumberOrText(Schema.Int.check(bound)).annotate({ description })
type Check = ReturnType<typeof Schema.isBetween>

export const AddTwap = message(
  "add_twap",
  Schema.Struct({
    symbol: Symbol,
    side: Side,
    total_quantity: Decimal("In base units."),
    num_orders: whole("Orders it is cut into.", Schema.isGreaterThanOrEqualTo(2)),
    order_interval_secs: whole("Seconds from one order to the next.", Schema.isGreaterThanOrEqualTo(30)),
    reduce_only: ReduceOnly,
    client_twap_id: Maybe(ClientId),
    start_time: Maybe(Moment("No order comes before it")),
    worst_price: Trigger("No order fills at a worse one; 0 for none")
  })
)

const Page = {
  limit: Maybe(whole("Rows at most; 1,000 when left out.", Schema.isBetween({ minimum: 1, maximum: 1_000 }))),
  offset: Maybe(whole("Rows that are passed over.", Schema.isBetween({ minimum: 0, maximum: maxOffset })))
}

export const GetOrder = message(
  "get_order",
  Schema.Struct({ symbol: Symbol, order_id: Id("An order id or a client order id") })
)

export const GetUserOrders = message("get_user_orders", Schema.Struct({ ...Page, symbol: Maybe(SymbolFilter) }))

export const GetUserTrades = message(
  "get_user_trades",
  Schema.Struct({
    ...Page,
    order_id: Maybe(MaybeId("Of one order; every order when left out")),
    start_ts: Maybe(Moment("Trades from then on")),
    end_ts: Maybe(Moment("Trades up to and with then"))
  })
)

export const GetUserLeverage = message("get_user_leverage", Schema.Struct(Page))

export const GetAvailableLeverageLevels = message("get_available_leverage_levels", Schema.Struct(Page))

export const SetUserLeverage = message(
  "set_user_leverage",
  Schema.Struct({ symbol: Symbol, leverage: Decimal("As a multiple of the margin.") })
)

export const HmacCredential = Schema.Struct({
  public_key: Member.text("Of the API key"),
  nonce: Member.text("Random hexadecimal digits that were not used within fifteen minutes"),
  unix_ts: NumberOrText(Schema.Int).annotate({ description: "Unix seconds, at most five minutes off." }),
  signature: Member.text("The hexadecimal HMAC-SHA256 of nonce:unix_ts by the secret key")
})
export type HmacCredential = typeof HmacCredential.Type

const Account = {
  account_id: Maybe(
    Member.text("A subaccount; the primary account when left out or empty").check(
      Schema.makeFilter((id) => id === "" || isUuid(id), {
        expected: "a UUID of 36 characters",
        toJsonSchema: () => ({ pattern: "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})?$" })
      })
    )
  ),
  builder_code: Maybe(
    Member.text(
      "Builder code, a UUID, of the orders of this connection; replaces the code of the upgrade request, and an empty one means none"
    )
  )
}

/** An API key, or an access token. */
export const Auth = message(
  "auth",
  Schema.Union([
    Schema.Struct({ ...Account, hmac: HmacCredential, jwt: Schema.optionalKey(Schema.Null) }),
    Schema.Struct({ ...Account, jwt: Member.text("An access token"), hmac: Schema.optionalKey(Schema.Null) })
  ])
)

const Channels = Schema.Struct({
  channels: Schema.NonEmptyArray(Schema.Literals([...Channel.literals, ...MarketDataChannel.literals])),
  symbols: Schema.optionalKey(
    Schema.NonEmptyArray(Schema.String).annotate({
      description: "Of market data alone, which needs them: names, or * for all."
    })
  )
})

export const Subscribe = message("subscribe", Channels)

export const Unsubscribe = message("unsubscribe", Channels)

/** Market data may be asked for in the form of its own socket too. */
const flat = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    channels: Schema.NonEmptyArray(MarketDataChannel),
    symbols: Schema.NonEmptyArray(Schema.String).annotate({ description: "Names, or * for all." })
  })

export const FlatSubscribe = flat("subscribe")

export const FlatUnsubscribe = flat("unsubscribe")

export const CancelOnDisconnect = message(
  "cancel_on_disconnect",
  Schema.Struct({ cancel_on_disconnect: Member.truth("All open orders of the account go when this connection ends") })
)

/** The account's dead-man switch; 0 switches it off. */
export const CancelAllAfter = message(
  "cancel_all_after",
  Schema.Struct({
    timeout_secs: NumberOrText(Timeout).annotate({ description: "Seconds from 5 to 600, or 0 for off." })
  })
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
  CancelOnDisconnect,
  CancelAllAfter
])
export type Command = typeof Command.Type
