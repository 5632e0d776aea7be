/** Cancels: one order, all with a client order id, or all of an account. */
import type { Id } from "@venue/domain/Id"
import type { Cancel, CancelAll } from "@venue/domain/Market"
import * as Book from "./Book.ts"
import type { Facts, Market } from "./Market.ts"
import type { Account } from "./Participants.ts"
import * as Replies from "./Replies.ts"
import * as Slots from "./Slots.ts"
import { end } from "./Taker.ts"

export const cancel = (market: Market, account: Account, command: Cancel, facts: Facts): void => {
  const { clientOrderId, commandId, orderId } = command
  const found =
    orderId === null
      ? endNamed(market, account, clientOrderId, commandId, facts)
      : endOne(market, account, orderId, commandId, facts)
  if (found) Replies.done(market, command, account.user, facts)
  else Replies.refuse(market, command, "NO_SUCH_ORDER", facts)
}

/** Oldest first. */
export const cancelAll = (market: Market, account: Account, command: CancelAll, facts: Facts): void => {
  while (account.oldest !== 0) end(market, account.oldest, "CANCELLED", command.commandId, facts)
  Replies.done(market, command, account.user, facts)
}

function endOne(market: Market, account: Account, orderId: Id, commandId: Id, facts: Facts): boolean {
  const slot = Slots.find(market.slots, orderId)
  if (slot === 0 || Book.accountOf(market, slot) !== account) return false
  end(market, slot, "CANCELLED", commandId, facts, Book.order(market, slot, orderId))
  return true
}

function endNamed(market: Market, account: Account, clientOrderId: string, commandId: Id, facts: Facts): boolean {
  let ended = false
  for (const slot of Book.named(market, account, clientOrderId)) {
    end(market, slot, "CANCELLED", commandId, facts)
    ended = true
  }
  return ended
}
