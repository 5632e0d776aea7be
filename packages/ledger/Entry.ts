/** Converts a client's request to a market command: checks the shape, holds margin, adds the terms (rule 7). */
import { unlisted } from "@venue/domain/Echo"
import type { Priced, TraderCommand } from "@venue/domain/Market"
import { type Instrument, lotsOf, ticksOf } from "@venue/domain/Instrument"
import type { Bracket, CancelOrder, ClosePosition, OrderRequest, PlaceOrder } from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import { parseOrderId } from "@venue/domain/OrderId"
import type { OrderRefusal } from "@venue/domain/Reject"
import { type Account, refresh } from "./Account.ts"
import * as OrderHold from "./OrderHold.ts"
import { coversSide, type Exposure } from "./Exposure.ts"
import { type Entry, envelope, inLiquidation, refuse, refuseFlaw, terms } from "./Envelope.ts"
import * as MarginCheck from "./MarginCheck.ts"
import { modify } from "./Modification.ts"
import { priceFlaw, quantityFlaw, stopQuantityFlaw, triggerFlaw, typeFlaw } from "./OrderShape.ts"
import { exposureOf, release, send, type Trader } from "./Trader.ts"

/**
 * Holds margin for a `Place` or `Modify` under its command id, until the command's outcome is observed or the command
 * is released. Refusals are also sent to the market as commands, so that all responses about a symbol stay in
 * sequence. The exception is the `Refuse` for an unlisted symbol: that symbol has no market, so the command is not in
 * flight.
 */
export const enter = (trader: Trader, request: OrderRequest, traderEpoch: number): TraderCommand => {
  const account = trader.accounts.get(request.accountId)
  const exposure = account === undefined ? undefined : exposureOf(trader, account, request.symbol)
  const entry: Entry = { trader, traderEpoch, request, priced: trader.prices.get(request.symbol) }
  if (account === undefined) return refuse(entry, "REJECTED")
  if (exposure === undefined) return refuse(entry, unlisted[request._tag])
  // A repeated command that is still in flight must hold margin only once.
  const commandId = request.commandId.text
  release(trader, commandId)
  const command = translate(entry, request, account, exposure)
  if (!trader.inFlight.has(commandId)) send(trader, account, exposure, commandId, "")
  return command
}

function translate(entry: Entry, request: OrderRequest, account: Account, exposure: Exposure): TraderCommand {
  switch (request._tag) {
    case "PlaceOrder":
      return place(entry, request, account, exposure)
    case "ModifyOrder":
      return modify(entry, request, account, exposure)
    case "CancelOrder":
      return cancel(entry, request)
    // Not reached if the id of the cancel belongs to a TWAP: the journal records the TWAP's end, and then the market
    // closes it.
    case "CancelTwap":
      return refuse(entry, "NO_SUCH_ORDER")
    case "CancelAllOrders":
      return {
        _tag: "CancelAll",
        ...envelope(entry),
        cause: request.cause,
        ...(request.except === undefined ? {} : { except: request.except })
      }
    case "ClosePosition":
      return close(entry, request, account, exposure)
  }
}

function cancel(entry: Entry, request: CancelOrder): TraderCommand {
  const { accountId, byClientOrderId, commandId, expiresAtMillis, orderId: named } = request
  const { trader, traderEpoch } = entry
  const orderId = byClientOrderId ? null : parseOrderId(named)
  // Text that is not a valid id cannot identify an order.
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
  refresh(account, trader.prices)
  const isMarket = type === "MARKET"
  const lots = lotsOf(instrument, request.quantity)
  const ticks = isMarket ? 0 : ticksOf(instrument, request.price)
  const addsRisk = !reduceOnly && !coversSide(exposure, side, lots)
  const flaw =
    (addsRisk ? inLiquidation(account) : undefined) ??
    typeFlaw(type, request.timeInForce) ??
    quantityFlaw(instrument, lots, reduceOnly) ??
    (isMarket ? undefined : priceFlaw(instrument, ticks))
  if (flaw !== undefined) return refuseFlaw(entry, flaw, addsRisk)
  const bracket = bracketOf(instrument, request, exposure.rates.taker)
  if (typeof bracket === "string") return refuseFlaw(entry, bracket, addsRisk)
  const hold = holdOf(request, priced, ticks, lots, ++trader.lastSequence)
  const finding = exposure.holds.has(hold.orderId) ? null : MarginCheck.place(trader, account, exposure, hold)
  const worstTicks = isMarket && finding === null ? MarginCheck.reducingBound(account, exposure, hold) : ticks
  const { accountId, commandId, expiresAtMillis } = request
  // Fields are copied one by one, because spreading two objects is slower and every order passes through here.
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

/** Returns an order's margin hold. A MARKET order is valued at the edge of the price band (rule 7.5). */
export function holdOf(
  request: PlaceOrder,
  priced: Priced | undefined,
  ticks: number,
  lots: number,
  sequence: number
): OrderHold.OrderHold {
  const edge = request.side === "BUY" ? priced?.upperTicks : priced?.lowerTicks
  return OrderHold.make(
    request.commandId.text,
    request,
    request.type === "MARKET" ? (edge ?? 0) : ticks,
    lots,
    sequence
  )
}

/** Validates the ticks of the attached stops. The market checks on which side of the order's price they lie. */
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

/** Creates the command for a stop. A stop holds no margin, because the market lets it only shrink a position. */
function placeStop(entry: Entry, request: PlaceOrder, exposure: Exposure): TraderCommand {
  const { instrument } = exposure
  const quantityLots = lotsOf(instrument, request.quantity)
  const priceTicks = ticksOf(instrument, request.price)
  const flaw = stopQuantityFlaw(quantityLots) ?? priceFlaw(instrument, priceTicks)
  if (flaw !== undefined) return refuseFlaw(entry, flaw, false)
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

/**
 * Creates the command that closes a position. The market prices a close up to 5 % through the mark. If that price is
 * beyond the account's bankruptcy price, the command is the same order at the bankruptcy price, so that the close
 * leaves no debt (rule 7.6).
 */
function close(entry: Entry, request: ClosePosition, account: Account, exposure: Exposure): TraderCommand {
  const { builderCode, clientOrderId } = request
  refresh(account, entry.trader.prices)
  const common = { ...envelope(entry), ...terms(exposure), finding: null, clientOrderId, builderCode }
  const priceTicks = entry.priced === undefined ? 0 : MarginCheck.closingBound(account, exposure, entry.priced)
  if (priceTicks === 0) return { _tag: "Close", ...common }
  // For a few lots with a large debt, the bankruptcy price might exceed every valid price.
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
