/** A market that does not trade, or not even cancels (rule 1.7): how it comes to that, and what is let in meanwhile. */
import type { TraderCommand } from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"
import { sampled } from "@venue/domain/Settlement"
import { isOver, type OpenState, type TradingState, type TradingStateChanged } from "@venue/domain/TradingState"
import { type Events, type Market, stopMarkE8 } from "../Market.ts"
import * as Stops from "../stops/Stops.ts"

/** A contract that has ended stays so. */
export const change = (market: Market, state: OpenState, atMillis: number, events: Events): void => {
  if (state !== market.tradingState && !isOver(market.tradingState)) record(market, state, atMillis, events)
}

export const record = (market: Market, state: TradingState, atMillis: number, events: Events): void => {
  const changed: TradingStateChanged = { _tag: "TradingStateChanged", state, atMillis }
  apply(market, changed)
  events.push(changed)
}

export const apply = (market: Market, { atMillis, state }: TradingStateChanged): void => {
  market.timeMillis = atMillis
  sample(market, atMillis)
  market.tradingState = state
  market.since.tradingState = atMillis
  Stops.reach(market.stops, stopMarkE8(market))
}

/** What a settlement goes by is sampled while the market trades, before price or state change. */
export const sample = (market: Market, atMillis: number): void => {
  const priceE8 = market.tradingState === "TRADING" ? market.prices?.oracleE8 : undefined
  market.oracleSamples = sampled(market.oracleSamples, priceE8, atMillis)
}

/**
 * Gives why a command comes to nothing because of the state. The cancels of a lost connection are carried out in any: they
 * were promised, and nobody is there to ask again. That a TWAP begins or ends moves no order.
 */
export const refusalOf = (state: TradingState, command: TraderCommand): OrderRefusal | undefined => {
  if (state === "TRADING") return undefined
  if (state === "DELISTED") return isNoMore(command) ? "BAD_SYMBOL" : undefined
  return isShutTo(state, command) ? "REJECTED_MARKET_CLOSED" : undefined
}

/** What concerns an order that stands finds none by itself. */
function isNoMore(command: TraderCommand): boolean {
  if (command._tag === "Refuse") return !toldAnyway.has(command.status)
  return command._tag === "Place" || command._tag === "Close"
}

const toldAnyway: ReadonlySet<OrderRefusal> = new Set([
  "REJECTED_FAILED_TO_PROCESS",
  "NO_SUCH_ORDER",
  "CANNOT_MODIFY_NO_SUCH_ORDER"
])

function isShutTo(state: TradingState, command: TraderCommand): boolean {
  if (command._tag === "OpenTwap" || command._tag === "CloseTwaps") return false
  if (command._tag === "Refuse") return isOutranked(state, command.status)
  if (command._tag === "CancelAll") return state !== "CANCEL_ONLY" && command.cause !== "DISCONNECT"
  return command._tag !== "Cancel" || state !== "CANCEL_ONLY"
}

/**
 * What a desk refuses comes after the state among the checks (rule 4.14), but for a fault of ours. It refuses a cancel for
 * one reason, and that cancel would have been let in while nothing else is.
 */
function isOutranked(state: TradingState, status: OrderRefusal): boolean {
  return status !== "REJECTED_FAILED_TO_PROCESS" && (state !== "CANCEL_ONLY" || status !== "NO_SUCH_ORDER")
}
