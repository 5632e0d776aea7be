/** Cancels: one order, all with a client order id, or all of an account. */
import type { Cancel, CancelAll } from "@venue/domain/Market"
import * as Book from "./Book.ts"
import type { Emit, Market } from "./Market.ts"
import * as Participants from "./Participants.ts"
import * as Replies from "./Replies.ts"
import * as Slots from "./Slots.ts"
import { end } from "./Taker.ts"
import * as Uuid from "./Uuid.ts"

export const cancel = (market: Market, command: Cancel, canonical: boolean, emit: Emit): void => {
  const account = Participants.account(market.participants, command.accountId, command.userId)
  const found = command.byClientOrderId
    ? byClientOrderId(market, account, command.orderId)
    : byOrderId(market, account, command.orderId)
  if (found.length === 0) {
    Replies.refuse(market, command, "NO_SUCH_ORDER", Replies.echo(market, command), canonical, emit)
    return
  }
  for (const slot of found) end(market, slot, "CANCELLED", command.commandId, emit)
  Replies.done(market, command, canonical, emit)
}

/** Oldest first. */
export const cancelAll = (market: Market, command: CancelAll, canonical: boolean, emit: Emit): void => {
  const account = Participants.account(market.participants, command.accountId, command.userId)
  while (account.oldest !== 0) end(market, account.oldest, "CANCELLED", command.commandId, emit)
  Replies.done(market, command, canonical, emit)
}

function byOrderId(market: Market, account: Participants.Account, orderId: string): ReadonlyArray<number> {
  Uuid.read(orderId, market.orderWords, 0)
  const slot = Slots.find(market.slots, market.orderWords)
  return slot !== 0 && Book.accountOf(market, slot) === account ? [slot] : []
}

/** Oldest first; the index knows no order, so only where it finds several is the account's chain walked. */
function byClientOrderId(market: Market, account: Participants.Account, clientOrderId: string): ReadonlyArray<number> {
  const { slots } = market
  const found = Slots.named(slots, account.number, clientOrderId)
  if (found.length < 2) return found
  const wanted = new Set(found)
  const ordered: Array<number> = []
  for (let slot = account.oldest; slot !== 0; slot = slots.words[(slot << Slots.shift) + Slots.NEWER]!) {
    if (wanted.has(slot)) ordered.push(slot)
  }
  return ordered
}
