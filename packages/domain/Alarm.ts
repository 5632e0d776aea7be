/** What of a market an operator has to see to, while it is so. */
import { Schema } from "effect"

export const AlarmKind = Schema.Literals([
  /** Its hours run, and no outside price comes (rule 3.5). */
  "STALE_PRICE",
  /** The operator has paused its sources (rule 3.6). */
  "SOURCES_PAUSED",
  /** Three outside prices in a row were not believed (rule 3.1). */
  "PRICES_NOT_BELIEVED",
  /** The operator lets markets accept only cancels, or nothing (rule 1.7). */
  "CANCEL_ONLY",
  "HALTED",
  /** Its reserve fund did not cover a debt, and was not topped up since (rule 9.10, rule 9.12). */
  "FUND_SHORT",
  /** A fault of the venue keeps prices and time out, and only cancels are accepted (rule 21.6). */
  "FAULT"
])
export type AlarmKind = typeof AlarmKind.Type

export const MarketAlarm = Schema.Struct({ kind: AlarmKind, sinceMillis: Schema.Number })
export type MarketAlarm = typeof MarketAlarm.Type
