/**
 * Twin of the engine: an independent slow implementation of the matching rules, with one array of orders, scans and
 * sorts, and bigint money. Prices come from the engine.
 */
import { divideUp } from "@venue/domain/Decimal"
import { positionLimitUsd } from "@venue/domain/Leverage"
import type {
  CancelAll,
  Close,
  MarketCommand,
  Modify,
  Place,
  PlaceSlice,
  Priced,
  TraderCommand
} from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import * as TwinBuilders from "./TwinBuilders.ts"
import { cut, type Emit, endStop, leave, match, rest, room } from "./TwinMatch.ts"
import * as TwinFunding from "./TwinFunding.ts"
import * as TwinHolders from "./TwinHolders.ts"
import {
  copy,
  holding,
  isKeptOut,
  isStale,
  mayRest,
  orderOf,
  reached,
  reducible,
  type Resting,
  sum,
  sumOf,
  type Twin
} from "./TwinState.ts"
import * as Settlement from "./TwinSettlement.ts"
import { cancelOrders, split } from "./TwinSplit.ts"
import { setLimits } from "./TwinLimits.ts"
import * as Stops from "./TwinStops.ts"
import { done, refused } from "./TwinOutcome.ts"
import * as Trigger from "./TwinTrigger.ts"
import * as TwinTakeovers from "./TwinTakeovers.ts"
import * as TwinTwaps from "./TwinTwaps.ts"

/**
 * Applies a price that the engine computed. The twin computes no marks, averages or bands, but it decides which mark
 * applies.
 */
export const price = (twin: Twin, priced: Priced): void => {
  if (twin.prices === undefined) TwinFunding.begin(twin, priced.atMillis)
  else if (Settlement.isOver(twin)) Settlement.assertPriced(twin, priced)
  else {
    const isFair = twin.letsIn === "TRADING" && !isStale(twin, priced, priced.atMillis)
    const fairE8 = isFair ? priced.markE8 : twin.prices.freshMarkE8
    if (priced.freshMarkE8 !== fairE8) throw new Error(`valued at ${priced.freshMarkE8} in place of ${fairE8}`)
  }
  twin.prices = priced
  twin.timeMillis = Math.max(twin.timeMillis, priced.atMillis)
  Settlement.note(twin)
  Stops.marked(twin)
}

/** Applies the effects of time up to now. */
export const pass = (twin: Twin, nowMillis: number, emit: Emit): void => {
  const lastMillis = twin.timeMillis
  TwinFunding.pass(twin, nowMillis, emit)
  TwinHolders.pass(twin, lastMillis, nowMillis, emit)
}

