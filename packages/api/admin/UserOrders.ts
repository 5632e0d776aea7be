/** A user's open orders for operators, and the cancel of all of them. */
import { type Instrument, priceOf, quantityOf } from "@venue/domain/Instrument"
import { type Order, OrderOrigin, OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SchemaLink, Uuid } from "../Body.ts"
import { instant as instantText } from "../Digits.ts"
import { instant, price, quantity, symbol, text, truth, uuid } from "../Member.ts"
import { operation } from "../Operation.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason, Symbols } from "./Operator.ts"

/** Open order or waiting stop. */
export const OperatorOrder = Schema.Struct({
  order_id: uuid("Id of the order"),
  client_order_id: text("Client order id; empty if the client sent none"),
  account_id: uuid("Id of the account"),
  symbol,
  side: Side.annotate({ description: "Side of the order." }),
  order_type: OrderType.annotate({ description: "Type of the order." }),
  time_in_force: TimeInForce.annotate({ description: "Time in force of the order." }),
  origin: OrderOrigin.annotate({ description: "Cause of the order, such as a client's request or a stop." }),
  price: price("Limit price, or the trigger price of a stop; 0 for a market order"),
  quantity: quantity("Total quantity"),
  quantity_remaining: quantity("Quantity that is not filled"),
  reduce_only: truth("Whether the order can only reduce the position"),
  updated_at: instant("Time at which the order was last placed, modified, reduced or filled")
}).annotate({ identifier: "OperatorOrder", description: "Open order or waiting stop of a user." })

/** Body of `POST /users/cancel-orders`. */
export const CancelUserOrders = Schema.Struct({
  $schema: SchemaLink,
  user_id: Uuid.annotate({ description: "User id.", examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"] }),
  symbols: Symbols,
  reason: Reason
}).annotate({ identifier: "CancelUserOrders" })

/** Response body of `POST /users/cancel-orders`. */
export const UserOrdersCancelled = Schema.Struct({
  user_id: uuid("Id of the user"),
  account_ids: Schema.Array(Schema.String).annotate({ description: "Ids of the accounts whose orders are cancelled." }),
  symbols: Schema.Array(Schema.String).annotate({
    description:
      "Symbols of the markets that received a cancel command; each market cancels the orders within milliseconds."
  })
}).annotate({ identifier: "UserOrdersCancelled" })

export const UserOrdersGroup = HttpApiGroup.make("userOrders")
  .add(
    HttpApiEndpoint.post("cancel", "/users/cancel-orders", {
      payload: CancelUserOrders,
      success: UserOrdersCancelled,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Cancel a user's orders",
        "Cancels the open orders and stops of all of a user's accounts, in the given markets or in all. The user can " +
          "place new orders at once, unless frozen. Refused with 404 for an unknown user or symbol, with 409 if the " +
          "desk does not accept the cancellation, and with 504 if its outcome is unknown."
      )
    )
  )
  .middleware(OperatorOnly)

/** Converts an open order to its wire format. */
export const operatorOrder = (instrument: Instrument, order: Order): typeof OperatorOrder.Type => ({
  order_id: order.orderId.text,
  client_order_id: order.clientOrderId,
  account_id: order.accountId,
  symbol: instrument.symbol,
  side: order.side,
  order_type: order.type,
  time_in_force: order.timeInForce,
  origin: order.origin,
  price: priceOf(instrument, order.priceTicks),
  quantity: quantityOf(instrument, order.quantityLots),
  quantity_remaining: quantityOf(instrument, order.remainingLots),
  reduce_only: order.reduceOnly,
  updated_at: instantText(order.updatedAtMillis)
})
