/** Conditions of a market that need an operator, with their start times. */
import type { MarketAlarm } from "@venue/domain/Alarm"
import type { Priced } from "@venue/domain/Market"
import { alarmingRejections } from "@venue/domain/Oracle"
import { isOver, type TradingState } from "@venue/domain/TradingState"

/** Market time at which each condition began; 0 while the condition does not hold. */
export interface Since {
  stale: number
  paused: number
  unbelieved: number
  /** Time of the last change of the trading state; 0 before the first change. */
  tradingState: number
  /** Set when the reserve fund fails to cover a debt, cleared by a top-up. */
  fundShort: number
}

export const never = (): Since => ({ stale: 0, paused: 0, unbelieved: 0, tradingState: 0, fundShort: 0 })

export const priced = (since: Since, { atMillis, paused, rejections, source }: Priced): void => {
  since.stale = began(since.stale, source === "stale", atMillis)
  since.paused = began(since.paused, paused, atMillis)
  since.unbelieved = began(since.unbelieved, rejections === alarmingRejections, atMillis)
}

export const uncovered = (since: Since, atMillis: number): void => {
  since.fundShort = began(since.fundShort, true, atMillis)
}

/** Returns the active alarms. A market in settlement or delisted has no alarms. */
export const all = (since: Since, tradingState: TradingState): ReadonlyArray<MarketAlarm> => {
  if (isOver(tradingState)) return []
  const shut = tradingState === "CANCEL_ONLY" || tradingState === "HALTED" ? tradingState : undefined
  return [
    ...(shut === undefined ? [] : [{ kind: shut, sinceMillis: since.tradingState }]),
    ...alarm("STALE_PRICE", since.stale),
    ...alarm("SOURCES_PAUSED", since.paused),
    ...alarm("PRICES_NOT_BELIEVED", since.unbelieved),
    ...alarm("FUND_SHORT", since.fundShort)
  ]
}

function alarm(kind: MarketAlarm["kind"], sinceMillis: number): ReadonlyArray<MarketAlarm> {
  return sinceMillis === 0 ? [] : [{ kind, sinceMillis }]
}

function began(sinceMillis: number, is: boolean, atMillis: number): number {
  if (!is) return 0
  return sinceMillis === 0 ? atMillis : sinceMillis
}
