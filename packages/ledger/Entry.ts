/** From what the client asked to what the market is asked: shape, margin held, terms added (rule 7). */
import { echoOf, unlisted } from "@venue/domain/Echo"
import type { Modify, Priced, TraderCommand } from "@venue/domain/Market"
import { type Instrument, lotsOf, ticksOf } from "@venue/domain/Instrument"
import type {
  Bracket,
  CancelOrder,
  ClosePosition,
  ModifyOrder,
  Order,
  OrderRequest,
  PlaceOrder
} from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import { parseOrderId } from "@venue/domain/OrderId"
import type { OrderRefusal } from "@venue/domain/Reject"
import { type Account, refresh } from "./Account.ts"
import * as OrderHold from "./OrderHold.ts"
import { coversSide, type Exposure } from "./Exposure.ts"
import { isInLiquidation } from "./Liquidation.ts"
import * as MarginCheck from "./MarginCheck.ts"
import { priceFlaw, quantityFlaw, stopQuantityFlaw, triggerFlaw, typeFlaw } from "./OrderShape.ts"
import { exposureOf, release, send, type Trader } from "./Trader.ts"

/**
 * Holds margin for a `Place` or `Modify` under its command id until an outcome is observed or the command is released.
 * Whatever comes back is a command for the market, refusals too, so that a symbol's answers keep one order; only a
 * `Refuse` of a symbol that is not listed has no market to go to, and nothing of it is on its way.
 */
export const enter = (trader: Trader, request: OrderRequest, traderEpoch: number): TraderCommand => {
  const account = trader.accounts.get(request.accountId)
  const exposure = account === undefined ? undefined : exposureOf(trader, account, request.symbol)
  const entry: Entry = { trader, traderEpoch, request, priced: trader.prices.get(request.symbol) }
  if (account === undefined) return refuse(entry, "REJECTED")
  if (exposure === undefined) return refuse(entry, unlisted[request._tag])
  // A repeat of a command that is still on its way is held once.
  const commandId = request.commandId.text
  release(trader, commandId)
  const command = translate(entry, request, account, exposure)
  if (!trader.inFlight.has(commandId)) send(trader, account, exposure, commandId, "")
  return command
}

interface Entry {
  readonly trader: Trader
  readonly traderEpoch: number
  readonly request: OrderRequest
  readonly priced: Priced | undefined
}

function translate(entry: Entry, request: OrderRequest, account: Account, exposure: Exposure): TraderCommand {
  switch (request._tag) {
    case "PlaceOrder":
      return place(entry, request, account, exposure)
    case "ModifyOrder":
      return modify(entry, request, account, exposure)
    case "CancelOrder":
      return cancel(entry, request)
    case "CancelAllOrders":
      return { _tag: "CancelAll", ...envelope(entry), cause: request.cause }
    case "ClosePosition":
      return close(entry, request, account, exposure)
  }
}

function cancel(entry: Entry, request: CancelOrder): TraderCommand {
  const { accountId, byClientOrderId, commandId, expiresAtMillis, orderId: named } = request
  const { trader, traderEpoch } = entry
  const orderId = byClientOrderId ? null : parseOrderId(named)
  // A text that is not that of an id names no order.
  if (orderId === undefined) return refuse(entry, "NO_SUCH_ORDER")
  const clientOrderId = byClientOrderId ? named : ""
  const { userId } = trader
  return { _tag: "Cancel", commandId, expiresAtMillis, traderEpoch, userId, accountId, orderId, clientOrderId }
}

