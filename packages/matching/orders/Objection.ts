/** Why a command comes to nothing, whatever it asks for: whose it is, when it came, and what its market lets in. */
import type { OrderRefusal } from "@venue/domain/Reject"
import type { Market } from "../Market.ts"
import type { Obeyed } from "./Outcome.ts"
import type { Account } from "../state/Participants.ts"
import * as TradingState from "../lifecycle/TradingState.ts"

/** It comes from a former owner of its trader, and is dropped without an outcome: the new owner sends the same again. */
export const isOutdated = (
  { participants }: Market,
  known: Account | undefined,
  { traderEpoch, userId }: Obeyed
): boolean => {
  const user = known?.user.userId === userId ? known.user : participants.usersById.get(userId)
  return user !== undefined && traderEpoch < user.epoch
}

/** The account is the one that the command names. */
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

/** Of a frozen account only cancels are let in, and what its desk has refused (rule 9.9). */
function isHeldBack({ _tag }: Obeyed): boolean {
  return _tag === "Place" || _tag === "Modify" || _tag === "Close"
}
