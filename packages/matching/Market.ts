/** The state of one market; changed in place by its one owner. */
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
  /** One account may have so many in this market. */
  readonly maxOpenOrders: number
}

export interface Market {
  /** It is replaced when its limits change. */
  instrument: Instrument
  readonly settings: Settings
  /** This is money, while the market is open. */
  maxOpenInterest: number
  readonly pool: OrderPool.OrderPool
  readonly bids: Ladder.Ladder
  readonly asks: Ladder.Ladder
  readonly participants: Participants.Participants
  readonly outcomes: Outcomes.Outcomes
  readonly stops: Stops.Stops
  readonly twaps: Twaps.Twaps
  /** Orders carry the number of a builder code in this list; the first stands for no code. */
  readonly builderCodes: Array<string>
  readonly builderNumbers: Map<string, number>
  /** Those whose owners earn by them, by code; orders of before may carry others. */
  readonly builders: Map<string, BuilderIntroduced>
  /** Those that are open, the oldest first, by the account whose position it is. */
  readonly takeovers: Map<Participants.Account, Takeover>
  liquidated: Liquidated
  /** The last event was recorded at this time. */
  timeMillis: number
  prices: Priced | undefined
  /** It is replaced and never changed. */
  sampling: Sampling
  /** Time alone brings nothing before this; it is no part of the state, as it follows from the time of the last event. */
  dueMillis: number
  tradingState: TradingState
  readonly since: Alarms.Since
  /** What a settlement would go by (rule 19.3). */
  oracleSamples: OracleSamples
  /** Positions are closed at this price; 0 before that. */
  settlementTicks: number
  /** The last dividend was for this day, and 0 before the first. */
  lastDividendDay: number
  /** The last split was for this day, and 0 before the first. */
  lastSplitDay: number
  /** When that was; TWAPs accepted before are no more. */
  lastSplitMillis: number
  /** What the operator put into the reserve fund, by the ids of those commands: they are few, and kept for ever. */
  readonly topUps: Map<string, number>
  /** As they were last recorded. */
  holders: Holders
  /** So many trades had been made when they were last counted; it is no part of the state, as to count again changes nothing. */
  countedTrades: number
  /** The price is in ticks, and 0 before the first trade. */
  lastPriceTicks: number
  trades: number
  readonly salt: TradeId.Salt
}

/** A takeover that is open. */
export interface Takeover {
  readonly opened: TakeoverOpened
  /** The account's position was this: where it moves meanwhile, the takeover closes with nothing done. */
  readonly position: PositionState
}

/** What liquidations have traded on the book, in 1e-6 USD: an average over 60 s times its window; it is replaced and never changed. */
export interface Liquidated {
  readonly notional: number
  /** It was so at this time. */
  readonly atMillis: number
}

export const noneLiquidated: Liquidated = { notional: 0, atMillis: 0 }

/** Events are decided in this order: whoever decides only adds to them. */
export type Events = Array<MarketEvent>

/**
 * Whatever may bring any number of events ends after so many, or goes on in the next decision, since those of one decision
 * have to fit one row.
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

/** Gives 0 once there is no number left. */
export const builderNumber = (market: Market, code: string): number => {
  if (code === "") return 0
  const known = market.builderNumbers.get(code)
  if (known !== undefined) return known
  if (market.builderCodes.length === OrderPool.maxBuilderCodes) return 0
  market.builderNumbers.set(code, market.builderCodes.length)
  return market.builderCodes.push(code) - 1
}

/** Says whether an order at this price would meet one that rests. */
export const crosses = (market: Market, isSell: boolean, priceTicks: number): boolean =>
  isSell ? priceTicks <= market.bids.best : priceTicks >= market.asks.best

/**
 * Stops go by this mark, in 1e-8 USD. It is no number, and so at no price, while prices are stale (I29) or nothing is
 * traded.
 */
export const stopMarkE8 = ({ prices, tradingState }: Market): number =>
  prices === undefined || prices.source === "stale" || tradingState !== "TRADING" ? NaN : prices.markE8

/** This must hold after every decision; a violation is a bug, and the owner discards the state. */
export const assertSound = ({ asks, bids, participants: { totals } }: Market): void => {
  if (bids.best >= asks.best) throw new Error(`crossed book: bid ${bids.best}, ask ${asks.best}`)
  if (totals.positions !== 0) throw new Error(`positions sum to ${totals.positions}`)
  if (totals.cash !== 0) throw new Error(`cash sums to ${totals.cash}`)
  if (totals.reserveFund < 0) throw new Error(`the reserve fund holds ${totals.reserveFund}`)
}
