/** A request as its client wrote it, for the answer to a refusal. */
import { Schema } from "effect"
import { type OrderRequest, OrderType, Side, TimeInForce } from "./Order.ts"
import type { OrderRefusal } from "./Reject.ts"

export const Echo = Schema.Struct({
  orderId: Schema.String,
  side: Schema.NullOr(Side),
  type: Schema.NullOr(OrderType),
  timeInForce: Schema.NullOr(TimeInForce),
  /** These are decimals and not ticks and lots, which they may not be. */
  price: Schema.Number,
  quantity: Schema.Number,
  clientOrderId: Schema.String,
  reduceOnly: Schema.Boolean
})
export type Echo = typeof Echo.Type

/** A request that said nothing to repeat has this echo. */
export const noEcho: Echo = {
  orderId: "",
  side: null,
  type: null,
  timeInForce: null,
  price: 0,
  quantity: 0,
  clientOrderId: "",
  reduceOnly: false
}

/** One object is made with every field by name, which is the fastest: a flood of refusals passes here. */
export const echoOf = (request: OrderRequest): Echo => {
  if (request._tag === "CancelTwap") {
    return { ...noEcho, [request.byClientTwapId ? "clientOrderId" : "orderId"]: request.twapId }
  }
  const isOrder = request._tag === "PlaceOrder" || request._tag === "ModifyOrder"
  const isCancel = request._tag === "CancelOrder"
  return {
    orderId: request._tag === "ModifyOrder" || (isCancel && !request.byClientOrderId) ? request.orderId : "",
    side: isOrder ? request.side : null,
    type: isOrder ? request.type : null,
    timeInForce: request._tag === "PlaceOrder" ? request.timeInForce : null,
    price: isOrder ? request.price : 0,
    quantity: isOrder ? request.quantity : 0,
    clientOrderId:
      "clientOrderId" in request ? request.clientOrderId : isCancel && request.byClientOrderId ? request.orderId : "",
    reduceOnly: isOrder ? request.reduceOnly : false
  }
}

/** Each request is refused in these words when nobody lists its symbol. */
export const unlisted: Record<OrderRequest["_tag"], OrderRefusal> = {
  PlaceOrder: "BAD_SYMBOL",
  ModifyOrder: "CANNOT_MODIFY_NO_SUCH_ORDER",
  CancelOrder: "NO_SUCH_ORDER",
  CancelTwap: "NO_SUCH_ORDER",
  CancelAllOrders: "BAD_SYMBOL",
  ClosePosition: "BAD_SYMBOL"
}