/** Decides a command after time has passed. Prices come from the engine, so price commands only trigger stops here. */
export const handle = (twin: Twin, command: MarketCommand, nowMillis: number, emit: Emit): void => {
  if (command._tag === "PauseSources") return
  if (command._tag === "CloseTakeovers") return TwinTakeovers.close(twin, command, nowMillis, emit)
  if (command._tag === "Observe" || command._tag === "Tick") {
    if (command._tag === "Tick") Settlement.proceed(twin, nowMillis, emit)
    return Trigger.fire(twin, nowMillis, emit)
  }
  if (command._tag === "SplitContract") return split(twin, command, nowMillis, emit)
  if (command._tag === "CancelOrders") return cancelOrders(twin, nowMillis, emit)
  if (command._tag === "SetLimits") return setLimits(twin, command, nowMillis, emit)
  if (command._tag === "Delist") return Settlement.begin(twin, nowMillis, emit)
  if (command._tag === "SetTradingState") return Settlement.change(twin, command.state, nowMillis, emit)
  if (command._tag === "IntroduceBuilder") return TwinBuilders.introduce(twin, command, nowMillis, emit)
  if (command._tag === "TopUpFund") {
    if (twin.topUps.has(command.topUpId)) return
    twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
    twin.topUps.set(command.topUpId, command.amount)
    twin.reserveFund += BigInt(command.amount)
    return emit({ ...command, _tag: "FundToppedUp", atMillis: twin.timeMillis })
  }
  if (command._tag === "PayDividend") {
    if (command.exDay <= twin.lastDividendDay || Settlement.isOver(twin)) return
    twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
    return emit({
      ...command,
      _tag: "DividendPaid",
      remainder: TwinFunding.dividend(twin, command),
      atMillis: twin.timeMillis
    })
  }
  if (command._tag === "RaiseEpoch") {
    if (command.traderEpoch <= (twin.epochs.get(command.userId) ?? 0)) return
    twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
    twin.epochs.set(command.userId, command.traderEpoch)
    return emit({ ...command, _tag: "EpochRaised", atMillis: twin.timeMillis })
  }
  if (command._tag === "PlaceSlice") {
    return TwinTwaps.slice(twin, command, (child, say) => handle(twin, child, nowMillis, say), emit)
  }
  const isRemembered = Math.max(twin.timeMillis, nowMillis) <= command.expiresAtMillis + 60_000
  if (isRemembered && twin.outcomes.has(command.commandId.text)) return
  if (command.traderEpoch < (twin.epochs.get(command.userId) ?? 0)) return
  twin.timeMillis = Math.max(twin.timeMillis, nowMillis)
  const refusal =
    twin.timeMillis > command.expiresAtMillis
      ? "EXPIRED"
      : isKeptOut(twin, command)
        ? twin.letsIn === "DELISTED"
          ? "BAD_SYMBOL"
          : "REJECTED_MARKET_CLOSED"
        : TwinTakeovers.isFrozen(twin, command)
          ? "USER_IN_LIQUIDATION"
          : run(twin, command, emit)
  const isToldNothing = TwinTakeovers.isOfVenue(command)
  twin.outcomes.set(command.commandId.text, isToldNothing ? "DONE" : (refusal ?? "DONE"))
  if (refusal === undefined) return
  if (isToldNothing) done(twin, command, emit)
  else emit(refused(twin, command, refusal))
}

function run(twin: Twin, command: Exclude<TraderCommand, PlaceSlice>, emit: Emit): OrderRefusal | undefined {
  switch (command._tag) {
    case "OpenTwap":
      return TwinTwaps.open(twin, command, emit) ? undefined : done(twin, command, emit)
    case "CloseTwaps":
      return TwinTwaps.close(twin, command, emit) ?? done(twin, command, emit)
    case "Refuse":
      return command.status
    case "Liquidate":
      return TwinTakeovers.liquidate(twin, command, emit)
    case "OpenTakeover":
      return TwinTakeovers.open(twin, command, emit)
    case "Place":
      return place(twin, command, emit)
    case "Close":
      return close(twin, command, emit)
    case "Modify":
      return modify(twin, command, emit)
    case "Cancel":
    case "CancelAll": {
      const own = twin.resting
        .filter(({ order }) => order.accountId === command.accountId)
        .sort((a, b) => a.acceptedNumber - b.acceptedNumber)
      const found =
        command._tag === "CancelAll"
          ? own.filter(({ order }) => !isSpared(command, order))
          : own.filter(({ order }) =>
              command.orderId === null
                ? order.clientOrderId === command.clientOrderId
                : order.orderId.text === command.orderId.text
            )
      const stops = Stops.ofAccount(twin, command.accountId).filter(({ order, parentId }) => {
        if (command._tag === "CancelAll") return command.cause !== "DISCONNECT"
        if (command.orderId !== null) return order.orderId.text === command.orderId.text
        return parentId === null && command.clientOrderId !== "" && order.clientOrderId === command.clientOrderId
      })
      if (found.length + stops.length === 0 && command._tag === "Cancel") return "NO_SUCH_ORDER"
      for (const resting of found) leave(twin, resting, command.commandId, "CANCELLED", emit)
      for (const stop of stops) endStop(twin, stop, command.commandId, emit)
      return done(twin, command, emit)
    }
  }
}

/** Only cancels caused by a lost connection spare orders. */
function isSpared(command: CancelAll, { orderId }: Order): boolean {
  return command.cause === "DISCONNECT" && (command.except ?? []).some(({ text }) => text === orderId.text)
}

