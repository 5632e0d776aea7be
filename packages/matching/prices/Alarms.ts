/** What of a market an operator has to see to, and since when. */
import type { MarketAlarm } from "@venue/domain/Alarm"
import type { Priced } from "@venue/domain/Market"
import { alarmingRejections } from "@venue/domain/Oracle"
import { isOver, type TradingState } from "@venue/domain/TradingState"

/** When each began, by market time; 0 while it is not so. */
export interface Since {
  stale: number
  paused: number
  unbelieved: number
  /** The trading state is in force since then; 0 for the first. */
  tradingState: number
  /** The reserve fund did not cover a debt, and was not topped up since. */
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

/** Gives none of a contract that is over. */
export const all = (since: Since, tradingState: TradingState): ReadonlyArray<MarketAlarm> => {
  if (isOver(tradingState)) return []
  const shut = tradingState === "CANCEL_ONLY" || tradingState === "HALTED" ? tradingState : undefined
  return [
    ...(shut === undefined ? [] : [{ kind: shut, sinceMillis: since.tradingState }]),
    ...one("STALE_PRICE", since.stale),
    ...one("SOURCES_PAUSED", since.paused),
    ...one("PRICES_NOT_BELIEVED", since.unbelieved),
    ...one("FUND_SHORT", since.fundShort)
  ]
}

function one(kind: MarketAlarm["kind"], sinceMillis: number): ReadonlyArray<MarketAlarm> {
  return sinceMillis === 0 ? [] : [{ kind, sinceMillis }]
}

function began(sinceMillis: number, is: boolean, atMillis: number): number {
  if (!is) return 0
  return sinceMillis === 0 ? atMillis : sinceMillis
}
