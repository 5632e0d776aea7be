/** Decodes frames of the trade socket. */
import { type Fields, isFields, parse } from "../Incoming.ts"
import { echoing, type Malformed, notAnObject, wrong } from "../Malformed.ts"
import * as Orders from "./OrderCommand.ts"
import * as Queries from "./QueryCommand.ts"
import * as Session from "./SessionCommand.ts"
import * as Stops from "./StopCommand.ts"
import * as Twaps from "./TwapCommand.ts"

/** Command of a client. */
export type Command =
  | Orders.AddOrder
  | Orders.ModifyOrder
  | Orders.CancelOrder
  | Orders.CancelAllOrders
  | Orders.ClosePosition
  | Orders.PreviewOrder
  | Stops.CancelStopOrder
  | Stops.ModifyStopOrder
  | Session.Auth
  | Session.Subscribe
  | Session.Unsubscribe
  | Session.CancelOnDisconnect
  | Session.CancelAllAfter
  | Queries.GetOrder
  | Queries.GetUserOrders
  | Queries.GetUserTrades
  | Queries.GetUserLeverage
  | Queries.GetAvailableLeverageLevels
  | Queries.SetUserLeverage
  | Twaps.AddTwap
  | Twaps.CancelTwap

/** Frame that could not be decoded; `meant` is its apparent purpose, "nothing" for text that is not a JSON object. */
export interface Unreadable extends Malformed {
  readonly meant: "auth" | "other" | "nothing"
  /** Symbol in the frame, whether listed or not; null if the frame has no symbol. */
  readonly symbol: string | null
}

/** Decodes a text frame, whose length the socket bounds; returns a refusal instead of throwing. */
export const decode = (text: string): Command | Unreadable => {
  const message = parse(text)
  if (!isFields(message)) return { ...notAnObject(text, message), meant: "nothing", symbol: null }
  const { params, type } = message
  const decoded = isFields(params) ? read(type, params) : withoutParams(message)
  if (decoded._tag !== "Malformed") return decoded
  const symbol = isFields(params) && typeof params["symbol"] === "string" ? params["symbol"] : null
  return { ...echoing(decoded, text), meant: type === "auth" ? "auth" : "other", symbol }
}

/** Cost of a message in one of the user's two rate-limit buckets. */
export interface Weight {
  readonly bucket: "general" | "cancel"
  readonly weight: number
}

/** Returns the rate-limit cost of a decoded frame. */
export const weight = (decoded: Command | Malformed): Weight => weights[decoded._tag]

/** Auth is free, because its deadline already limits it. A malformed frame costs as much as an order. */
const weights: { readonly [Tag in (Command | Malformed)["_tag"]]: Weight } = {
  Auth: { bucket: "general", weight: 0 },
  Subscribe: { bucket: "general", weight: 0.1 },
  Unsubscribe: { bucket: "general", weight: 0.1 },
  AddOrder: { bucket: "general", weight: 1 },
  ModifyOrder: { bucket: "general", weight: 1 },
  CancelOrder: { bucket: "cancel", weight: 1 },
  CancelTwap: { bucket: "cancel", weight: 1 },
  CancelAllOrders: { bucket: "cancel", weight: 2 },
  CancelOnDisconnect: { bucket: "general", weight: 0.1 },
  // Uses the cancel bucket, so that a client whose orders exhaust the general bucket can still renew its dead-man
  // switch.
  CancelAllAfter: { bucket: "cancel", weight: 1 },
  ClosePosition: { bucket: "general", weight: 1 },
  AddTwap: { bucket: "general", weight: 1 },
  CancelStopOrder: { bucket: "cancel", weight: 1 },
  ModifyStopOrder: { bucket: "general", weight: 1 },
  PreviewOrder: { bucket: "general", weight: 2 },
  GetOrder: { bucket: "general", weight: 2 },
  GetUserOrders: { bucket: "general", weight: 5 },
  GetUserTrades: { bucket: "general", weight: 0.5 },
  GetUserLeverage: { bucket: "general", weight: 0.1 },
  GetAvailableLeverageLevels: { bucket: "general", weight: 0.1 },
  SetUserLeverage: { bucket: "general", weight: 0.1 },
  Malformed: { bucket: "general", weight: 1 }
}

/** Decodes the parameters of a command; the most frequent commands come first. */
const read = (type: unknown, params: Fields): Command | Malformed => {
  switch (type) {
    case "add_order":
      return Orders.addOrder(params)
    case "cancel_order":
      return Orders.cancelOrder(params)
    case "modify_order":
      return Orders.modifyOrder(params)
    case "cancel_all_orders":
      return Orders.cancelAllOrders(params)
    case "close_position":
      return Orders.closePosition(params)
    case "preview_order":
      return Orders.previewOrder(params)
    case "get_order":
      return Queries.getOrder(params)
    case "get_user_orders":
      return Queries.getUserOrders(params)
    case "get_user_trades":
      return Queries.getUserTrades(params)
    case "get_user_leverage":
      return Queries.getUserLeverage(params)
    case "get_available_leverage_levels":
      return Queries.getAvailableLeverageLevels(params)
    case "set_user_leverage":
      return Queries.setUserLeverage(params)
    case "auth":
      return Session.auth(params)
    case "subscribe":
      return Session.subscribe(params)
    case "unsubscribe":
      return Session.unsubscribe(params)
    case "cancel_on_disconnect":
      return Session.cancelOnDisconnect(params)
    case "cancel_all_after":
      return Session.cancelAllAfter(params)
    case "add_twap":
      return Twaps.addTwap(params)
    case "cancel_stop_order":
      return Stops.cancelStopOrder(params)
    case "modify_stop_order":
      return Stops.modifyStopOrder(params)
    default:
      return wrong("type", type, 'a command such as "add_order"')
  }
}

/** Decodes a frame without `params`: a subscription to market data in the flat form of the market-data socket. */
const withoutParams = (message: Fields): Session.Subscribe | Session.Unsubscribe | Malformed => {
  const { channels, params, type } = message
  const flat = params === undefined && (type === "subscribe" || type === "unsubscribe") && Array.isArray(channels)
  if (flat && channels.length > 0 && channels.every(Session.isMarketDataChannel)) {
    return type === "subscribe" ? Session.subscribe(message) : Session.unsubscribe(message)
  }
  return typeof type === "string"
    ? wrong("params", params, "an object, or {} for no parameters")
    : wrong("type", type, 'a command such as "add_order"')
}