function place(twin: Twin, command: Place, emit: Emit): OrderRefusal | undefined {
  const order = TwinTwaps.limited(twin, orderOf(twin, command))
  if (Stops.isStop(order)) return placeStop(twin, { ...order, reduceOnly: true }, command, emit)
  const refusal = check(twin, order, command)
  if (refusal !== undefined) return refusal
  accept(twin, order, command, emit)
}

/**
 * A close is a LIMIT IOC reduce-only order over the whole position, 5 % through the mark, rounded towards the mark,
 * within band and bounds.
 */
function close(twin: Twin, command: Close, emit: Emit): OrderRefusal | undefined {
  if (twin.prices === undefined) return "REJECTED_MARKET_CLOSED"
  const { quantity } = holding(twin, command.accountId)
  if (quantity === 0) return "REJECTED"
  const { lowerTicks, markE8, maxPriceTicks, minPriceTicks, upperTicks } = twin.prices
  const hundredTicks = 100n * BigInt(twin.instrument.tickE8)
  const shape = {
    _tag: "Place",
    type: "LIMIT",
    timeInForce: "IOC",
    quantityLots: Math.abs(quantity),
    reduceOnly: true,
    origin: "CLOSE_POSITION"
  } as const
  const order =
    quantity > 0
      ? ({
          side: "SELL",
          priceTicks: Math.max(lowerTicks, minPriceTicks, Number(divideUp(95n * BigInt(markE8), hundredTicks)))
        } as const)
      : ({
          side: "BUY",
          priceTicks: Math.min(upperTicks, maxPriceTicks, Number((105n * BigInt(markE8)) / hundredTicks))
        } as const)
  // Band and bounds can be disjoint; then no price is valid.
  if (order.priceTicks < minPriceTicks) return "PRICE_LESS_THAN_MIN_PRICE"
  if (order.priceTicks > maxPriceTicks) return "PRICE_GREATER_THAN_MAX_PRICE"
  accept(twin, orderOf(twin, { ...command, ...shape, ...order }), command, emit)
}

function modify(twin: Twin, command: Modify, emit: Emit): OrderRefusal | undefined {
  const target = twin.resting.find(
    ({ order }) =>
      order.orderId.text === command.orderId.text &&
      order.accountId === command.accountId &&
      order.side === command.side &&
      order.type === command.type &&
      order.reduceOnly === command.reduceOnly
  )
  if (target === undefined) return modifyStop(twin, command, emit)
  const before = target.order
  if (before.remainingLots < before.quantityLots) return "CANNOT_MODIFY_PARTIAL_FILL"
  const asked = command.quantityLots || before.quantityLots
  const { bracket: _, ...plain } = before
  const bracket = {
    takeProfitTicks: command.takeProfitTicks ?? before.bracket?.takeProfitTicks ?? 0,
    stopLossTicks: command.stopLossTicks ?? before.bracket?.stopLossTicks ?? 0,
    takerRate:
      command.takeProfitTicks === undefined && command.stopLossTicks === undefined
        ? (before.bracket?.takerRate ?? 0)
        : command.takerRate
  }
  const isBracketed = bracket.takeProfitTicks + bracket.stopLossTicks > 0
  const priced: Order = {
    ...plain,
    ...(isBracketed ? { bracket } : {}),
    priceTicks: command.priceTicks || before.priceTicks
  }
  const quantity = before.reduceOnly ? Math.min(asked, room(twin, priced)) : asked
  const changed = { quantityLots: quantity, remainingLots: quantity, modified: true, updatedAtMillis: twin.timeMillis }
  const after: Order = { ...priced, ...changed }
  if (after.type === "ALO" && reached(twin, after.side, after.priceTicks).length > 0)
    return "CANNOT_MODIFY_ALO_WOULD_CROSS"
  const refusal = check(twin, after, command)
  if (refusal !== undefined) return refusal

  const requeued = after.priceTicks !== before.priceTicks || after.quantityLots > before.quantityLots
  target.order = after
  if (requeued) target.queuedNumber = ++twin.numbers
  emit({ _tag: "Modified", commandId: command.commandId, order: after, requeued, atMillis: twin.timeMillis })
  // The order leaves the book while it takes, so that it is the newest order when it rests again.
  twin.resting = twin.resting.filter((resting) => resting !== target)
  match(twin, target, after.priceTicks, command, emit)
  rest(twin, target, emit)
  return done(twin, command, emit)
}

