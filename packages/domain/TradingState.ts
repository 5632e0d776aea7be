/** What is let into a market: everything, cancels alone, or nothing (rule 1.7). The operator decides it. */
import { Schema } from "effect"

export const TradingState = Schema.Literals(["TRADING", "CANCEL_ONLY", "HALTED"])
export type TradingState = typeof TradingState.Type
