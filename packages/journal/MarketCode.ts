/** Codes for names in market records. A code is never reused; a new name gets a new code. */
import type { OffBook } from "@venue/domain/Execution"
import type { MarketEvent, Priced, Refused } from "@venue/domain/Market"
import type { TradingState } from "@venue/domain/TradingState"
import type { TwapEnding } from "@venue/domain/Twap"
import type { EndStatus, OrderOrigin, OrderType, Side, TimeInForce } from "@venue/domain/Order"

/** Codes of event tags. Tags below `escape` share the first byte with the flags; other tags follow in the next byte. */
export const tags: Record<MarketEvent["_tag"], number> = {
  Accepted: 1,
  Refused: 2,
  Traded: 3,
  Ended: 4,
  Modified: 5,
  Done: 6,
  Priced: 25,
  EpochRaised: 8,
  Sampled: 16,
  Funded: 17,
  TradingStateChanged: 18,
  DividendPaid: 19,
  StopPlaced: 20,
  Triggered: 21,
  BuilderIntroduced: 22,
  TakeoverOpened: 26,
  TakeoverClosed: 27,
  FundToppedUp: 28,
  TwapOpened: 29,
  TwapAdvanced: 30,
  TwapClosed: 31,
  SettlementBegan: 32,
  ContractSplit: 33,
  LimitsSet: 35,
  HoldersCounted: 36
}

/** Tag value in an event's first byte that means: the next byte holds the tag. */
export const escape = 15

/** A `Traded` event with a builder's share of a fee; without a share, the shorter `Traded` is used. */
export const rewardedTrade = 23

/** A `Traded` event off the order book: one byte for the reason, then the content of `rewardedTrade`. */
export const offBookTrade = 24

/** A `TakeoverClosed` event with a debt that the reserve fund could not cover. */
export const uncoveredTakeover = 34

export const priceSources: Record<Priced["source"], number> = { external: 1, internal: 2, operator: 3, stale: 4 }

export const sides: Record<Side, number> = { BUY: 1, SELL: 2 }
export const types: Record<OrderType, number> = {
  LIMIT: 1,
  MARKET: 2,
  ALO: 3,
  TAKE_PROFIT: 4,
  STOP_LOSS: 5,
  STOP_MARKET: 6
}
export const times: Record<TimeInForce, number> = { GTC: 1, IOC: 2, FOK: 3 }
export const origins: Record<OrderOrigin, number> = {
  USER: 1,
  CLOSE_POSITION: 2,
  TWAP: 3,
  STOP: 4,
  LIQUIDATION: 5,
  ADL: 6,
  SETTLEMENT: 7
}
export const offBooks: Record<OffBook, number> = { TAKEOVER: 1, DELEVERAGING: 2, SETTLEMENT: 3 }
export const endings: Record<EndStatus, number> = {
  CANCELLED: 1,
  CANCELLED_STP: 2,
  IOC_CANCELLED: 3,
  IOC_PARTIALLY_FILLED: 4
}
export const twapEndings: Record<TwapEnding, number> = {
  COMPLETED: 1,
  REDUCED: 2,
  REQUEST: 3,
  MARGIN: 4,
  LIQUIDATION: 5,
  SPLIT: 6,
  DELISTING: 7
}
export const tradingStates: Record<TradingState, number> = {
  TRADING: 1,
  CANCEL_ONLY: 2,
  HALTED: 3,
  IN_SETTLEMENT: 4,
  DELISTED: 5
}
export const statuses: Record<Refused["status"], number> = {
  EXPIRED: 1,
  REJECTED: 2,
  NO_SUCH_ORDER: 3,
  INVALID_ORDER_TYPE: 4,
  BAD_SYMBOL: 5,
  PRICE_LESS_THAN_MIN_PRICE: 6,
  PRICE_GREATER_THAN_MAX_PRICE: 7,
  CANNOT_MODIFY_PARTIAL_FILL: 8,
  CANNOT_MODIFY_NO_SUCH_ORDER: 9,
  CANNOT_MODIFY_ALO_WOULD_CROSS: 10,
  FAILED_MARGIN_CHECK: 11,
  INVALID_TICK_SIZE_PRECISION_PRICE: 12,
  INVALID_TICK_SIZE_PRECISION_QUANTITY: 13,
  QUANTITY_LESS_THAN_MIN_QUANTITY: 14,
  QUANTITY_GREATER_THAN_MAX_QUANTITY: 15,
  INVALID_TIME_IN_FORCE: 16,
  REJECTED_WOULD_BREACH_MAX_NOTIONAL: 17,
  REJECTED_LESS_THAN_MIN_NOTIONAL: 18,
  REJECTED_OPEN_INTEREST_LIMIT: 19,
  REJECTED_TOTAL_OPEN_INTEREST_LIMIT: 20,
  REJECTED_TOO_MANY_OPEN_ORDERS: 21,
  REJECTED_MARKET_CLOSED: 22,
  REJECTED_FAILED_TO_PROCESS: 23,
  USER_IN_LIQUIDATION: 24,
  INVALID_TAKEPROFIT_PRICE: 25,
  INVALID_STOPLOSS_PRICE: 26
}

/** Returns an array of names, indexed by code. */
export const names = <Name extends string>(codes: Record<Name, number>): ReadonlyArray<Name | undefined> => {
  const names: Array<Name | undefined> = []
  for (const name in codes) names[codes[name]] = name
  return names
}

/** Returns the name for a code, or null for code 0. */
export function nameOrNull<Name>(names: ReadonlyArray<Name | undefined>, code: number): Name | null {
  return code === 0 ? null : name(names, code)
}

export function name<Name>(names: ReadonlyArray<Name | undefined>, code: number): Name {
  const known = names[code]
  if (known === undefined) throw new Error(`the market record contains code ${code}, which stands for no known name`)
  return known
}
