/** Trading state of a market: which commands it accepts (rule 1.7). */
import { Schema } from "effect"

/** States that the operator can set. */
export const OpenState = Schema.Literals(["TRADING", "CANCEL_ONLY", "HALTED"])
export type OpenState = typeof OpenState.Type

/** State of a market. `IN_SETTLEMENT` closes all positions, then `DELISTED` is final (rule 19.3). */
export const TradingState = Schema.Literals([...OpenState.literals, "IN_SETTLEMENT", "DELISTED"])
export type TradingState = typeof TradingState.Type

/** Returns true if trading has ended permanently. */
export const isOver = (state: TradingState): boolean => state === "IN_SETTLEMENT" || state === "DELISTED"

/** Sets the trading state. */
export interface SetTradingState {
  readonly _tag: "SetTradingState"
  readonly state: OpenState
}

/** The trading state changed. */
export interface TradingStateChanged {
  readonly _tag: "TradingStateChanged"
  readonly state: TradingState
  readonly atMillis: number
}
