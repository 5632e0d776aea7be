/** A part of a position is offered on the book, to bring its account back above the maintenance margin (rule 9). */
import type { DecidedOn, Liquidate } from "@venue/domain/Liquidation"
import * as Position from "@venue/domain/Position"
import { endAll } from "./Cancel.ts"
import type { Events, Market } from "./Market.ts"
import { done } from "./Outcome.ts"
import type { Account } from "./Participants.ts"
import { isFresh } from "./Pricing.ts"

/** The account's orders end either way; where the position is another by now, or its price, nothing else happens. */
export const liquidate = (market: Market, account: Account, command: Liquidate, events: Events): void => {
  endAll(market, account, command.commandId, events)
  return done(market, command, account.user, events)
}

/** Says whether the desk would decide the same again: nothing moved, and the price may be traded on (I29). */
export const isAsDecided = (market: Market, { isFrozen, position }: Account, decidedOn: DecidedOn): boolean => {
  const { prices } = market
  return (
    !isFrozen &&
    position.quantityLots !== 0 &&
    prices !== undefined &&
    prices.markE8 === decidedOn.markE8 &&
    isFresh(market, prices) &&
    Position.isSame(position, decidedOn.position)
  )
}
