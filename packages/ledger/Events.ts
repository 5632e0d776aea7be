/** Applies a market's events, in sequence order, to the accounts of one user. */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { Reward } from "@venue/domain/Builder"
import * as Dividend from "@venue/domain/Dividend"
import * as Funding from "@venue/domain/Funding"
import type { Instrument } from "@venue/domain/Instrument"
import type { Accepted, Fill, MarketEvent, Modified, Traded } from "@venue/domain/Market"
import type { TakeoverClosed, TakeoverOpened } from "@venue/domain/Liquidation"
import { type Limits, withLimits } from "@venue/domain/Limits"
import * as Split from "@venue/domain/Split"
import { isStop, type StopPlaced } from "@venue/domain/Stop"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order } from "@venue/domain/Order"
import { earn, fill, type Position } from "@venue/domain/Position"
import type { Account } from "./Account.ts"
import * as OrderHold from "./OrderHold.ts"
import * as Exposure from "./Exposure.ts"
import * as Twaps from "./Twaps.ts"
import { accountOf, add, arrive, exposureOf, release, remove, type Trader } from "./Trader.ts"

/** Applies one event. Events of other users, and market events that affect no position, have no effect. */
export const observe = (trader: Trader, symbol: MarketSymbol, event: MarketEvent): void => {
  switch (event._tag) {
    case "Accepted":
      return event.order.userId === trader.userId ? accepted(trader, symbol, event) : undefined
    case "Traded":
      filled(trader, symbol, event, event.maker)
      filled(trader, symbol, event, event.taker)
      earned(trader, symbol, event.maker.reward)
      return earned(trader, symbol, event.taker.reward)
    case "Modified":
      return event.order.userId === trader.userId ? modified(trader, symbol, event) : undefined
    case "Ended":
      return event.order.userId === trader.userId ? ended(trader, symbol, event.order) : undefined
    case "Refused":
    case "Done":
      return event.userId === trader.userId ? release(trader, event.commandId.text) : undefined
    case "Funded":
      return paid(trader, symbol, (position, instrument) => Funding.book(position, instrument, event))
    case "DividendPaid":
      return paid(trader, symbol, (position, instrument) => Dividend.book(position, instrument, event.perUnitE8))
    case "LimitsSet":
      return limited(trader, symbol, event)
    case "ContractSplit":
      return paid(trader, symbol, (position, instrument) => Split.book(position, instrument, event))
    case "StopPlaced":
      return event.order.userId === trader.userId ? stopPlaced(trader, symbol, event) : undefined
    case "Triggered":
      return event.order.userId === trader.userId ? stopEnded(trader, symbol, event.order) : undefined
    case "TwapOpened":
    case "TwapAdvanced":
    case "TwapClosed":
      return Twaps.observe(trader, event)
    case "TakeoverOpened":
    case "TakeoverClosed":
      return event.userId === trader.userId ? freeze(trader, symbol, event) : undefined
    case "BuilderIntroduced":
    case "FundToppedUp":
    case "HoldersCounted":
    case "Priced":
    case "TradingStateChanged":
    case "SettlementBegan":
    case "EpochRaised":
    case "Sampled":
      return
  }
}

/** True for events that change positions, money or TWAP progress, and so the distance to liquidation (rule 9.1). */
export const moves: Readonly<Record<MarketEvent["_tag"], boolean>> = {
  Traded: true,
  Funded: true,
  DividendPaid: true,
  ContractSplit: true,
  LimitsSet: false,
  HoldersCounted: false,
  TakeoverClosed: true,
  TakeoverOpened: false,
  Accepted: false,
  Modified: false,
  Ended: false,
  Refused: false,
  Done: false,
  StopPlaced: false,
  Triggered: false,
  BuilderIntroduced: false,
  FundToppedUp: false,
  SettlementBegan: false,
  TwapOpened: true,
  TwapAdvanced: true,
  TwapClosed: true,
  Priced: false,
  TradingStateChanged: false,
  EpochRaised: false,
  Sampled: false
}

/** One account's state in a market, as the market reports it. */
interface View {
  readonly position: Position
  readonly isFrozen: boolean
  readonly orders: ReadonlyArray<Order>
  readonly stops: ReadonlyArray<Order>
  readonly attachedStops?: ReadonlyArray<string>
}

/** Replaces an account's state in one market by the market's view. In-flight commands keep their margin holds. */
export const adopt = (trader: Trader, symbol: MarketSymbol, accountId: AccountId, view: View): void => {
  const account = accountOf(trader, accountId)
  const exposure = exposureIn(trader, account, symbol)
  Object.assign(exposure.position, view.position)
  exposure.frozen = view.isFrozen
  Exposure.setLimits(exposure, trader.instruments.get(symbol)!)
  const before = new Map(exposure.holds)
  for (const hold of before.values()) if (hold.order !== undefined) remove(account, exposure, hold)
  for (const order of view.orders) {
    const known = before.get(order.orderId.text)
    if (known !== undefined && known.order === undefined) remove(account, exposure, known)
    arrive(trader, order.orderId.text)
    const hold = holdOf(trader, exposure, order)
    if (known?.order !== undefined) hold.placedByMillis = known.placedByMillis
    hold.replacements = known?.replacements ?? hold.replacements
    add(account, exposure, hold)
  }
  const stopsBefore = new Map(exposure.stops)
  exposure.stops.clear()
  for (const order of view.stops) {
    const placedByMillis = stopsBefore.get(order.orderId.text)?.placedByMillis ?? order.updatedAtMillis
    arrive(trader, order.orderId.text)
    const isAttached = view.attachedStops?.includes(order.orderId.text) === true
    exposure.stops.set(order.orderId.text, { order, isAttached, sequence: ++trader.lastSequence, placedByMillis })
  }
  exposure.stale = true
}