/** Checks an order's price, size and risk, in the sequence of rule 4.14. */
function check(twin: Twin, order: Order, terms: Place | Modify): OrderRefusal | undefined {
  const { accountId, side, userId } = order
  if (twin.prices === undefined) return "REJECTED_MARKET_CLOSED"
  const { limitShareBps, lowerTicks, markE8, maxPriceTicks, minPriceTicks, upperTicks } = twin.prices
  const { lotE8, tickE8 } = twin.instrument
  const sameWay = twin.resting.filter(
    (resting) => resting.order.side === side && resting.order.orderId.text !== order.orderId.text
  )
  const ownSameWay = sum(sameWay.filter((resting) => resting.order.accountId === accountId))
  const onlyReduces = order.reduceOnly || ownSameWay + order.quantityLots <= reducible(twin, accountId, side)
  if (isStale(twin, twin.prices, twin.timeMillis) && !onlyReduces) return "REJECTED_MARKET_CLOSED"
  if (order.type !== "MARKET") {
    if (order.priceTicks < minPriceTicks) return "PRICE_LESS_THAN_MIN_PRICE"
    if (order.priceTicks > maxPriceTicks) return "PRICE_GREATER_THAN_MAX_PRICE"
    if (side === "BUY" && order.priceTicks > upperTicks) return "PRICE_GREATER_THAN_MAX_PRICE"
    if (side === "SELL" && order.priceTicks < lowerTicks) return "PRICE_LESS_THAN_MIN_PRICE"
  }

  /** In 1e-16 USD, exact; `each` in 1e-8 USD. */
  const value = (lots: number, each: number): bigint => BigInt(lots) * BigInt(lotE8) * BigInt(each)
  const limitPrice = order.type === "MARKET" ? markE8 : order.priceTicks * tickE8
  if (!order.reduceOnly && value(order.quantityLots, limitPrice) < 10n * 10n ** 16n)
    return "REJECTED_LESS_THAN_MIN_NOTIONAL"

  const { stopLossTicks = 0, takeProfitTicks = 0 } = order.bracket ?? {}
  const beyond = (ticks: number) => (side === "BUY" ? ticks * tickE8 > limitPrice : ticks * tickE8 < limitPrice)
  const before = (ticks: number) => (side === "BUY" ? ticks * tickE8 < limitPrice : ticks * tickE8 > limitPrice)
  if (takeProfitTicks > 0 && !beyond(takeProfitTicks)) return "INVALID_TAKEPROFIT_PRICE"
  if (stopLossTicks > 0 && !before(stopLossTicks)) return "INVALID_STOPLOSS_PRICE"
  if (terms._tag === "Place" && mayRest(order)) {
    const open = twin.resting.filter((resting) => resting.order.accountId === accountId).length
    if (open >= twin.maxOpenOrders) return "REJECTED_TOO_MANY_OPEN_ORDERS"
  }
  if (order.bracket !== undefined && Stops.left(twin, order) < 2) return "REJECTED_TOO_MANY_OPEN_ORDERS"
  if (terms.finding === "REJECTED_TOO_MANY_OPEN_ORDERS") return terms.finding

  if (order.reduceOnly && room(twin, order) <= 0) return "REJECTED"

  if (!onlyReduces) {
    const shared = (usd6: number): bigint => BigInt(usd6) * BigInt(limitShareBps)
    const within = (lots: number, each: number, limit: bigint): boolean =>
      value(lots, each) * 10_000n <= limit * 10n ** 10n
    let position = 0
    for (const [account, held] of twin.holdings) {
      if (twin.owners.get(account) === userId) position += Math.abs(held.quantity)
    }
    const userSameWay = sum(sameWay.filter((resting) => resting.order.userId === userId))
    const each = side === "BUY" ? Math.max(markE8, limitPrice) : markE8
    if (!within(position + userSameWay + order.quantityLots, each, shared(terms.maxNotional))) {
      return "REJECTED_WOULD_BREACH_MAX_NOTIONAL"
    }
    const longs = sumOf([...twin.holdings.values()].map((held) => Math.max(held.quantity, 0)))
    const openInterestLimit =
      (twin.instrument.openInterestLimitUsd ?? 10 * positionLimitUsd(twin.instrument)) * 1_000_000
    if (!within(longs + order.quantityLots, markE8, shared(openInterestLimit))) return "REJECTED_OPEN_INTEREST_LIMIT"
  }
  if (terms.finding !== null) return terms.finding
}

