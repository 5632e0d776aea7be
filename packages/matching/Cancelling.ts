/** Cancels: one order, all with a client order id, or all of an account. */
import type { Cancel, CancelAll } from "@venue/domain/Market"
import * as Book from "./Book.ts"
import type { Emit, Market } from "./Market.ts"
import type { Account } from "./Participants.ts"
import * as Replies from "./Replies.ts"
import * as Slots from "./Slots.ts"
import { end } from "./Taker.ts"

export const cancel = (market: Market, account: Account, command: Cancel, canonical: boolean, emit: Emit): void => {
  const found = command.byClientOrderId
    ? endNamed(market, account, command, emit)
    : endOne(market, account, command, emit)
  if (found) Replies.done(market, command, account.user, canonical, emit)
  else Replies.refuse(market, command, "NO_SUCH_ORDER", canonical, emit)
}

/** Oldest first. */
export const cancelAll = (
  market: Market,
  account: Account,
  command: CancelAll,
  canonical: boolean,
  emit: Emit
): void => {
  while (account.oldest !== 0) end(market, account.oldest, "CANCELLED", command.commandId, emit)
  Replies.done(market, command, account.user, canonical, emit)
}

function endOne(market: Market, account: Account, { commandId, orderId }: Cancel, emit: Emit): boolean {
  const slot = Slots.find(market.slots, market.orderWords)
  if (slot === 0 || Book.accountOf(market, slot) !== account) return false
  end(market, slot, "CANCELLED", commandId, emit, Book.order(market, slot, orderId))
  return true
}

function endNamed(market: Market, account: Account, { commandId, orderId }: Cancel, emit: Emit): boolean {
  let ended = false
  for (const slot of Book.named(market, account, orderId)) {
    end(market, slot, "CANCELLED", commandId, emit)
    ended = true
  }
  return ended
}
