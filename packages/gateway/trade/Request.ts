/** A command of the wire as the request the venue knows, and what of it a refusal repeats. */
import type { Id } from "@venue/domain/Id"
import { type Echo, noEcho } from "@venue/domain/Market"
import type { OrderRequest } from "@venue/domain/Order"
import type { Member, Performed } from "./Connection.ts"

export type OrderCommand = Extract<
  Performed,
  { readonly _tag: "AddOrder" | "ModifyOrder" | "CancelOrder" | "CancelAllOrders" | "ClosePosition" }
>

export function requestOf(command: OrderCommand, commandId: Id, expiresAtMillis: number, member: Member): OrderRequest {
  const { accountId, builderCode } = member
  switch (command._tag) {
    case "AddOrder":
      return {
        _tag: "PlaceOrder",
        commandId,
        expiresAtMillis,
        accountId,
        symbol: command.symbol,
        side: command.side,
        type: command.type,
        timeInForce: command.timeInForce,
        price: command.price,
        quantity: command.quantity,
        reduceOnly: command.reduceOnly,
        clientOrderId: command.clientOrderId,
        builderCode
      }
    case "ModifyOrder":
      return { ...command, commandId, expiresAtMillis, accountId }
    case "CancelOrder":
      return { ...command, commandId, expiresAtMillis, accountId }
    case "CancelAllOrders":
      return { _tag: "CancelAllOrders", commandId, expiresAtMillis, accountId, symbol: command.symbol ?? "" }
    case "ClosePosition":
      return {
        _tag: "ClosePosition",
        commandId,
        expiresAtMillis,
        accountId,
        symbol: command.symbol,
        clientOrderId: command.clientOrderId,
        builderCode
      }
  }
}

/** What a symbol that nobody lists means for each request. */
export const unlisted = {
  PlaceOrder: "BAD_SYMBOL",
  ModifyOrder: "CANNOT_MODIFY_NO_SUCH_ORDER",
  CancelOrder: "NO_SUCH_ORDER",
  ClosePosition: "BAD_SYMBOL"
} as const

export function echoOf(request: OrderRequest): Echo {
  switch (request._tag) {
    case "PlaceOrder":
      return { ...noEcho, ...pick(request), timeInForce: request.timeInForce, clientOrderId: request.clientOrderId }
    case "ModifyOrder":
      return { ...noEcho, ...pick(request), orderId: request.orderId }
    case "CancelOrder":
      return request.byClientOrderId
        ? { ...noEcho, clientOrderId: request.orderId }
        : { ...noEcho, orderId: request.orderId }
    case "ClosePosition":
      return { ...noEcho, clientOrderId: request.clientOrderId }
    case "CancelAllOrders":
      return noEcho
  }
}

const pick = ({
  price,
  quantity,
  reduceOnly,
  side,
  type
}: Extract<OrderRequest, { readonly _tag: "PlaceOrder" | "ModifyOrder" }>) => ({
  price,
  quantity,
  reduceOnly,
  side,
  type
})
