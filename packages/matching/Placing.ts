/** A new order: checked, accepted, matched, and what is left of it. */
import * as PriceBand from "@venue/domain/PriceBand"
import type { Close, Place, Priced } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { isFillable } from "./Available.ts"
import * as Book from "./Book.ts"
import * as Checks from "./Checks.ts"
import { crosses, type Emit, type Market } from "./Market.ts"
import type { Account } from "./Participants.ts"
import * as Replies from "./Replies.ts"
import * as Taker from "./Taker.ts"

export const place = (market: Market, account: Account, command: Place, canonical: boolean, emit: Emit): void => {
  const { prices } = market
  if (prices === undefined) return Replies.refuse(market, command, "REJECTED_MARKET_CLOSED", canonical, emit)
  const proposal = propose(account, command)
  const status = Checks.shape(command.type, command.timeInForce, command.price, command.quantity) ??
    Checks.refusal(market, prices, proposal)
  if (status === undefined) accept(market, prices, command, proposal, canonical, emit)
  else Replies.refuse(market, command, status, canonical, emit)
}

/** An immediate order for the whole position, against it, at most five percent through the mark. */
export const close = (market: Market, account: Account, command: Close, canonical: boolean, emit: Emit): void => {
  const { instrument, prices } = market
  const { position } = account
  if (prices === undefined) return Replies.refuse(market, command, "REJECTED_MARKET_CLOSED", canonical, emit)
  if (position.quantity === 0) return Replies.refuse(market, command, "REJECTED", canonical, emit)
  const isSell = position.quantity > 0
  const through = PriceBand.closePrice(instrument, prices.mark)
  place(
    market,
    account,
    {
      ...command,
      _tag: "Place",
      side: isSell ? "SELL" : "BUY",
      type: "LIMIT",
      timeInForce: "IOC",
      price: isSell
        ? Math.max(through.lower, prices.lower, prices.minPrice)
        : Math.min(through.upper, prices.upper, prices.maxPrice),
      quantity: Math.min(Math.abs(position.quantity), largestOrder),
      reduceOnly: true,
      origin: "CLOSE_POSITION"
    },
    canonical,
    emit
  )
}

/** Lots of one order fit 31 bits; a larger position takes two closes. */
const largestOrder = 0x7ffffffe

function propose(account: Account, command: Place): Checks.Proposal {
  return {
    account,
    isSell: command.side === "SELL",
    isMarket: command.type === "MARKET",
    reduceOnly: command.reduceOnly,
    price: command.price,
    quantity: command.quantity,
    replaced: 0,
    isNew: true,
    mayRest: command.timeInForce === "GTC",
    maxNotional: command.maxNotional,
    finding: command.finding
  }
}

function accept(
  market: Market,
  prices: Priced,
  command: Place,
  proposal: Checks.Proposal,
  canonical: boolean,
  emit: Emit
): void {
  const order: Order = {
    orderId: command.commandId,
    userId: command.userId,
    accountId: command.accountId,
    side: command.side,
    type: command.type,
    timeInForce: command.timeInForce,
    price: proposal.isMarket ? 0 : command.price,
    quantity: command.quantity,
    remaining: command.quantity,
    reduceOnly: command.reduceOnly,
    clientOrderId: command.clientOrderId,
    origin: command.origin,
    builderCode: command.builderCode,
    placedAtMillis: market.timeMillis
  }
  Replies.remember(market, command.commandId, command.expiresAtMillis, proposal.account.user, "DONE", canonical)
  emit({
    _tag: "Accepted",
    commandId: command.commandId,
    expiresAtMillis: command.expiresAtMillis,
    order,
    makerRate: command.makerRate,
    atMillis: market.timeMillis
  })
  const limit = !proposal.isMarket ? command.price : proposal.isSell ? prices.lower : prices.upper
  const fitting = cut(market, order, proposal, emit)
  if (!crosses(market, proposal.isSell, limit)) return leave(market, command, fitting, canonical, emit)
  const refused = command.type === "ALO" || command.timeInForce === "FOK" &&
      !isFillable(market, proposal.account.user, proposal.isSell, limit, fitting.quantity)
  if (refused) return ended(market, fitting, "CANCELLED", emit)
  const taker: Taker.Taker = {
    order: fitting,
    account: proposal.account,
    slot: 0,
    limit,
    rate: command.takerRate,
    remaining: fitting.quantity
  }
  Taker.match(market, taker, emit)
  if (taker.remaining > 0) leave(market, command, Taker.unfilled(taker), canonical, emit)
}

/** A reduce-only order of more than the position is accepted as asked and at once cut to what it may reduce. */
function cut(market: Market, order: Order, proposal: Checks.Proposal, emit: Emit): Order {
  if (!order.reduceOnly) return order
  const lots = Checks.reducible(proposal)
  if (lots >= order.quantity) return order
  const fitting = Book.withNumbers(order, order.price, lots, lots)
  emit({ _tag: "Modified", commandId: "", order: fitting, requeued: false, atMillis: market.timeMillis })
  return fitting
}

/** What did not trade rests, or ends. */
function leave(market: Market, { makerRate }: Place, order: Order, canonical: boolean, emit: Emit): void {
  if (order.timeInForce === "GTC") Book.add(market, order, makerRate, market.commandWords, canonical)
  else if (order.timeInForce === "FOK") ended(market, order, "CANCELLED", emit)
  else ended(market, order, order.remaining < order.quantity ? "IOC_PARTIALLY_FILLED" : "IOC_CANCELLED", emit)
}

function ended(market: Market, order: Order, status: "CANCELLED" | "IOC_CANCELLED" | "IOC_PARTIALLY_FILLED", emit: Emit): void {
  emit({ _tag: "Ended", commandId: "", order, status, atMillis: market.timeMillis })
}
