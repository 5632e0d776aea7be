/** Conversion of trade-socket commands to domain requests. */
import type { Command } from "@venue/api/trade/Command"
import type { Submission } from "@venue/cluster/protocol/Desk"
import type { Id } from "@venue/domain/Id"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { PreviewRequest } from "@venue/domain/Preview"
import type { Member } from "./Member.ts"

/** Trading commands, as opposed to commands that manage the connection. */
export type TradingCommand = Exclude<Command, { readonly _tag: "Auth" | "Subscribe" | "Unsubscribe" }>

export type OrderCommand = Extract<
  TradingCommand,
  {
    readonly _tag:
      | "AddOrder"
      | "ModifyOrder"
      | "CancelOrder"
      | "CancelAllOrders"
      | "ClosePosition"
      | "CancelStopOrder"
      | "ModifyStopOrder"
      | "AddTwap"
      | "CancelTwap"
  }
>

/** Returns the request that the previewed order would send. */
export const previewedOf = (
  { order }: Extract<TradingCommand, { readonly _tag: "PreviewOrder" }>,
  symbol: MarketSymbol,
  commandId: Id,
  expiresAtMillis: number,
  member: Member
): PreviewRequest => {
  const request = requestOf(order, symbol, commandId, expiresAtMillis, member)
  if (request._tag === "PlaceOrder" || request._tag === "ClosePosition") return request
  throw new Error(`expected an order, got ${request._tag}`)
}

/** Returns the request of a command, with its id, expiry and account. */
export function requestOf(
  command: OrderCommand,
  symbol: MarketSymbol,
  commandId: Id,
  expiresAtMillis: number,
  member: Member
): Submission["request"] {
  const { accountId, builderCode } = member
  switch (command._tag) {
    case "AddOrder":
      return {
        _tag: "PlaceOrder",
        commandId,
        expiresAtMillis,
        accountId,
        symbol,
        side: command.side,
        type: command.type,
        timeInForce: command.timeInForce,
        price: command.price,
        quantity: command.quantity,
        reduceOnly: command.reduceOnly,
        clientOrderId: command.clientOrderId,
        builderCode,
        ...(command.takeProfit === undefined ? {} : { takeProfit: command.takeProfit }),
        ...(command.stopLoss === undefined ? {} : { stopLoss: command.stopLoss })
      }
    case "ModifyOrder":
      return { ...command, commandId, expiresAtMillis, accountId, symbol }
    case "CancelOrder":
    case "CancelTwap":
      return { ...command, commandId, expiresAtMillis, accountId, symbol }
    case "CancelAllOrders":
      return { _tag: "CancelAllOrders", commandId, expiresAtMillis, accountId, symbol, cause: "REQUEST" }
    case "CancelStopOrder":
      return { _tag: "CancelStop", commandId, expiresAtMillis, accountId, symbol, orderId: command.stopOrderId }
    case "ModifyStopOrder": {
      const { price, quantity, side, stopOrderId, type } = command
      const changes = { side, type, price, quantity }
      return { _tag: "ModifyStop", commandId, expiresAtMillis, accountId, symbol, orderId: stopOrderId, ...changes }
    }
    case "AddTwap":
      return { ...command, commandId, expiresAtMillis, accountId, symbol, builderCode }
    case "ClosePosition":
      return {
        _tag: "ClosePosition",
        commandId,
        expiresAtMillis,
        accountId,
        symbol,
        clientOrderId: command.clientOrderId,
        builderCode
      }
  }
}
