/**
 * Placement of a new order: checks, acceptance, matching, and the unfilled quantity. `Preview` skips the acceptance.
 */
import { orderIdFrom } from "@venue/domain/OrderId"
import { largestOrder } from "@venue/domain/Instrument"
import { clipped, closingPrice } from "@venue/domain/PriceBand"
import type { Close, Place, Priced } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import { isStop } from "@venue/domain/Stop"
import { isFillable } from "./FillOrKill.ts"
import * as Book from "../book/Book.ts"
import * as Checks from "./Checks.ts"
import { crosses, type Events, type Market } from "../Market.ts"
import type { Account } from "../state/Participants.ts"
import { refuse, remember } from "./Outcome.ts"
import * as Match from "./Match.ts"
import * as StopOrder from "../stops/StopOrder.ts"

export const place = (market: Market, account: Account, command: Place, events: Events): void => {
  const { prices } = market
  if (prices === undefined) return refuse(market, command, "REJECTED_MARKET_CLOSED", events)
  const order = orderFor(command, prices, market.timeMillis)
  const status = refusal(market, prices, account, command, order)
  if (status !== undefined) return refuse(market, command, status, events)
  if (isStop(command.type)) StopOrder.place(market, account, command, order, events)
  else accept(market, prices, account, command, order, events)
}

export const close = (market: Market, account: Account, command: Close, events: Events): void => {
  const { prices } = market
  if (prices === undefined) return refuse(market, command, "REJECTED_MARKET_CLOSED", events)
  if (account.position.quantityLots === 0) return refuse(market, command, "REJECTED", events)
  place(market, account, closing(market, prices, account, command), events)
}

/** Returns the order that closes a position: immediate, for the whole position, at most 5 % through the mark. */
export const closing = (
  { instrument }: Market,
  prices: Priced,
  { position: { quantityLots } }: Account,
  command: Close
): Place => ({
  ...command,
  _tag: "Place",
  side: quantityLots > 0 ? "SELL" : "BUY",
  type: "LIMIT",
  timeInForce: "IOC",
  priceTicks: closingPrice(instrument, prices, quantityLots > 0),
  quantityLots: Math.min(Math.abs(quantityLots), largestOrder),
  reduceOnly: true,
  origin: "CLOSE_POSITION"
})

/** Returns the refusal of a new order at this moment, or undefined if the order would be accepted. */
export const refusal = (
  market: Market,
  prices: Priced,
  account: Account,
  command: Place,
  order: Order
): OrderRefusal | undefined =>
  isStop(order.type)
    ? StopOrder.refusal(market, account, order)
    : (Checks.shape(order.type, order.timeInForce, command.priceTicks, order.quantityLots) ??
      Checks.refusal(market, prices, account, order, 0, command))

/** Returns the order that a command describes at this moment. */
export function orderFor(command: Place, prices: Priced, atMillis: number): Order {
  const order: Order = {
    orderId: orderIdFrom(command.commandId),
    userId: command.userId,
    accountId: command.accountId,
    side: command.side,
    type: command.type,
    timeInForce: command.timeInForce,
    priceTicks: command.type === "MARKET" ? 0 : worst(prices, command),
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
  const { commandId, expiresAtMillis, leverage, makerRate } = command
  remember(market, commandId, expiresAtMillis, account.user, "DONE")
  events.push({ _tag: "Accepted", commandId, expiresAtMillis, order, makerRate, leverage, atMillis: market.timeMillis })
  const resting = meet(market, worst(prices, command), account, command, order, events)
  if (resting !== undefined) Book.add(market, account, resting, command)
}

/**
 * Matches an accepted order at the given price or better. Returns the unfilled part if it can rest, otherwise ends
 * it.
 */
export const meet = (
  market: Market,
  limitTicks: number,
  account: Account,
  { leverage, takerRate }: Place,
  order: Order,
  events: Events
): Order | undefined => {
  const fitting = order.reduceOnly ? cut(market, account, order, events) : order
  if (!crosses(market, order.side === "SELL", limitTicks)) return left(market, fitting, events)
  const isRefused =
    order.type === "ALO" || (order.timeInForce === "FOK" && !isFillable(market, account, fitting, limitTicks))
  if (isRefused) {
    events.push({ _tag: "Ended", commandId: null, order: fitting, status: "CANCELLED", atMillis: market.timeMillis })
    return undefined
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
  const remainder = Match.left(market, taker, events)
  return remainder === undefined ? undefined : left(market, remainder, events)
}

/**
 * Returns an order's worst acceptable price. For a MARKET order, this is the edge of the price band or the price that
 * the desk sent. A TWAP child's price is limited to the band and daily bounds, which might have moved since the desk
 * sent the order (rule 16.5).
 */
export const worst = (
  prices: Priced,
  { origin, priceTicks, side, type }: Pick<Place, "origin" | "priceTicks" | "side" | "type">
): number => {
  if (type === "LIMIT" && origin === "TWAP") return clipped(prices, side === "SELL", priceTicks)
  if (type !== "MARKET") return priceTicks
  const { lowerTicks, upperTicks } = prices
  if (priceTicks === 0) return side === "SELL" ? lowerTicks : upperTicks
  return side === "SELL" ? Math.max(lowerTicks, priceTicks) : Math.min(upperTicks, priceTicks)
}

/** Cuts a reduce-only order that is larger than the position. The order is first accepted as sent, then cut. */
function cut(market: Market, account: Account, order: Order, events: Events): Order {
  const lots = Checks.reducible(market, account, order, 0)
  if (lots >= order.quantityLots) return order
  const fitting = Book.modified(order, order.priceTicks, lots, market.timeMillis)
  events.push({ _tag: "Modified", commandId: null, order: fitting, requeued: false, atMillis: market.timeMillis })
  return fitting
}

function left(market: Market, order: Order, events: Events): Order | undefined {
  if (order.timeInForce === "GTC") return order
  Match.lapse(market, order, events)
  return undefined
}
