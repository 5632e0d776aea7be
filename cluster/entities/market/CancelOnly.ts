/** Commands for a market in fault mode, which ignores prices and time and executes only risk-reducing commands. */
import { noEcho } from "@venue/domain/Echo"
import type { MarketCommand, Refuse, TraderCommand } from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"

/** Returns the commands to execute in place of this one. */
export function instead(command: MarketCommand): ReadonlyArray<MarketCommand> {
  switch (command._tag) {
    case "Tick":
    case "Observe":
    case "PauseSources":
    case "CloseTakeovers":
      return []
    case "Place":
    case "PlaceSlice":
    case "Modify":
    case "Close":
      return [refusal(command, "REJECTED_MARKET_CLOSED")]
    case "Liquidate":
    case "OpenTakeover":
      return [cancelAll(command)]
    default:
      return [command]
  }
}

/** Returns the refusal to record for a command that is not executed. */
export function refusal(command: TraderCommand, status: OrderRefusal): Refuse {
  const { accountId, commandId, expiresAtMillis, traderEpoch, userId } = command
  return {
    _tag: "Refuse",
    commandId,
    expiresAtMillis,
    traderEpoch,
    userId,
    accountId,
    status,
    echo: "clientOrderId" in command ? { ...noEcho, clientOrderId: command.clientOrderId } : noEcho
  }
}

/** Reduces a liquidation to cancelling the account's orders, because the current price's age is unknown (I29). */
function cancelAll({ accountId, commandId, expiresAtMillis, traderEpoch, userId }: TraderCommand): MarketCommand {
  return { _tag: "CancelAll", commandId, expiresAtMillis, traderEpoch, userId, accountId, cause: "LIQUIDATION" }
}