function place(entry: Entry, request: PlaceOrder, account: Account, exposure: Exposure): TraderCommand {
  const { priced, trader } = entry
  const { instrument } = exposure
  const { reduceOnly, side, type } = request
  if (isStop(type)) return placeStop(entry, request, exposure)
  const isMarket = type === "MARKET"
  const lots = lotsOf(instrument, request.quantity)
  const ticks = isMarket ? 0 : ticksOf(instrument, request.price)
  const flaw =
    (!reduceOnly && !coversSide(exposure, side, lots) ? inLiquidation(trader, account) : undefined) ??
    typeFlaw(type, request.timeInForce) ??
    quantityFlaw(instrument, lots, reduceOnly) ??
    (isMarket ? undefined : priceFlaw(instrument, ticks))
  // A market without prices is closed, one with stale prices to what adds risk, and that outranks every flaw.
  const isClosed =
    priced === undefined || (priced.source === "stale" && !reduceOnly && !coversSide(exposure, side, lots))
  if (flaw !== undefined) return refuse(entry, isClosed ? "REJECTED_MARKET_CLOSED" : flaw)
  const bracket = bracketOf(instrument, request, exposure.rates.taker)
  if (typeof bracket === "string") return refuse(entry, bracket)
  const edge = side === "BUY" ? priced?.upperTicks : priced?.lowerTicks
  const hold = OrderHold.make(
    request.commandId.text,
    request,
    isMarket ? (edge ?? 0) : ticks,
    lots,
    ++trader.lastSequence
  )
  const finding = exposure.holds.has(hold.orderId) ? null : MarginCheck.place(trader, account, exposure, hold)
  const worstTicks = isMarket && finding === null ? MarginCheck.marketBound(trader, account, exposure, hold) : ticks
  const { accountId, commandId, expiresAtMillis } = request
  // Every field is copied by name: to spread two objects is slower, and every order passes here.
  return {
    _tag: "Place",
    commandId,
    expiresAtMillis,
    traderEpoch: entry.traderEpoch,
    userId: trader.userId,
    accountId,
    makerRate: exposure.rates.maker,
    takerRate: exposure.rates.taker,
    maxNotional: exposure.maxNotional,
    leverage: exposure.leverage,
    finding,
    side,
    type,
    timeInForce: request.timeInForce,
    priceTicks: worstTicks,
    quantityLots: lots,
    reduceOnly,
    clientOrderId: request.clientOrderId,
    builderCode: request.builderCode,
    origin: "USER",
    ...(bracket === undefined ? {} : { bracket })
  }
}

/** Its market knows the right side of the price; here it is only a whole tick. */
function bracketOf(
  instrument: Instrument,
  { stopLoss, takeProfit }: PlaceOrder,
  takerRate: number
): Bracket | OrderRefusal | undefined {
  if (stopLoss === undefined && takeProfit === undefined) return undefined
  const takeProfitTicks = takeProfit === undefined ? 0 : ticksOf(instrument, takeProfit)
  const stopLossTicks = stopLoss === undefined ? 0 : ticksOf(instrument, stopLoss)
  return triggerFlaw(takeProfitTicks, stopLossTicks) ?? { takeProfitTicks, stopLossTicks, takerRate }
}

/** It holds nothing: it can only shrink a position, and its market sees to that. */
function placeStop(entry: Entry, request: PlaceOrder, exposure: Exposure): TraderCommand {
  const { instrument } = exposure
  const quantityLots = lotsOf(instrument, request.quantity)
  const priceTicks = ticksOf(instrument, request.price)
  const flaw = stopQuantityFlaw(quantityLots) ?? priceFlaw(instrument, priceTicks)
  if (flaw !== undefined) return refuse(entry, entry.priced === undefined ? "REJECTED_MARKET_CLOSED" : flaw)
  const { builderCode, clientOrderId, side, timeInForce, type } = request
  return {
    _tag: "Place",
    ...envelope(entry),
    ...terms(exposure),
    finding: null,
    side,
    type,
    timeInForce,
    priceTicks,
    quantityLots,
    reduceOnly: true,
    clientOrderId,
    builderCode,
    origin: "USER"
  }
}

