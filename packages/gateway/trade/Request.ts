/** A command of the wire as the request the venue knows, and what it costs. */
import * as Command from "@venue/api/trade/Command"
import type { Cost } from "@venue/cluster/protocol/Desk"
import type { Id } from "@venue/domain/Id"
import type { OrderRequest } from "@venue/domain/Order"
import type { Connection, TradingCommand } from "./Connection.ts"
import type { Member } from "./Member.ts"

export type OrderCommand = Extract<
  TradingCommand,
  { readonly _tag: "AddOrder" | "ModifyOrder" | "CancelOrder" | "CancelAllOrders" | "ClosePosition" }
>

export function requestOf(
  command: OrderCommand,
  symbol: string,
  commandId: Id,
  expiresAtMillis: number,
  member: Member
): OrderRequest {
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
        builderCode
      }
    case "ModifyOrder":
      return { ...command, commandId, expiresAtMillis, accountId, symbol }
    case "CancelOrder":
      return { ...command, commandId, expiresAtMillis, accountId, symbol }
    case "CancelAllOrders":
      return { _tag: "CancelAllOrders", commandId, expiresAtMillis, accountId, symbol }
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

/** Takes what the connection owes with it. */
export const costOf = (connection: Connection, command: TradingCommand): Cost => {
  const { bucket, weight } = Command.weight(command)
  // What is owed is no cancel's weight, so it waits for the next message that is none.
  return { bucket, weight: bucket === "general" ? weight + connection.takeDeferred() : weight }
}
