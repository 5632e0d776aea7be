/** Metrics of the order path: durations, waiting commands, orders, fills and refusals. */
import { counter, fast, gauge, histogram } from "../Definition.ts"

/** Each step is measured once: an order at `answer`, a call at `desk` and `market`, a row at `journal` and `feed`. */
export const orderSeconds = histogram("venue_order_seconds", {
  labels: ["step"],
  nodes: ["runner", "gateway"],
  help: "Duration of a step of the order path: `desk`, `market`, `journal`, `feed`; `answer` is the whole path",
  boundaries: fast
})

export const deskCommandsWaiting = gauge("venue_desk_commands_waiting", {
  labels: ["desk"],
  nodes: ["gateway"],
  help: "Commands on this gateway that wait for a desk or are in flight to it"
})

export const marketCommandsWaiting = gauge("venue_market_commands_waiting", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "Commands on this node that wait for a market or are in flight to it"
})

export const commandsRefused = counter("venue_commands_refused_total", {
  labels: ["target"],
  nodes: ["runner", "gateway"],
  help: "Commands refused because the list of the `desk` or `market` was full"
})

export const orders = counter("venue_orders_total", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "Orders that a market accepted"
})

export const fills = counter("venue_fills_total", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "Trades of a market, each with a maker and a taker"
})

export const ordersEnded = counter("venue_orders_ended_total", {
  labels: ["symbol", "status"],
  nodes: ["runner"],
  help: "Orders that ended with a remainder, by final status"
})

export const orderRefusals = counter("venue_order_refusals_total", {
  labels: ["symbol", "reason"],
  nodes: ["runner"],
  help: "Commands that a market refused, by status"
})

export const deskRefusals = counter("venue_desk_refusals_total", {
  labels: ["reason"],
  nodes: ["runner"],
  help: "Commands that a desk refused, by reason"
})

export const ordersUnknown = counter("venue_orders_unknown_total", {
  nodes: ["gateway"],
  help: "Commands whose outcome was reported to the client as unknown"
})