/** A flaw is told only of an order that could be modified at all; otherwise it is told that it cannot. */
function modify(entry: Entry, request: ModifyOrder, account: Account, exposure: Exposure): TraderCommand {
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
  const flaw =
    (hold !== undefined && grows(exposure, hold, ticks, lots) ? inLiquidation(entry.trader, account) : undefined) ??
    (request.quantity === 0 ? undefined : quantityFlaw(instrument, lots, reduceOnly)) ??
    (request.price === 0 ? undefined : priceFlaw(instrument, ticks)) ??
    triggerFlaw(triggers.takeProfitTicks ?? 0, triggers.stopLossTicks ?? 0)
  const isThatOrder = hold !== undefined && hold.side === side && hold.type === type && hold.reduceOnly === reduceOnly
  const isWhole = hold?.order === undefined || hold.order.remainingLots === hold.order.quantityLots
  if (flaw !== undefined) {
    return refuse(entry, isThatOrder ? (isWhole ? flaw : "CANNOT_MODIFY_PARTIAL_FILL") : "CANNOT_MODIFY_NO_SUCH_ORDER")
  }
  let finding: Modify["finding"] = null
  if (hold === undefined) {
    // The market refuses it earlier, unless it knows an order that nobody here holds margin for.
    finding = "FAILED_MARGIN_CHECK"
  } else if (isThatOrder && isWhole) {
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

/** An account in liquidation may only shrink what it has. */
function inLiquidation(trader: Trader, account: Account): OrderRefusal | undefined {
  refresh(account, trader.prices)
  return isInLiquidation(account) ? "USER_IN_LIQUIDATION" : undefined
}

/** Says whether an order that is modified so could add to the position: 0 leaves its price or quantity as it is. */
function grows(exposure: Exposure, hold: OrderHold.OrderHold, ticks: number, lots: number): boolean {
  if (hold.reduceOnly) return false
  const keepsPrice = ticks === 0 || ticks === hold.priceTicks
  const keepsLots = lots === 0 || lots <= hold.lots
  if (keepsPrice && keepsLots && hold.replacements.length === 0) return false
  return !coversSide(exposure, hold.side, (lots === 0 ? hold.lots : lots) - hold.counted.lots)
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
  const isThatStop = stop.side === side && stop.type === type
  if (flaw !== undefined) return refuse(entry, isThatStop ? flaw : "CANNOT_MODIFY_NO_SUCH_ORDER")
  const changes = { orderId, side, type, priceTicks, quantityLots, reduceOnly }
  return { _tag: "Modify", ...envelope(entry), ...terms(exposure), finding: null, ...changes }
}

/**
 * The market prices a close up to 5 % through the mark. Where that is beyond the account's bankruptcy price, the close
 * is sent as the same order at that price instead, so that it leaves no debt and can still be done.
 */
function close(entry: Entry, request: ClosePosition, account: Account, exposure: Exposure): TraderCommand {
  const { builderCode, clientOrderId } = request
  const common = { ...envelope(entry), ...terms(exposure), finding: null, clientOrderId, builderCode }
  const priceTicks =
    entry.priced === undefined ? 0 : MarginCheck.closingBound(entry.trader, account, exposure, entry.priced)
  if (priceTicks === 0) return { _tag: "Close", ...common }
  // Of a few lots in deep debt it may be higher than any price there is.
  const flaw = priceFlaw(exposure.instrument, priceTicks)
  if (flaw !== undefined) return refuse(entry, flaw)
  const { quantityLots } = exposure.position
  return {
    _tag: "Place",
    ...common,
    side: quantityLots > 0 ? "SELL" : "BUY",
    type: "LIMIT",
    timeInForce: "IOC",
    priceTicks,
    quantityLots: Math.abs(quantityLots),
    reduceOnly: true,
    origin: "CLOSE_POSITION"
  }
}

function refuse(entry: Entry, status: OrderRefusal): TraderCommand {
  return { _tag: "Refuse", ...envelope(entry), status, echo: echoOf(entry.request) }
}

function envelope({ request, trader, traderEpoch }: Entry) {
  const { accountId, commandId, expiresAtMillis } = request
  return { commandId, expiresAtMillis, traderEpoch, userId: trader.userId, accountId }
}

function terms({ leverage, maxNotional, rates }: Exposure) {
  return { makerRate: rates.maker, takerRate: rates.taker, maxNotional, leverage }
}