/** Turns the hold of an in-flight placement into the hold of an open order. No sum changes. */
function accepted(trader: Trader, symbol: MarketSymbol, { commandId, order }: Accepted): void {
  const account = accountOf(trader, order.accountId)
  const exposure = exposureIn(trader, account, symbol)
  arrive(trader, commandId.text)
  const held = exposure.holds.get(order.orderId.text)
  if (held === undefined) return add(account, exposure, holdOf(trader, exposure, order))
  held.order = order
  held.placedByMillis = order.updatedAtMillis
  held.sequence = ++trader.lastSequence
}

function filled(trader: Trader, symbol: MarketSymbol, { notional, quantityLots }: Traded, { fee, order }: Fill): void {
  if (order.userId !== trader.userId) return
  const account = accountOf(trader, order.accountId)
  const exposure = exposureIn(trader, account, symbol)
  fill(exposure.position, order.side, quantityLots, notional, fee)
  exposure.traded = true
  exposure.stale = true
  const hold = exposure.holds.get(order.orderId.text)
  if (hold === undefined) return
  if (order.remainingLots === 0) return remove(account, exposure, hold)
  become(exposure, hold, order)
}

/** Credits a builder reward to the user's primary account, regardless of which account traded. */
function earned(trader: Trader, symbol: MarketSymbol, reward: Reward | null): void {
  if (reward?.ownerId !== trader.userId) return
  const exposure = exposureIn(trader, accountOf(trader, primaryAccountOf(trader.userId)), symbol)
  earn(exposure.position, reward.amount)
  exposure.stale = true
}

function modified(trader: Trader, symbol: MarketSymbol, { commandId, order }: Modified): void {
  const exposure = exposureIn(trader, accountOf(trader, order.accountId), symbol)
  const stop = exposure.stops.get(order.orderId.text)
  if (stop !== undefined) exposure.stops.set(order.orderId.text, { ...stop, order })
  const hold = exposure.holds.get(order.orderId.text)
  if (hold === undefined) return
  hold.replacements = hold.replacements.filter((replacement) => replacement.commandId !== commandId?.text)
  become(exposure, hold, order)
}

function ended(trader: Trader, symbol: MarketSymbol, order: Order): void {
  if (isStop(order.type)) return stopEnded(trader, symbol, order)
  const account = accountOf(trader, order.accountId)
  const exposure = exposureIn(trader, account, symbol)
  const hold = exposure.holds.get(order.orderId.text)
  if (hold !== undefined) remove(account, exposure, hold)
}

function paid(
  trader: Trader,
  symbol: MarketSymbol,
  book: (position: Position, instrument: Instrument) => number
): void {
  for (const { exposures } of trader.accounts.values()) {
    const exposure = exposures.get(symbol)
    if (exposure === undefined) continue
    book(exposure.position, exposure.instrument)
    exposure.stale = true
  }
}

/** Freezes or unfreezes a position. While a takeover is open, no order can trade the position. */
function freeze(trader: Trader, symbol: MarketSymbol, event: TakeoverOpened | TakeoverClosed): void {
  release(trader, event.takeoverId.text)
  exposureIn(trader, accountOf(trader, event.accountId), symbol).frozen = event._tag === "TakeoverOpened"
}

/** Applies new limits, which later orders must observe. */
function limited(trader: Trader, symbol: MarketSymbol, limits: Limits): void {
  for (const { exposures } of trader.accounts.values()) {
    const exposure = exposures.get(symbol)
    if (exposure !== undefined) Exposure.setLimits(exposure, withLimits(exposure.instrument, limits))
  }
}

function stopPlaced(trader: Trader, symbol: MarketSymbol, { commandId, order, parentId }: StopPlaced): void {
  const exposure = exposureIn(trader, accountOf(trader, order.accountId), symbol)
  if (commandId !== null) arrive(trader, commandId.text)
  const sequence = ++trader.lastSequence
  const isAttached = parentId !== null
  exposure.stops.set(order.orderId.text, { order, isAttached, sequence, placedByMillis: order.updatedAtMillis })
}

function stopEnded(trader: Trader, symbol: MarketSymbol, order: Order): void {
  exposureIn(trader, accountOf(trader, order.accountId), symbol).stops.delete(order.orderId.text)
}

function become(exposure: Exposure.Exposure, hold: OrderHold.OrderHold, order: Order): void {
  Exposure.uncount(exposure, hold)
  hold.order = order
  hold.lots = order.remainingLots
  // A MARKET order stays valued at the price of its hold.
  if (order.priceTicks > 0) hold.priceTicks = order.priceTicks
  Exposure.count(exposure, hold)
}

/** Returns a new hold for an order that was entered without one, such as the market's order for a close. */
function holdOf(trader: Trader, exposure: Exposure.Exposure, order: Order): OrderHold.OrderHold {
  const priced = trader.prices.get(exposure.instrument.symbol)
  const edge = order.side === "BUY" ? priced?.upperTicks : priced?.lowerTicks
  const priceTicks = order.type === "MARKET" ? (edge ?? 0) : order.priceTicks
  const hold = OrderHold.make(order.orderId.text, order, priceTicks, order.remainingLots, ++trader.lastSequence)
  hold.order = order
  hold.placedByMillis = order.updatedAtMillis
  return hold
}

function exposureIn(trader: Trader, account: Account, symbol: MarketSymbol): Exposure.Exposure {
  const exposure = exposureOf(trader, account, symbol)
  if (exposure === undefined) throw new Error(`symbol ${symbol} is not listed`)
  return exposure
}
