/** Trading states other than TRADING (rule 1.7): transitions, and the commands each state allows. */
import type { TraderCommand } from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"
import { sampled } from "@venue/domain/Settlement"
import { isOver, type OpenState, type TradingState, type TradingStateChanged } from "@venue/domain/TradingState"
import { type Events, type Market, stopMarkE8 } from "../Market.ts"
import * as Stops from "../stops/Stops.ts"

/** Changes the trading state, unless the market is in settlement or delisted. */
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

/** Samples the index price for a settlement while the market trades, before a price or state changes. */
export const sample = (market: Market, atMillis: number): void => {
  const priceE8 = market.tradingState === "TRADING" ? market.prices?.oracleE8 : undefined
  market.oracleSamples = sampled(market.oracleSamples, priceE8, atMillis)
}

/**
 * Returns the refusal that the trading state requires for a command, if any. A cancel after a lost connection is
 * accepted in every state, because the venue guarantees it and the client cannot retry. Opening and closing a TWAP
 * are allowed, because neither changes an order.
 */
export const refusalOf = (state: TradingState, command: TraderCommand): OrderRefusal | undefined => {
  if (state === "TRADING") return undefined
  if (state === "DELISTED") return isNoMore(command) ? "BAD_SYMBOL" : undefined
  return isShutTo(state, command) ? "REJECTED_MARKET_CLOSED" : undefined
}

/** Returns true for commands that a delisted symbol must refuse; others fail anyway, because their order is gone. */
function isNoMore(command: TraderCommand): boolean {
  if (command._tag === "Refuse") return !refusedAnyway.has(command.status)
  return command._tag === "Place" || command._tag === "Close"
}

const refusedAnyway: ReadonlySet<OrderRefusal> = new Set([
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
 * The trading state's refusal takes precedence over a desk's refusal (rule 4.14), except over an internal error. A
 * desk refuses a cancel only with NO_SUCH_ORDER, and CANCEL_ONLY accepts cancels.
 */
function isOutranked(state: TradingState, status: OrderRefusal): boolean {
  return status !== "REJECTED_FAILED_TO_PROCESS" && (state !== "CANCEL_ONLY" || status !== "NO_SUCH_ORDER")
}
