/** What is let into a market: everything, cancels alone, or nothing (rule 1.7). The operator decides it. */
import { Schema } from "effect"

export const TradingState = Schema.Literals(["TRADING", "CANCEL_ONLY", "HALTED"])
export type TradingState = typeof TradingState.Type

/** The operator lets more or less into the market. */
export interface SetTradingState {
  readonly _tag: "SetTradingState"
  readonly state: TradingState
}

/** From here on the market lets in what this state says. */
export interface TradingStateChanged {
  readonly _tag: "TradingStateChanged"
  readonly state: TradingState
  readonly atMillis: number
}
