/** The operator's changes to a contract's limits, effective from the next command (rule 1.9). */
import { moneyScale } from "@venue/domain/Decimal"
import * as Limits from "@venue/domain/Limits"
import { isOver } from "@venue/domain/TradingState"
import type { Events, Market } from "../Market.ts"

/** Sets new limits. Has no effect if the limits are unchanged or invalid. */
export const set = (market: Market, command: Limits.SetLimits, atMillis: number, events: Events): void => {
  const isNew = !Limits.areSame(command, Limits.limitsOf(market.instrument))
  if (!isNew || Limits.flawOf(command) !== undefined || isOver(market.tradingState)) return
  const { maxQuantityLots, minQuantityLots, openInterestUsd, positionUsd } = command
  const changed: Limits.LimitsSet = {
    _tag: "LimitsSet",
    minQuantityLots,
    maxQuantityLots,
    positionUsd,
    openInterestUsd,
    atMillis
  }
  apply(market, changed)
  events.push(changed)
}

export const apply = (market: Market, limitsSet: Limits.LimitsSet): void => {
  market.timeMillis = limitsSet.atMillis
  hold(market, limitsSet)
}

export const hold = (market: Market, limits: Limits.Limits): void => {
  market.instrument = Limits.withLimits(market.instrument, limits)
  market.maxOpenInterest = limits.openInterestUsd * moneyScale
}
