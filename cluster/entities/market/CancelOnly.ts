/** What a market does that can no longer take prices and time in: only what takes risk away. */
import { noEcho } from "@venue/domain/Echo"
import type { MarketCommand, Refuse, TraderCommand } from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"

/** The commands that are carried out instead of this one. */
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
      return [orders(command)]
    default:
      return [command]
  }
}

/** The recorded answer to a command that is not carried out. */
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

/** Of a liquidation only the orders end: the price that stands is older than anybody can tell (I29). */
function orders({ accountId, commandId, expiresAtMillis, traderEpoch, userId }: TraderCommand): MarketCommand {
  return { _tag: "CancelAll", commandId, expiresAtMillis, traderEpoch, userId, accountId, cause: "LIQUIDATION" }
}
