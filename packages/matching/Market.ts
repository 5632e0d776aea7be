/** The state of one market, changed in place by its single owner. */
import type { TradingState } from "@venue/domain/TradingState"
import { moneyScale } from "@venue/domain/Decimal"
import type { BuilderIntroduced } from "@venue/domain/Builder"
import { type Holders, noHolders } from "@venue/domain/Holders"
import type { Instrument } from "@venue/domain/Instrument"
import { openInterestLimitUsd } from "@venue/domain/Leverage"
import type { TakeoverOpened } from "@venue/domain/Liquidation"
import type { MarketEvent, Priced } from "@venue/domain/Market"
import type { PositionState } from "@venue/domain/Position"
import { type Sampling, unsampled } from "@venue/domain/Sampling"
import { type OracleSamples, unsampled as noOracle } from "@venue/domain/Settlement"
import * as Alarms from "./prices/Alarms.ts"
import * as Ladder from "./book/Ladder.ts"
import * as Outcomes from "./orders/Outcomes.ts"
import * as Participants from "./state/Participants.ts"
import * as OrderPool from "./book/OrderPool.ts"
import * as Stops from "./stops/Stops.ts"
import * as TradeId from "./orders/TradeId.ts"
import * as Twaps from "./stops/Twaps.ts"

export interface Settings {
  /** Maximum number of open orders of one account in this market. */
  readonly maxOpenOrders: number
}

export interface Market {
  /** Replaced by a new object when the contract's limits change. */
  instrument: Instrument
  readonly settings: Settings
  /** Maximum open interest in 1e-6 USD while the market is open. */
  maxOpenInterest: number
  readonly pool: OrderPool.OrderPool
  readonly bids: Ladder.Ladder
  readonly asks: Ladder.Ladder
  readonly participants: Participants.Participants
  readonly outcomes: Outcomes.Outcomes
  readonly stops: Stops.Stops
  readonly twaps: Twaps.Twaps
  /** Builder codes. Each order stores an index into this list; index 0 means no builder code. */
  readonly builderCodes: Array<string>
  readonly builderNumbers: Map<string, number>
  /** Builder codes that earn rewards, by code. Old orders might carry codes that are missing here. */
  readonly builders: Map<string, BuilderIntroduced>
  /** Open takeovers, oldest first, keyed by the account that holds the position. */
  readonly takeovers: Map<Participants.Account, Takeover>
  liquidated: Liquidated
  /** Time of the last recorded event. */
  timeMillis: number
  prices: Priced | undefined
  /** Immutable. Each change replaces the whole object. */
  sampling: Sampling
  /** Earliest time at which a tick has work to do. Not recorded, because it follows from the time of the last event. */
  dueMillis: number
  tradingState: TradingState
  readonly since: Alarms.Since
  /** Samples that determine the settlement price (rule 19.3). */
  oracleSamples: OracleSamples
  /** Settlement price in ticks, at which positions are closed; 0 before settlement. */
  settlementTicks: number
  /** Day of the last dividend, in days since 1970-01-01; 0 before the first. */
  lastDividendDay: number
  /** Day of the last split, in days since 1970-01-01; 0 before the first. */
  lastSplitDay: number
  /** Time of the last split, which ended all TWAPs accepted before that time. */
  lastSplitMillis: number
  /** Operator top-ups of the reserve fund by command id, in 1e-6 USD. Never removed, because there are few. */
  readonly topUps: Map<string, number>
  holders: Holders
  /** Number of trades at the last holder count. Not recorded, because counting again gives the same result. */
  countedTrades: number
  /** Price of the last trade in ticks; 0 before the first. */
  lastPriceTicks: number
  trades: number
  readonly salt: TradeId.Salt
}

export interface Takeover {
  readonly opened: TakeoverOpened
  /** Position when the takeover opened. If the position has changed since then, the takeover closes without a trade. */
  readonly position: PositionState
}

/** Liquidation notional traded on the book, in 1e-6 USD, decaying with a time constant of 60 s. Immutable. */
export interface Liquidated {
  readonly notional: number
  readonly atMillis: number
}

export const noneLiquidated: Liquidated = { notional: 0, atMillis: 0 }

/** Events in the order of decision; a decision only appends. */
export type Events = Array<MarketEvent>

/**
 * Maximum number of events per decision, because they must fit into one journal row. The next decision continues the
 * work.
 */
export const mostEvents = 4_096

export const defaults: Settings = { maxOpenOrders: 200 }

export const make = (instrument: Instrument, settings: Settings): Market => ({
  instrument,
  settings,
  maxOpenInterest: openInterestLimitUsd(instrument) * moneyScale,
  pool: OrderPool.make(),
  bids: Ladder.make("BUY"),
  asks: Ladder.make("SELL"),
  participants: Participants.make(),
  outcomes: Outcomes.make(),
  stops: Stops.make(instrument.tickE8),
  twaps: Twaps.make(),
  builderCodes: [""],
  builderNumbers: new Map([["", 0]]),
  builders: new Map(),
  takeovers: new Map(),
  liquidated: noneLiquidated,
  timeMillis: 0,
  prices: undefined,
  sampling: unsampled,
  dueMillis: 0,
  tradingState: "TRADING",
  since: Alarms.never(),
  oracleSamples: noOracle,
  settlementTicks: 0,
  lastDividendDay: 0,
  lastSplitDay: 0,
  lastSplitMillis: 0,
  topUps: new Map(),
  holders: noHolders,
  countedTrades: 0,
  lastPriceTicks: 0,
  trades: 0,
  salt: TradeId.salt(instrument.symbol)
})

/** Returns the index of a builder code, adding a new code to the list. Returns 0 if the list is full. */
export const builderNumber = (market: Market, code: string): number => {
  if (code === "") return 0
  const known = market.builderNumbers.get(code)
  if (known !== undefined) return known
  if (market.builderCodes.length === OrderPool.maxBuilderCodes) return 0
  market.builderNumbers.set(code, market.builderCodes.length)
  return market.builderCodes.push(code) - 1
}

/** Returns true if an order at this price would match a resting one. */
export const crosses = (market: Market, isSell: boolean, priceTicks: number): boolean =>
  isSell ? priceTicks <= market.bids.best : priceTicks >= market.asks.best

/**
 * Returns the mark price that triggers stops, in 1e-8 USD. Returns NaN, which triggers no stop, while the price is
 * stale (I29) or the market is not TRADING.
 */
export const stopMarkE8 = ({ prices, tradingState }: Market): number =>
  prices === undefined || prices.source === "stale" || tradingState !== "TRADING" ? NaN : prices.markE8

/** Throws if an invariant is violated after a decision. This is a bug, and the owner discards the state. */
export const assertSound = ({ asks, bids, participants: { totals } }: Market): void => {
  if (bids.best >= asks.best) throw new Error(`crossed book: bid ${bids.best}, ask ${asks.best}`)
  if (totals.positions !== 0) throw new Error(`positions sum to ${totals.positions} lots instead of 0`)
  if (totals.cash !== 0) throw new Error(`cash sums to ${totals.cash} (1e-6 USD) instead of 0`)
  if (totals.reserveFund < 0) throw new Error(`the reserve fund is negative: ${totals.reserveFund} (1e-6 USD)`)
}
