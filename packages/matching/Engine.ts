/** Deterministic state machine of one market: commands in, events out, without clock, random numbers or I/O. */
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketAlarm } from "@venue/domain/Alarm"
import type { Id } from "@venue/domain/Id"
import type { Instrument } from "@venue/domain/Instrument"
import { noEcho } from "@venue/domain/Echo"
import type { TakeoverOpened } from "@venue/domain/Liquidation"
import { type Limits as LimitsInForce, limitsOf } from "@venue/domain/Limits"
import type { Level, MarketCommand, PlaceSlice, Priced } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import * as Position from "@venue/domain/Position"
import type { Outcome } from "@venue/domain/Reject"
import type { Twap } from "@venue/domain/Twap"
import type { Ratio } from "@venue/domain/Split"
import { isOver } from "@venue/domain/TradingState"
import type { UserId } from "@venue/domain/UserId"
import * as Alarms from "./prices/Alarms.ts"
import * as Book from "./book/Book.ts"
import * as Builders from "./orders/Builders.ts"
import { cancel, cancelAll } from "./orders/Cancel.ts"
import { cancelOrders } from "./orders/CancelMarket.ts"
import * as Dividend from "./lifecycle/Dividend.ts"
import * as Funding from "./prices/Funding.ts"
import * as Holders from "./state/Holders.ts"
import * as Ladder from "./book/Ladder.ts"
import { assertSound, type Events, make as makeMarket, type Market, type Settings } from "./Market.ts"
import { modify } from "./orders/Modify.ts"
import * as Limits from "./lifecycle/Limits.ts"
import * as Outcomes from "./orders/Outcomes.ts"
import * as Participants from "./state/Participants.ts"
import { close, place } from "./orders/Place.ts"
import * as Pricing from "./prices/Pricing.ts"
import { isOutdated, objection } from "./orders/Objection.ts"
import { type Obeyed, refuse } from "./orders/Outcome.ts"
import * as OrderPool from "./book/OrderPool.ts"
import { liquidate } from "./risk/Liquidation.ts"
import * as ReserveFund from "./risk/ReserveFund.ts"
import * as Settlement from "./lifecycle/Settlement.ts"
import * as Split from "./lifecycle/Split.ts"
import * as Stops from "./stops/Stops.ts"
import * as Takeovers from "./risk/Takeovers.ts"
import * as TradingState from "./lifecycle/TradingState.ts"
import * as Trigger from "./stops/Trigger.ts"
import * as TwapProgress from "./stops/TwapProgress.ts"
import * as Twaps from "./stops/Twaps.ts"

export { defaults, type Settings } from "./Market.ts"
export { hasOrders } from "./orders/CancelMarket.ts"
export { preview } from "./orders/Preview.ts"
export { hash } from "./state/StateHash.ts"
export { apply } from "./state/Replay.ts"
export { readSnapshot, restore, snapshot, type Snapshot } from "./state/Snapshot.ts"

/** State of one market, modified in place. If a function throws, the caller must discard it and replay the log. */
export type Engine = Market

export const make = (instrument: Instrument, settings: Settings): Engine => makeMarket(instrument, settings)

/**
 * Decides a command at the market time max(previous time, `nowMillis`), changes the state and appends the events.
 * Time-driven events that are due by then precede the command's own events.
 */
export const decide = (engine: Engine, command: MarketCommand, nowMillis: number, events: Events): void => {
  const atMillis = Math.max(engine.timeMillis, nowMillis)
  if (atMillis >= engine.dueMillis) pass(engine, atMillis, events)
  switch (command._tag) {
    case "Observe":
      Pricing.observe(engine, command, atMillis, events)
      Trigger.fire(engine, atMillis, events)
      break
    case "PauseSources":
      Pricing.pause(engine, command.paused, atMillis, events)
      break
    case "Tick":
      Pricing.tick(engine, atMillis, events)
      Trigger.fire(engine, atMillis, events)
      Settlement.proceed(engine, atMillis, events)
      break
    case "SplitContract":
      Split.split(engine, command, atMillis, events)
      break
    case "SetLimits":
      Limits.set(engine, command, atMillis, events)
      break
    case "Delist":
      Settlement.begin(engine, atMillis, events)
      break
    case "CancelOrders":
      cancelOrders(engine, atMillis, events)
      break
    case "SetTradingState":
      TradingState.change(engine, command.state, atMillis, events)
      break
    case "PayDividend":
      Dividend.pay(engine, command, atMillis, events)
      break
    case "IntroduceBuilder":
      Builders.introduce(engine, command, atMillis, events)
      break
    case "CloseTakeovers":
      Takeovers.close(engine, command, atMillis, events)
      break
    case "TopUpFund":
      ReserveFund.topUp(engine, command, atMillis, events)
      break
    case "PlaceSlice":
      placeSlice(engine, command, atMillis, events)
      break
    case "RaiseEpoch":
      raise(engine, command.userId, command.traderEpoch, atMillis, events)
      break
    default:
      obey(engine, command, atMillis, events)
  }
  assertSound(engine)
}

