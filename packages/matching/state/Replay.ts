/** Replay of recorded events, which produces the same state as the original decisions. */
import type { Id } from "@venue/domain/Id"
import type { Accepted, MarketEvent, Modified, Traded } from "@venue/domain/Market"
import { isStop, type StopPlaced } from "@venue/domain/Stop"
import type { Order } from "@venue/domain/Order"
import type { TwapAdvanced, TwapClosed, TwapOpened } from "@venue/domain/Twap"
import type { Outcome } from "@venue/domain/Reject"
import type { UserId } from "@venue/domain/UserId"
import * as Book from "../book/Book.ts"
import * as Builders from "../orders/Builders.ts"
import * as Dividend from "../lifecycle/Dividend.ts"
import * as Funding from "../prices/Funding.ts"
import * as Holders from "./Holders.ts"
import * as Liquidation from "../risk/Liquidation.ts"
import { type Market, stopMarkE8 } from "../Market.ts"
import * as Limits from "../lifecycle/Limits.ts"
import * as Participants from "./Participants.ts"
import { remember } from "../orders/Outcome.ts"
import * as OrderPool from "../book/OrderPool.ts"
import { bookTrade } from "../orders/Match.ts"
import * as Pricing from "../prices/Pricing.ts"
import * as ReserveFund from "../risk/ReserveFund.ts"
import * as Twaps from "../stops/Twaps.ts"
import * as Settlement from "../lifecycle/Settlement.ts"
import * as Split from "../lifecycle/Split.ts"
import * as Stops from "../stops/Stops.ts"
import * as Takeovers from "../risk/Takeovers.ts"
import * as TradingState from "../lifecycle/TradingState.ts"

/**
 * Applies an event. An order that can rest enters the book when it is accepted, and its trades are deducted
 * afterwards; meanwhile the book might be crossed. No other event can come in between, so the order gets the same
 * place in its queue.
 */
export const apply = (market: Market, event: MarketEvent): void => {
  market.timeMillis = event.atMillis
  switch (event._tag) {
    case "Accepted":
      return accepted(market, event)
    case "Refused":
      return recorded(market, event, event.status)
    case "Done":
      return recorded(market, event, "DONE")
    case "Traded":
      return traded(market, event)
    case "Modified":
      return modified(market, event)
    case "Ended":
      return ended(market, event.order)
    case "Priced":
      return Pricing.apply(market, event)
    case "TradingStateChanged":
      return TradingState.apply(market, event)
    case "ContractSplit":
      return Split.apply(market, event)
    case "LimitsSet":
      return Limits.apply(market, event)
    case "HoldersCounted":
      return Holders.apply(market, event)
    case "SettlementBegan":
      return Settlement.apply(market, event.priceTicks)
    case "StopPlaced":
      return stopPlaced(market, event)
    case "Triggered":
      return Stops.remove(market.stops, Stops.find(market.stops, event.order.orderId)!)
    case "EpochRaised":
      Participants.user(market.participants, event.userId).epoch = event.traderEpoch
      return
    case "DividendPaid":
      return Dividend.apply(market, event)
    case "BuilderIntroduced":
      return Builders.apply(market, event)
    case "TakeoverOpened":
    case "TakeoverClosed":
      return Takeovers.apply(market, event)
    case "FundToppedUp":
      return ReserveFund.apply(market, event)
    case "TwapOpened":
    case "TwapAdvanced":
    case "TwapClosed":
      return twap(market, event)
    case "Sampled":
    case "Funded":
      return Funding.apply(market, event)
  }
}

function accepted(market: Market, event: Accepted): void {
  const { commandId, expiresAtMillis, order } = event
  const account = accountOf(market, order)
  remember(market, commandId, expiresAtMillis, account.user, "DONE")
  if (order.timeInForce === "GTC") Book.add(market, account, order, event)
}

function recorded(
  market: Market,
  { commandId, expiresAtMillis, userId }: { commandId: Id; expiresAtMillis: number; userId: UserId },
  outcome: Outcome
): void {
  const user = Participants.user(market.participants, userId)
  remember(market, commandId, expiresAtMillis, user, outcome)
}

function traded(market: Market, { maker, notional, number, offBook, priceTicks, quantityLots, taker }: Traded): void {
  filled(market, maker.order, quantityLots)
  filled(market, taker.order, quantityLots)
  bookTrade(
    market,
    accountOf(market, maker.order),
    accountOf(market, taker.order),
    taker.order.side === "SELL",
    quantityLots,
    notional,
    maker.fee,
    taker.fee
  )
  if (offBook === undefined && taker.order.origin === "LIQUIDATION") Liquidation.count(market, notional)
  if (offBook !== undefined) Participants.reserve(market.participants, maker.fee + taker.fee)
  Builders.bookReward(market, maker.reward)
  Builders.bookReward(market, taker.reward)
  if (offBook === undefined) market.lastPriceTicks = priceTicks
  market.trades = number
}

/** A taker that is not allowed to rest is not in the book. */
function filled(market: Market, order: Order, lots: number): void {
  const slot = find(market, order)
  if (slot === 0) return
  Book.shrink(market, slot, lots)
  OrderPool.setUpdatedAt(market.pool, slot, order.updatedAtMillis)
  if (order.remainingLots === 0) Book.remove(market, slot)
}

function modified(market: Market, { order, requeued }: Modified): void {
  if (isStop(order.type)) return stopModified(market, order, requeued)
  const slot = find(market, order)
  if (slot !== 0) Book.change(market, slot, order, requeued)
}

function ended(market: Market, order: Order): void {
  if (isStop(order.type)) return Stops.remove(market.stops, Stops.find(market.stops, order.orderId)!)
  const slot = find(market, order)
  if (slot !== 0) Book.remove(market, slot)
}

function twap(market: Market, event: TwapOpened | TwapAdvanced | TwapClosed): void {
  Twaps.apply(market.twaps, event)
  if (event._tag !== "TwapOpened") return
  const { commandId, expiresAtMillis, twap } = event
  remember(
    market,
    commandId,
    expiresAtMillis,
    Participants.account(market.participants, twap.accountId, twap.userId).user,
    "DONE"
  )
}

function stopPlaced(market: Market, event: StopPlaced): void {
  const { commandId, expiresAtMillis, order } = event
  const account = accountOf(market, order)
  if (commandId !== null) remember(market, commandId, expiresAtMillis, account.user, "DONE")
  Stops.add(market.stops, account, order, event, stopMarkE8(market))
}

function stopModified(market: Market, order: Order, requeued: boolean): void {
  const { stops } = market
  Stops.change(stops, Stops.find(stops, order.orderId)!, order, requeued, stopMarkE8(market))
}

function find(market: Market, order: Order): number {
  return OrderPool.find(market.pool, order.orderId)
}

function accountOf({ participants }: Market, { accountId, userId }: Order): Participants.Account {
  return Participants.account(participants, accountId, userId)
}
