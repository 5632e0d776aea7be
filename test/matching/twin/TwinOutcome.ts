/** Outcomes of commands as the twin records them. */
import { noEcho } from "@venue/domain/Echo"
import type { MarketEvent, TraderCommand } from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"
import type { Emit } from "./TwinMatch.ts"
import { clientOrderIdOf, type Twin } from "./TwinState.ts"

export function done(
  twin: Twin,
  { accountId, commandId, expiresAtMillis, userId }: TraderCommand,
  emit: Emit
): undefined {
  emit({ _tag: "Done", commandId, expiresAtMillis, userId, accountId, atMillis: twin.timeMillis })
}

export function refused(twin: Twin, command: TraderCommand, status: "EXPIRED" | OrderRefusal): MarketEvent {
  const { accountId, commandId, expiresAtMillis, userId } = command
  const echo = { ...noEcho, clientOrderId: clientOrderIdOf(twin, command) }
  return { _tag: "Refused", commandId, expiresAtMillis, userId, accountId, status, echo, atMillis: twin.timeMillis }
}