/** Records the acceptance before the order has any other effect. */
function accept(twin: Twin, order: Order, terms: Place | Close, emit: Emit): void {
  twin.owners.set(order.accountId, order.userId)
  const number = ++twin.numbers
  const { commandId, expiresAtMillis, leverage, makerRate } = terms
  const incoming: Resting = { order, makerRate, leverage, acceptedNumber: number, queuedNumber: number }
  emit({ _tag: "Accepted", commandId, expiresAtMillis, order, makerRate, leverage, atMillis: twin.timeMillis })
  if (order.reduceOnly) cut(twin, incoming, order.remainingLots - room(twin, order), emit)

  // A market order without a price does not trade beyond the edge of the band.
  const sent = terms._tag === "Place" && terms.priceTicks > 0 ? [terms.priceTicks] : []
  const limit =
    order.type !== "MARKET"
      ? order.priceTicks
      : order.side === "BUY"
        ? Math.min(twin.prices!.upperTicks, ...sent)
        : Math.max(twin.prices!.lowerTicks, ...sent)
  if (order.type === "ALO" && reached(twin, order.side, limit).length > 0)
    return leave(twin, incoming, null, "CANCELLED", emit)
  if (order.timeInForce === "FOK") {
    const rehearsal = copy(twin)
    const rehearsed = { ...incoming }
    match(rehearsal, rehearsed, limit, terms, () => {})
    if (rehearsed.order.remainingLots > 0) return leave(twin, incoming, null, "CANCELLED", emit)
  }
  match(twin, incoming, limit, terms, emit)
  if (mayRest(order)) return rest(twin, incoming, emit)
  const { quantityLots, remainingLots } = incoming.order
  if (remainingLots > 0)
    leave(twin, incoming, null, remainingLots < quantityLots ? "IOC_PARTIALLY_FILLED" : "IOC_CANCELLED", emit)
}

function placeStop(twin: Twin, order: Order, command: Place, emit: Emit): OrderRefusal | undefined {
  if (twin.prices === undefined) return "REJECTED_MARKET_CLOSED"
  const refusal = Stops.flaw(twin, order, true)
  if (refusal !== undefined) return refusal
  twin.owners.set(order.accountId, order.userId)
  const { commandId, expiresAtMillis, leverage, takerRate } = command
  const terms = { takerRate, leverage, parentId: null }
  emit({ _tag: "StopPlaced", commandId, expiresAtMillis, order, ...terms, atMillis: twin.timeMillis })
  Stops.placed(twin, order, terms)
}

function modifyStop(twin: Twin, command: Modify, emit: Emit): OrderRefusal | undefined {
  const stop = Stops.ofAccount(twin, command.accountId).find(
    ({ order: { orderId, side, type } }) =>
      orderId.text === command.orderId.text && side === command.side && type === command.type
  )
  if (stop === undefined) return "CANNOT_MODIFY_NO_SUCH_ORDER"
  const after = Stops.wanted(stop.order, command, twin.timeMillis)
  const refusal = Stops.flaw(twin, after, false)
  if (refusal !== undefined) return refusal
  const requeued = after.priceTicks !== stop.order.priceTicks
  stop.order = after
  emit({ _tag: "Modified", commandId: command.commandId, order: after, requeued, atMillis: twin.timeMillis })
  if (requeued) Stops.moved(twin, stop)
  return done(twin, command, emit)
}
