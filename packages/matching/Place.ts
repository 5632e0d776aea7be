/** A new order: checked, accepted, matched, and what is left of it. */
import { orderIdFrom } from "@venue/domain/OrderId"
import { largestOrder } from "@venue/domain/Instrument"
import { closingPrice } from "@venue/domain/PriceBand"
import type { Close, Place, Priced } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import { isFillable } from "./FillOrKill.ts"
import * as Book from "./Book.ts"
import * as Checks from "./Checks.ts"
import { crosses, type Events, type Market } from "./Market.ts"
import type { Account } from "./Participants.ts"
import { refuse, remember } from "./Outcome.ts"
import * as Match from "./Match.ts"
import * as StopOrder from "./StopOrder.ts"

export const place = (market: Market, account: Account, command: Place, events: Events): void => {
  const { prices } = market
  if (prices === undefined) return refuse(market, command, "REJECTED_MARKET_CLOSED", events)
  const order = asked(command, market.timeMillis)
  if (isStop(command.type)) return StopOrder.place(market, account, command, order, events)
  const status =
    Checks.shape(command.type, command.timeInForce, command.priceTicks, command.quantityLots) ??
    Checks.refusal(market, prices, account, order, 0, command)
  if (status === undefined) accept(market, prices, account, command, order, events)
  else refuse(market, command, status, events)
}

/** A close is an immediate order for the whole position, against it, at most five percent through the mark. */
export const close = (market: Market, account: Account, command: Close, events: Events): void => {
  const { instrument, prices } = market
  const { position } = account
  if (prices === undefined) return refuse(market, command, "REJECTED_MARKET_CLOSED", events)
  if (position.quantityLots === 0) return refuse(market, command, "REJECTED", events)
  const isSell = position.quantityLots > 0
  place(
    market,
    account,
    {
      ...command,
      _tag: "Place",
      side: isSell ? "SELL" : "BUY",
      type: "LIMIT",
      timeInForce: "IOC",
      priceTicks: closingPrice(instrument, prices, isSell),
      quantityLots: Math.min(Math.abs(position.quantityLots), largestOrder),
      reduceOnly: true,
      origin: "CLOSE_POSITION"
    },
    events
  )
}

function asked(command: Place, atMillis: number): Order {
  const order: Order = {
    orderId: orderIdFrom(command.commandId),
    userId: command.userId,
    accountId: command.accountId,
    side: command.side,
    type: command.type,
    timeInForce: command.timeInForce,
    priceTicks: command.type === "MARKET" ? 0 : command.priceTicks,
    quantityLots: command.quantityLots,
    remainingLots: command.quantityLots,
    reduceOnly: command.reduceOnly,
    clientOrderId: command.clientOrderId,
    origin: command.origin,
    builderCode: command.builderCode,
    modified: false,
    updatedAtMillis: atMillis
  }
  return command.bracket === undefined ? order : { ...order, bracket: command.bracket }
}

function accept(market: Market, prices: Priced, account: Account, command: Place, order: Order, events: Events): void {
  const { commandId, expiresAtMillis, leverage, makerRate, takerRate } = command
  remember(market, commandId, expiresAtMillis, account.user, "DONE")
  events.push({ _tag: "Accepted", commandId, expiresAtMillis, order, makerRate, leverage, atMillis: market.timeMillis })
  const isSell = order.side === "SELL"
  const limitTicks = order.type === "MARKET" ? worst(prices, isSell, command.priceTicks) : order.priceTicks
  const fitting = order.reduceOnly ? cut(market, account, order, events) : order
  if (!crosses(market, isSell, limitTicks)) return leave(market, account, command, fitting, events)
  const isRefused =
    order.type === "ALO" || (order.timeInForce === "FOK" && !isFillable(market, account, fitting, limitTicks))
  if (isRefused) {
    events.push({ _tag: "Ended", commandId: null, order: fitting, status: "CANCELLED", atMillis: market.timeMillis })
    return
  }
  const taker = {
    order: fitting,
    account,
    limitTicks,
    rate: takerRate,
    leverage,
    remainingLots: fitting.quantityLots
  }
  Match.cross(market, taker, events)
  const left = Match.left(market, taker, events)
  if (left !== undefined) leave(market, account, command, left, events)
}

/** A MARKET order fills no worse than the edge of the band, nor than the price that its desk sent with it. */
function worst({ lowerTicks, upperTicks }: Priced, isSell: boolean, boundTicks: number): number {
  if (boundTicks === 0) return isSell ? lowerTicks : upperTicks
  return isSell ? Math.max(lowerTicks, boundTicks) : Math.min(upperTicks, boundTicks)
}

/** A reduce-only order of more than the position is accepted as asked and at once cut to what it may reduce. */
function cut(market: Market, account: Account, order: Order, events: Events): Order {
  const lots = Checks.reducible(market, account, order, 0)
  if (lots >= order.quantityLots) return order
  const fitting = Book.modified(order, order.priceTicks, lots, market.timeMillis)
  events.push({ _tag: "Modified", commandId: null, order: fitting, requeued: false, atMillis: market.timeMillis })
  return fitting
}

/** What did not trade rests, or ends. */
function leave(market: Market, account: Account, terms: Place, order: Order, events: Events): void {
  if (order.timeInForce === "GTC") Book.add(market, account, order, terms)
  else Match.lapse(market, order, events)
}