/** Returns the new totals of the levels changed since the previous call. */
export const touched = (engine: Engine): Array<Level> => [...Ladder.drain(engine.bids), ...Ladder.drain(engine.asks)]

/** Returns all levels, bids first, each side from its best price. */
export const depth = (engine: Engine): Array<Level> => [...Ladder.levels(engine.bids), ...Ladder.levels(engine.asks)]

export interface View {
  /** Copy of the position. */
  readonly position: Position.Position
  /** True while a takeover of the position is open. */
  readonly isFrozen: boolean
  /** Open orders, oldest first. Stops and TWAPs have the same order. */
  readonly orders: Array<Order>
  readonly stops: Array<Order>
  /** Ids of the stops that were attached to an order. */
  readonly attachedStops: Array<string>
  readonly twaps: Array<Twap>
}

export const view = (engine: Engine, accountId: AccountId): View => {
  const account = engine.participants.accountsById.get(accountId)
  const orders: Array<Order> = []
  if (account === undefined)
    return { position: Position.flat(), isFrozen: false, orders, stops: [], attachedStops: [], twaps: [] }
  const stops = Stops.ofAccount(engine.stops, account)
  const { words } = engine.pool
  for (let slot = account.oldest; slot !== 0; slot = words[slot + OrderPool.NEWER]!) {
    orders.push(Book.order(engine, slot))
  }
  return {
    position: { ...account.position },
    isFrozen: account.isFrozen,
    orders,
    stops: stops.map(({ order }) => order),
    attachedStops: stops.flatMap(({ order, parentId }) => (parentId === null ? [] : order.orderId.text)),
    twaps: Twaps.ofAccount(engine.twaps, accountId)
  }
}

/** Returns the retained outcomes of a user's commands, oldest first. */
export const outcomes = (engine: Engine, userId: UserId): ReadonlyArray<Outcomes.Remembered> => {
  const user = engine.participants.usersById.get(userId)
  return user === undefined ? [] : Outcomes.ofUser(engine.outcomes, user.number, engine.timeMillis)
}

export const outcome = (engine: Engine, commandId: Id): Outcome | undefined => {
  const slot = Outcomes.find(engine.outcomes, commandId, engine.timeMillis)
  return slot === -1 ? undefined : Outcomes.at(engine.outcomes, slot)
}

/** Returns the open takeovers, oldest first. */
export const takeovers = ({ takeovers }: Engine): ReadonlyArray<TakeoverOpened> =>
  Array.from(takeovers.values(), ({ opened }) => opened)

export const prices = (engine: Engine): Priced | undefined => engine.prices

export const tradingState = (engine: Engine): Engine["tradingState"] => engine.tradingState

export const lastDividendDay = (engine: Engine): number => engine.lastDividendDay

export const limits = (engine: Engine): LimitsInForce => limitsOf(engine.instrument)

export const lastSplitDay = (engine: Engine): number => engine.lastSplitDay

/** Returns the reserve fund's shortfall for a split's odd lots, in 1e-6 USD; undefined if the split is impossible. */
export const splitMissing = (engine: Engine, ratio: Ratio): number | undefined => Split.plan(engine, ratio)?.missing

/** Returns the amount of the reserve-fund top-up with this id, in 1e-6 USD. */
export const topUp = (engine: Engine, topUpId: string): number | undefined => engine.topUps.get(topUpId)

