/** Triggering: stops whose price the mark has reached become MARKET orders (rule 15). */
import type { Order } from "@venue/domain/Order"
import * as Oracle from "@venue/domain/Oracle"
import { stopBound } from "@venue/domain/PriceBand"
import { type Events, type Market, mostEvents } from "../Market.ts"
import * as Match from "../orders/Match.ts"
import * as StopOrder from "./StopOrder.ts"
import * as Stops from "./Stops.ts"

/**
 * Fires the due stops in order. One decision's events must fit into one row: after a number of stops, or after one
 * stop with many events, the remaining stops wait for the next call.
 */
export const fire = (market: Market, atMillis: number, events: Events): void => {
  const { due } = market.stops
  if (isIdle(market, atMillis)) return
  market.timeMillis = atMillis
  const before = events.length
  for (let count = 0; count < mostAtOnce && events.length - before < mostEvents; count++) {
    // Firing one stop can end other due stops.
    const [stop] = due
    if (stop === undefined) return
    trigger(market, stop, events)
  }
}

/** Returns true if no stop is due, or if stops must not fire because the price is stale (I29) or trading is halted. */
export const isIdle = ({ instrument, prices, stops, tradingState }: Market, atMillis: number): boolean =>
  stops.due.size === 0 ||
  tradingState !== "TRADING" ||
  prices === undefined ||
  !Oracle.isFresh(instrument, prices, atMillis)

const mostAtOnce = 256

/** Turns a stop into an order with the same ids. The other stop of the pair ends, even if the order is not filled. */
function trigger(market: Market, stop: Stops.Stop, events: Events): void {
  const { account, leverage, takerRate } = stop
  const other = Stops.linked(market.stops, stop)
  Stops.remove(market.stops, stop)
  const order: Order = {
    ...stop.order,
    type: "STOP_MARKET",
    origin: "STOP",
    timeInForce: "IOC",
    updatedAtMillis: market.timeMillis
  }
  const stopType = stop.order.type === "TAKE_PROFIT" ? "TAKE_PROFIT" : "STOP_LOSS"
  events.push({ _tag: "Triggered", stopType, order, atMillis: market.timeMillis })
  if (other !== undefined) StopOrder.end(market, other, null, events)
  const limitTicks = stopBound(market.instrument, market.prices!, order.side === "SELL", leverage, takerRate)
  const taker = { order, account, limitTicks, rate: takerRate, leverage, remainingLots: order.remainingLots }
  Match.cross(market, taker, events)
  const left = Match.left(market, taker, events)
  if (left !== undefined) Match.lapse(market, left, events)
}
