/** A market that does not trade, or not even cancels (rule 1.7): how it comes to that, and what is let in meanwhile. */
import type { TraderCommand } from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"
import type { TradingState } from "@venue/domain/TradingState"
import { type Events, type Market, stopMarkE8 } from "./Market.ts"
import * as Stops from "./Stops.ts"

export const change = (market: Market, state: TradingState, atMillis: number, events: Events): void => {
  if (state === market.tradingState) return
  market.tradingState = state
  market.timeMillis = atMillis
  events.push({ _tag: "TradingStateChanged", state, atMillis })
  Stops.reach(market.stops, stopMarkE8(market))
}

/**
 * Says whether a command comes to nothing because of the state. The cancels of a lost connection are carried out in
 * any: they were promised, and nobody is there to ask again. That a TWAP begins or ends moves no order.
 */
export const isShutTo = (state: TradingState, command: TraderCommand): boolean => {
  if (state === "TRADING") return false
  if (command._tag === "OpenTwap" || command._tag === "CloseTwaps") return false
  if (command._tag === "Refuse") return isOutranked(state, command.status)
  if (command._tag === "CancelAll") return state === "HALTED" && command.cause !== "DISCONNECT"
  return command._tag !== "Cancel" || state === "HALTED"
}

/**
 * What a desk refuses comes after the state among the checks (rule 4.14), but for a fault of ours. It refuses a cancel for
 * one reason, and that cancel would have been let in while nothing else is.
 */
function isOutranked(state: TradingState, status: OrderRefusal): boolean {
  return status !== "REJECTED_FAILED_TO_PROCESS" && (state === "HALTED" || status !== "NO_SUCH_ORDER")
}
