/** Cancels: one order, all with a client order id, or all of an account. */
import type { Cancel, CancelAll } from "@venue/domain/Market"
import * as Book from "./Book.ts"
import type { Facts, Market } from "./Market.ts"
import type { Account } from "./Participants.ts"
import * as Replies from "./Replies.ts"
import * as Slots from "./Slots.ts"
import { end } from "./Taker.ts"

export const cancel = (market: Market, account: Account, command: Cancel, canonical: boolean, facts: Facts): void => {
  const found = command.byClientOrderId
    ? endNamed(market, account, command, facts)
    : endOne(market, account, command, facts)
  if (found) Replies.done(market, command, account.user, canonical, facts)
  else Replies.refuse(market, command, "NO_SUCH_ORDER", canonical, facts)
}

/** Oldest first. */
export const cancelAll = (
  market: Market,
  account: Account,
  command: CancelAll,
  canonical: boolean,
  facts: Facts
): void => {
  while (account.oldest !== 0) end(market, account.oldest, "CANCELLED", command.commandId, facts)
  Replies.done(market, command, account.user, canonical, facts)
}

function endOne(market: Market, account: Account, { commandId, orderId }: Cancel, facts: Facts): boolean {
  const slot = Slots.find(market.slots, market.orderWords)
  if (slot === 0 || Book.accountOf(market, slot) !== account) return false
  end(market, slot, "CANCELLED", commandId, facts, Book.order(market, slot, orderId))
  return true
}

function endNamed(market: Market, account: Account, { commandId, orderId }: Cancel, facts: Facts): boolean {
  let ended = false
  for (const slot of Book.named(market, account, orderId)) {
    end(market, slot, "CANCELLED", commandId, facts)
    ended = true
  }
  return ended
}
