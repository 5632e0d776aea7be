/** Copy of a client's request, returned with its refusal. */
import { Schema } from "effect"
import { type OrderRequest, OrderType, Side, TimeInForce } from "./Order.ts"
import type { OrderRefusal } from "./Reject.ts"

/** The fields of a request that a refusal returns to the client. */
export const Echo = Schema.Struct({
  orderId: Schema.String,
  side: Schema.NullOr(Side),
  type: Schema.NullOr(OrderType),
  timeInForce: Schema.NullOr(TimeInForce),
  /** Decimals as the client sent them: a refused price or quantity might not be a whole number of ticks or lots. */
  price: Schema.Number,
  quantity: Schema.Number,
  clientOrderId: Schema.String,
  reduceOnly: Schema.Boolean
})
export type Echo = typeof Echo.Type

/** Echo of a request without any of these fields. */
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

/** Returns a request's echo. One literal with all fields is the fastest form, which matters in a flood of refusals. */
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

/** Refusal, by kind of request, for a symbol that the venue does not list. */
export const unlisted: Record<OrderRequest["_tag"], OrderRefusal> = {
  PlaceOrder: "BAD_SYMBOL",
  ModifyOrder: "CANNOT_MODIFY_NO_SUCH_ORDER",
  CancelOrder: "NO_SUCH_ORDER",
  CancelTwap: "NO_SUCH_ORDER",
  CancelAllOrders: "BAD_SYMBOL",
  ClosePosition: "BAD_SYMBOL"
}
