/**
 * Commands for a market in fault mode. In this mode, the market ignores prices and time and executes only commands
 * that reduce risk.
 */
import { noEcho } from "@venue/domain/Echo"
import type { MarketCommand, Refuse, TraderCommand } from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"

/** Returns the commands that are executed in place of this one. */
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

/** Returns the refusal that is recorded for a command that is not executed. */
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

/**
 * Reduces a liquidation to the cancel of the account's orders, because the age of the current price is unknown (I29).
 */
function cancelAll({ accountId, commandId, expiresAtMillis, traderEpoch, userId }: TraderCommand): MarketCommand {
  return { _tag: "CancelAll", commandId, expiresAtMillis, traderEpoch, userId, accountId, cause: "LIQUIDATION" }
}