export const alarms = ({ since, tradingState }: Engine): ReadonlyArray<MarketAlarm> => Alarms.all(since, tradingState)

/** Returns true if no tick would record an event before the next order, price report, trading period or hour. */
export const isIdle = (engine: Engine, nowMillis: number): boolean => {
  const atMillis = Math.max(engine.timeMillis, nowMillis)
  if (!Holders.isIdle(engine)) return false
  if (isOver(engine.tradingState)) return engine.tradingState === "DELISTED"
  return Pricing.isIdle(engine, atMillis) && Funding.isIdle(engine, atMillis) && Trigger.isIdle(engine, atMillis)
}

/** Returns the best prices and the price of the last trade, in ticks. */
export const best = ({
  asks,
  bids,
  lastPriceTicks
}: Engine): {
  readonly bidTicks: number | undefined
  readonly askTicks: number | undefined
  readonly lastTicks: number | undefined
} => ({
  bidTicks: bids.best === 0 ? undefined : bids.best,
  askTicks: asks.best === Ladder.beyond ? undefined : asks.best,
  lastTicks: lastPriceTicks === 0 ? undefined : lastPriceTicks
})

/** Returns the open interest in lots: the sum of all long positions, which equals the sum of all short positions. */
export const openInterest = (engine: Engine): number => engine.participants.totals.openInterest

/**
 * Returns the sums over all participants. After every decision, `positions` and `cash` are both 0. `cash` includes
 * the venue's fees and the reserve fund, but not the operator's top-ups.
 */
export const totals = (engine: Engine): Participants.Totals => ({ ...engine.participants.totals })

function pass(engine: Engine, atMillis: number, events: Events): void {
  const lastMillis = engine.timeMillis
  Funding.pass(engine, atMillis, events)
  Holders.pass(engine, lastMillis, atMillis, events)
}

/** Advances the TWAP by one slice, even if its child order is refused. A slice that is out of sequence is refused. */
function placeSlice(engine: Engine, command: PlaceSlice, atMillis: number, events: Events): void {
  const first = events.length
  if (!TwapProgress.isNext(engine, command)) return obey(engine, { ...command, ...late }, atMillis, events)
  obey(engine, command.child, atMillis, events)
  TwapProgress.advance(engine, command, first, events)
}

/** Refusal of a slice that is out of sequence. */
const late = { _tag: "Refuse", status: "REJECTED", echo: noEcho } as const

/**
 * Decides a trader's command and records its outcome. A command with an outdated trader epoch is dropped without a
 * record, because the trader's new owner sends it again.
 */
function obey(engine: Engine, command: Obeyed, atMillis: number, events: Events): void {
  if (Outcomes.find(engine.outcomes, command.commandId, atMillis) !== -1) return
  const known = engine.participants.accountsById.get(command.accountId)
  if (isOutdated(engine, known, command)) return
  engine.timeMillis = atMillis
  const account = known ?? Participants.account(engine.participants, command.accountId, command.userId)
  const status = objection(engine, account, command, atMillis)
  if (status !== undefined) return refuse(engine, command, status, events)
  switch (command._tag) {
    case "Place":
      return place(engine, account, command, events)
    case "Modify":
      return modify(engine, account, command, events)
    case "Cancel":
      return cancel(engine, account, command, events)
    case "CancelAll":
      return cancelAll(engine, account, command, events)
    case "Close":
      return close(engine, account, command, events)
    case "Refuse":
      return refuse(engine, command, command.status, events)
    case "Liquidate":
      return liquidate(engine, account, command, events)
    case "OpenTakeover":
      return Takeovers.open(engine, account, command, events)
    case "OpenTwap":
      return TwapProgress.open(engine, account, command, events)
    case "CloseTwaps":
      return TwapProgress.close(engine, account, command, events)
  }
}

function raise(engine: Engine, userId: UserId, traderEpoch: number, atMillis: number, events: Events): void {
  const user = Participants.user(engine.participants, userId)
  if (traderEpoch <= user.epoch) return
  user.epoch = traderEpoch
  engine.timeMillis = atMillis
  events.push({ _tag: "EpochRaised", userId, traderEpoch, atMillis })
}
