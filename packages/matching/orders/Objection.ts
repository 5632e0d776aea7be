/** Refusals that do not depend on the kind of command, but on account, time and market state. */
import type { OrderRefusal } from "@venue/domain/Reject"
import type { Market } from "../Market.ts"
import type { Obeyed } from "./Outcome.ts"
import type { Account } from "../state/Participants.ts"
import * as TradingState from "../lifecycle/TradingState.ts"

/** Returns true for a command from a trader's former owner. The new owner sends it again, so it is dropped. */
export const isOutdated = (
  { participants }: Market,
  known: Account | undefined,
  { traderEpoch, userId }: Obeyed
): boolean => {
  const user = known?.user.userId === userId ? known.user : participants.usersById.get(userId)
  return user !== undefined && traderEpoch < user.epoch
}

/** Returns the refusal of a command because of its account, time or trading state, or undefined. */
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

/** Returns true for commands that a frozen account must not send (rule 9.9). Cancels and `Refuse` are allowed. */
function isHeldBack({ _tag }: Obeyed): boolean {
  return _tag === "Place" || _tag === "Modify" || _tag === "Close"
}
