/** Brackets: stops attached to an order. The order's fills create the stops and increase their quantity (rule 15.8). */
import { version4 } from "@venue/domain/Id"
import type { Bracket, Order, OrderType } from "@venue/domain/Order"
import { type OrderId, orderIdFrom } from "@venue/domain/OrderId"
import { heldAgainst } from "../orders/Checks.ts"
import type { Events, Market } from "../Market.ts"
import type { Account } from "../state/Participants.ts"
import * as StopOrder from "./StopOrder.ts"
import * as Stops from "./Stops.ts"

/** Creates or enlarges an order's stops after a fill. A stop that could close no lot is not created. */
export const grow = (
  market: Market,
  account: Account,
  order: Order,
  bracket: Bracket,
  lots: number,
  leverage: number,
  events: Events
): void => {
  const held = heldAgainst(account, order.side === "BUY")
  if (held <= 0) return
  const filled = Math.min(lots, held)
  const { stopLossTicks, takeProfitTicks } = bracket
  if (takeProfitTicks > 0)
    attach(market, account, order, "TAKE_PROFIT", takeProfitTicks, filled, held, leverage, events)
  if (stopLossTicks > 0) attach(market, account, order, "STOP_LOSS", stopLossTicks, filled, held, leverage, events)
}

function attach(
  market: Market,
  account: Account,
  parent: Order,
  type: OrderType,
  priceTicks: number,
  lots: number,
  held: number,
  leverage: number,
  events: Events
): void {
  const known = Stops.ofAccount(market.stops, account).find(
    (stop) => stop.order.type === type && stop.parentId?.text === parent.orderId.text
  )
  if (known !== undefined)
    return StopOrder.resize(market, known, Math.min(known.order.remainingLots + lots, held), events)
  const order: Order = {
    orderId: childOf(parent.orderId, type, market.trades),
    userId: parent.userId,
    accountId: parent.accountId,
    side: parent.side === "BUY" ? "SELL" : "BUY",
    type,
    timeInForce: "GTC",
    priceTicks,
    quantityLots: lots,
    remainingLots: lots,
    reduceOnly: true,
    clientOrderId: parent.clientOrderId,
    origin: parent.origin,
    builderCode: parent.builderCode,
    modified: false,
    updatedAtMillis: market.timeMillis
  }
  const terms = { takerRate: parent.bracket!.takerRate, leverage, parentId: parent.orderId }
  StopOrder.open(market, account, order, terms, null, 0, events)
}

/**
 * Derives a stop's id from its parent order and the trade that created the stop, so that no two stops share an id.
 * Fills after the stops have ended create new stops.
 */
function childOf({ a, b, c, d }: OrderId, type: OrderType, tradeNumber: number): OrderId {
  const turned = type === "TAKE_PROFIT" ? 0x2545f491 : 0x1b873593
  return orderIdFrom(version4(a ^ turned, b ^ Math.imul(turned, 0x85ebca6b), c ^ turned, d ^ (tradeNumber | 0)))
}
