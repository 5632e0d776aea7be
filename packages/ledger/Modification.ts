/** Converts a request to modify an order or a stop to a command for its market. */
import type { Modify, TraderCommand } from "@venue/domain/Market"
import { lotsOf, ticksOf } from "@venue/domain/Instrument"
import type { ModifyOrder, Order } from "@venue/domain/Order"
import { parseOrderId } from "@venue/domain/OrderId"
import { type Account, refresh } from "./Account.ts"
import { type Entry, envelope, inLiquidation, refuse, refuseFlaw, terms } from "./Envelope.ts"
import { coversSide, type Exposure } from "./Exposure.ts"
import * as MarginCheck from "./MarginCheck.ts"
import type * as OrderHold from "./OrderHold.ts"
import { priceFlaw, quantityFlaw, stopQuantityFlaw, triggerFlaw } from "./OrderShape.ts"

/** Returns the command. A refusal reports a flaw of the request only if the order can be modified at all. */
export const modify = (entry: Entry, request: ModifyOrder, account: Account, exposure: Exposure): TraderCommand => {
  const { instrument } = exposure
  const { reduceOnly, side, type } = request
  const orderId = parseOrderId(request.orderId)
  if (orderId === undefined) return refuse(entry, "CANNOT_MODIFY_NO_SUCH_ORDER")
  const stop = exposure.stops.get(request.orderId)
  if (stop !== undefined) return modifyStop(entry, request, exposure, stop.order)
  const hold = exposure.holds.get(request.orderId)
  const lots = lotsOf(instrument, request.quantity)
  const ticks = ticksOf(instrument, request.price)
  const { stopLoss, takeProfit } = request
  const triggers = {
    ...(takeProfit === undefined ? {} : { takeProfitTicks: takeProfit === 0 ? 0 : ticksOf(instrument, takeProfit) }),
    ...(stopLoss === undefined ? {} : { stopLossTicks: stopLoss === 0 ? 0 : ticksOf(instrument, stopLoss) })
  }
  refresh(account, entry.trader.prices)
  const flaw =
    (hold !== undefined && grows(exposure, hold, ticks, lots) ? inLiquidation(account) : undefined) ??
    (request.quantity === 0 ? undefined : quantityFlaw(instrument, lots, reduceOnly)) ??
    (request.price === 0 ? undefined : priceFlaw(instrument, ticks)) ??
    triggerFlaw(triggers.takeProfitTicks ?? 0, triggers.stopLossTicks ?? 0)
  const isSameOrder = hold !== undefined && hold.side === side && hold.type === type && hold.reduceOnly === reduceOnly
  const isWhole = hold?.order === undefined || hold.order.remainingLots === hold.order.quantityLots
  if (flaw !== undefined) {
    if (!isSameOrder) return refuse(entry, "CANNOT_MODIFY_NO_SUCH_ORDER")
    if (!isWhole) return refuse(entry, "CANNOT_MODIFY_PARTIAL_FILL")
    return refuseFlaw(entry, flaw, !reduceOnly && !coversWith(exposure, hold, lots))
  }
  let finding: Modify["finding"] = null
  if (hold === undefined) {
    // Normally the market has no such order and refuses anyway. This finding blocks an order that the market has, but
    // for which this ledger holds no margin.
    finding = "FAILED_MARGIN_CHECK"
  } else if (isSameOrder && isWhole) {
    const commandId = request.commandId.text
    finding = MarginCheck.replace(entry.trader, account, exposure, hold, {
      commandId,
      priceTicks: ticks === 0 ? hold.priceTicks : ticks,
      lots: lots === 0 ? hold.lots : lots
    })
  }
  return {
    _tag: "Modify",
    ...envelope(entry),
    ...terms(exposure),
    finding,
    orderId,
    side,
    type,
    priceTicks: ticks,
    quantityLots: lots,
    reduceOnly,
    ...triggers
  }
}

/** Returns true if the modified order could increase the position. A price or quantity of 0 means unchanged. */
function grows(exposure: Exposure, hold: OrderHold.OrderHold, ticks: number, lots: number): boolean {
  if (hold.reduceOnly) return false
  const keepsPrice = ticks === 0 || ticks === hold.priceTicks
  const keepsLots = lots === 0 || lots <= hold.lots
  if (keepsPrice && keepsLots && hold.replacements.length === 0) return false
  return !coversWith(exposure, hold, lots)
}

/** Returns true if the order with this quantity and all other orders on its side can only shrink the position. */
function coversWith(exposure: Exposure, { counted, lots: before, side }: OrderHold.OrderHold, lots: number): boolean {
  return coversSide(exposure, side, (lots === 0 ? before : lots) - counted.lots)
}

function modifyStop(
  entry: Entry,
  request: ModifyOrder,
  exposure: Exposure,
  { orderId, ...stop }: Order
): TraderCommand {
  const { instrument } = exposure
  const { price, quantity, reduceOnly, side, type } = request
  const quantityLots = lotsOf(instrument, quantity)
  const priceTicks = ticksOf(instrument, price)
  const flaw =
    (quantity === 0 ? undefined : stopQuantityFlaw(quantityLots)) ??
    (price === 0 ? undefined : priceFlaw(instrument, priceTicks))
  const isSameStop = stop.side === side && stop.type === type
  if (flaw !== undefined) return refuse(entry, isSameStop ? flaw : "CANNOT_MODIFY_NO_SUCH_ORDER")
  const changes = { orderId, side, type, priceTicks, quantityLots, reduceOnly }
  return { _tag: "Modify", ...envelope(entry), ...terms(exposure), finding: null, ...changes }
}
