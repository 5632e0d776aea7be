/** What a market accepts: everything, only cancels, or nothing (rule 1.7). The operator sets it. */
import { Schema } from "effect"

/** The operator may go from any of these to any other. */
export const OpenState = Schema.Literals(["TRADING", "CANCEL_ONLY", "HALTED"])
export type OpenState = typeof OpenState.Type

/** `IN_SETTLEMENT` closes all positions, and `DELISTED` is the end (rule 19.3): nothing leads back. */
export const TradingState = Schema.Literals([...OpenState.literals, "IN_SETTLEMENT", "DELISTED"])
export type TradingState = typeof TradingState.Type

/** Says whether the contract has ended, or is about to: nobody trades it again. */
export const isOver = (state: TradingState): boolean => state === "IN_SETTLEMENT" || state === "DELISTED"

/** The operator lets more or less into the market. */
export interface SetTradingState {
  readonly _tag: "SetTradingState"
  readonly state: OpenState
}

/** From here on the market lets in what this state says. */
export interface TradingStateChanged {
  readonly _tag: "TradingStateChanged"
  readonly state: TradingState
  readonly atMillis: number
}
