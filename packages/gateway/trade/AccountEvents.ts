/** Frames that report a market event to an account's owner, each built once for all of the owner's connections. */
import * as Frame from "@venue/api/trade/Frame"
import type { AccountId } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import { statusAfter, statusAt, type TwapClosed } from "@venue/domain/Twap"
import type { Batch } from "@venue/cluster/feed/Batch"
import type { EventReply } from "./Replies.ts"
import type { Subscriptions } from "./Subscriptions.ts"

/** Returns the frames that report an event to a connection with these subscriptions. */
export const replyTo = (
  event: MarketEvent,
  accountId: AccountId,
  batch: Batch,
  { sendsFills, sendsOrders, sendsStops }: Subscriptions
): EventReply => {
  const detail = sendsFills ? fill(event, accountId, batch) : ""
  const stopDetail = sendsStops ? stop(event, accountId, batch) : ""
  const twapDetail = event._tag === "TwapClosed" && sendsOrders ? twap(event, accountId, batch) : ""
  return {
    symbol: batch.instrument.symbol,
    commandId: commandOf(event),
    detail: detail + stopDetail + twapDetail,
    order: sendsOrders ? order(event, accountId, batch) : "",
    isLast: isLast(event),
    refusal: event._tag === "Refused" ? event.status : "",
    orderId: orderIdOf(event, accountId)
  }
}

/** Returns the order response for one fill. It shows the order in its state after the whole command (rule 4.22). */
export const filledReply = (event: Traded, order: Order, batch: Batch): EventReply => ({
  symbol: batch.instrument.symbol,
  commandId: "",
  detail: "",
  order: filled(event, order, batch),
  isLast: false,
  refusal: "",
  orderId: order.orderId.text
})

/** Returns the id of the command that caused the event or added the TWAP, or an empty string if no command did. */
const commandOf = (event: MarketEvent): string =>
  event._tag === "TwapOpened" ? event.twap.twapId : "commandId" in event ? (event.commandId?.text ?? "") : ""

/** Returns the id of the account's order or TWAP that the event concerns, or an empty string for other events. */
const orderIdOf = (event: MarketEvent, accountId: AccountId): string => {
  if (event._tag === "Traded") return event[roleOf(event, accountId)].order.orderId.text
  if ("order" in event) return event.order.orderId.text
  return "twap" in event ? event.twap.twapId : ""
}

/** True for an event that is the final reply to its command. */
const isLast = ({ _tag }: MarketEvent): boolean =>
  _tag === "Accepted" ||
  _tag === "StopPlaced" ||
  _tag === "Modified" ||
  _tag === "Refused" ||
  _tag === "Done" ||
  _tag === "TwapOpened"

type BuildFrame = (event: MarketEvent, accountId: AccountId, batch: Batch) => string

/** Caches the last frame: an event goes to all of an account's connections in turn, so one entry suffices. */
const cached = (build: BuildFrame): BuildFrame => {
  let lastEvent: MarketEvent | undefined
  let lastAccountId = ""
  let last = ""
  return (event, accountId, batch) => {
    if (lastEvent !== event || lastAccountId !== accountId) {
      last = build(event, accountId, batch)
      lastEvent = event
      lastAccountId = accountId
    }
    return last
  }
}

/** Returns the `order_responses` frame, or an empty string if the event has no order response. */
export const order = cached((event, accountId, { instrument }) => {
  switch (event._tag) {
    case "Accepted":
    case "StopPlaced":
    case "Triggered":
      return Frame.orderResponse(instrument, event.order, "ACK", event.atMillis, null)
    case "Modified":
      return Frame.orderResponse(instrument, event.order, "MODIFIED", event.atMillis, null)
    case "Ended":
      return Frame.orderResponse(instrument, ended(event.order), event.status, event.atMillis, null)
    case "Refused":
      return Frame.refusal(instrument.symbol, event)
    case "TwapOpened":
    case "TwapAdvanced":
      return Frame.twapResponse({ instrument, twap: event.twap, status: statusAt(event.twap, event.atMillis) })
    case "TwapClosed":
      return event.ending === "REQUEST"
        ? Frame.twapCancelled(instrument, event.twap, event.atMillis)
        : closed(instrument, event)
    default:
      return ""
  }
})

const filled = (event: Traded, order: Order, { instrument }: Batch): string => {
  if (lastFilled !== event || lastOrder !== order) {
    lastFilled = event
    lastOrder = order
    lastFrame = Frame.orderResponse(instrument, order, "FILLED", event.atMillis, event.tradeId.text)
  }
  return lastFrame
}

let lastFilled: Traded | undefined
let lastOrder: Order | undefined
let lastFrame = ""

/** Returns the `fills` frame, or an empty string for every event other than a trade. */
const fill = cached((event, accountId, { instrument }) =>
  event._tag === "Traded" ? Frame.fillResponse(instrument, event, roleOf(event, accountId)) : ""
)

/** Returns the `stop_orders` frame, or an empty string for an event that concerns no stop, such as a trade. */
const stop = cached((event, _accountId, { instrument }) => {
  switch (event._tag) {
    case "StopPlaced":
      return Frame.stopOrderResponse(instrument, event.order, event.order.type, false, event.atMillis)
    case "Modified":
    case "Ended":
      return isStop(event.order.type)
        ? Frame.stopOrderResponse(instrument, event.order, event.order.type, event._tag === "Ended", event.atMillis)
        : ""
    case "Triggered":
      return Frame.stopOrderResponse(instrument, event.order, event.stopType, true, event.atMillis)
    default:
      return ""
  }
})

/** Returns the TWAP frame that precedes a TWAP cancel's order response, or an empty string for other events. */
const twap = cached((event, _accountId, { instrument }) =>
  event._tag === "TwapClosed" && event.ending === "REQUEST" ? closed(instrument, event) : ""
)

const closed = (instrument: Instrument, { atMillis, ending, twap }: TwapClosed): string =>
  Frame.twapResponse({
    instrument,
    twap: { ...twap, updatedAtMillis: atMillis },
    status: statusAfter(ending)
  })

/** Returns the finished order. A finished stop has quantity 0, as in its `stop_order_response`. */
const ended = (order: Order): Order => (isStop(order.type) ? { ...order, quantityLots: 0, remainingLots: 0 } : order)

const roleOf = ({ taker }: Traded, accountId: AccountId): "taker" | "maker" =>
  taker.order.accountId === accountId ? "taker" : "maker"
