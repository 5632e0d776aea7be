/** Refusals that do not depend on the kind of command: by account, by time and by market state. */
import type { OrderRefusal } from "@venue/domain/Reject"
import type { Market } from "../Market.ts"
import type { Obeyed } from "./Outcome.ts"
import type { Account } from "../state/Participants.ts"
import * as TradingState from "../lifecycle/TradingState.ts"

/**
 * Returns true for a command from a former owner of the trader. Such a command is dropped without an outcome, because
 * the new owner sends it again.
 */
export const isOutdated = (
  { participants }: Market,
  known: Account | undefined,
  { traderEpoch, userId }: Obeyed
): boolean => {
  const user = known?.user.userId === userId ? known.user : participants.usersById.get(userId)
  return user !== undefined && traderEpoch < user.epoch
}

/** Returns the refusal of a command for its account, if any. */
export const objection = (
  { tradingState }: Market,
  { isFrozen, user }: Account,
  command: Obeyed,
  atMillis: number
): "EXPIRED" | OrderRefusal | undefined => {
  if (user.userId !== command.userId) return "REJECTED_FAILED_TO_PROCESS"
  if (atMillis > command.expiresAtMillis) return "EXPIRED"
  const shut = TradingState.refusalOf(tradingState, command)
  if (shut !== undefined) return shut
  return isFrozen && isHeldBack(command) ? "USER_IN_LIQUIDATION" : undefined
}

/**
 * Returns true for commands that a frozen account may not send (rule 9.9). A frozen account may only cancel, but
 * commands that its desk has already refused pass.
 */
function isHeldBack({ _tag }: Obeyed): boolean {
  return _tag === "Place" || _tag === "Modify" || _tag === "Close"
}
