/** Market conditions that need an operator's attention. An alarm is listed for as long as its condition lasts. */
import { Schema } from "effect"

/** Kind of a market alarm. */
export const AlarmKind = Schema.Literals([
  /** The underlier's market is open, but no external price has arrived within the staleness limit (rule 3.5). */
  "STALE_PRICE",
  /** The operator has paused the symbol's price sources (rule 3.6). */
  "SOURCES_PAUSED",
  /** The filter rejected three consecutive external prices (rule 3.1). */
  "PRICES_NOT_BELIEVED",
  /** The operator restricts the market to cancels (rule 1.7). */
  "CANCEL_ONLY",
  /** The operator has halted the market: it accepts no command (rule 1.7). */
  "HALTED",
  /** The reserve fund could not cover a debt and has not been topped up since (rule 9.10, rule 9.12). */
  "FUND_SHORT",
  /** A fault of the venue blocks prices and clock ticks; the market accepts only cancels (rule 21.6). */
  "FAULT"
])
export type AlarmKind = typeof AlarmKind.Type

/** An active alarm of one market; `sinceMillis` is the Unix time in milliseconds at which it began. */
export const MarketAlarm = Schema.Struct({ kind: AlarmKind, sinceMillis: Schema.Number })
export type MarketAlarm = typeof MarketAlarm.Type
