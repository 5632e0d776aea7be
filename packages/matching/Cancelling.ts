/** Cancels: one order, all with a client order id, or all of an account. */
import type { Cancel, CancelAll } from "@venue/domain/Market"
import * as Book from "./Book.ts"
import type { Emit, Market } from "./Market.ts"
import type { Account } from "./Participants.ts"
import * as Replies from "./Replies.ts"
import * as Slots from "./Slots.ts"
import { end } from "./Taker.ts"
import * as Uuid from "./Uuid.ts"

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
  Uuid.read(orderId, market.orderWords)
  const slot = Slots.find(market.slots, market.orderWords)
  if (slot === 0 || Book.accountOf(market, slot) !== account) return false
  end(market, slot, "CANCELLED", commandId, emit, Book.order(market, slot, orderId))
  return true
}

/** Oldest first; the index knows no order, so where it finds several the account's chain is walked. */
function endNamed(market: Market, account: Account, { commandId, orderId }: Cancel, emit: Emit): boolean {
  const { slots } = market
  const found = Slots.named(slots, account.number, orderId)
  if (found.length > 1) {
    const wanted = new Set(found.splice(0))
    for (let slot = account.oldest; slot !== 0; slot = slots.words[slot + Slots.NEWER]!) {
      if (wanted.has(slot)) found.push(slot)
    }
  }
  for (const slot of found) end(market, slot, "CANCELLED", commandId, emit)
  return found.length > 0
}
