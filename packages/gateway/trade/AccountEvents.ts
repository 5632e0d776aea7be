/** What the owner of an account is told of a recorded event. A text is built once for all the owner's connections. */
import * as Frame from "@venue/api/trade/Frame"
import type { AccountId } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import { statusAfter, statusAt, type TwapClosed } from "@venue/domain/Twap"
import type { Batch } from "@venue/cluster/feed/Batch"

/** The command it answers, or empty. A TWAP has the id of the one that added it. */
export const commandOf = (event: MarketEvent): string =>
  event._tag === "TwapOpened" ? event.twap.twapId : "commandId" in event ? (event.commandId?.text ?? "") : ""

/** The command is answered by it. */
export const isLast = ({ _tag }: MarketEvent): boolean =>
  _tag === "Accepted" ||
  _tag === "StopPlaced" ||
  _tag === "Modified" ||
  _tag === "Refused" ||
  _tag === "Done" ||
  _tag === "TwapOpened"

type Tell = (event: MarketEvent, accountId: AccountId, batch: Batch) => string

/** Connections of one account are told one after the other, so the last text is all that need be remembered. */
const remembering = (build: Tell): Tell => {
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

/** For `order_responses`; empty when there is nothing to say. */
export const order = remembering((event, accountId, { instrument }) => {
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

/** For `order_responses`: the order of one fill as the outcome of the command left it, sent behind all fills of that command. */
export const filled = (event: Traded, order: Order, { instrument }: Batch): string => {
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

/** For `fills`; empty for all but a trade. */
export const fill = remembering((event, accountId, { instrument }) =>
  event._tag === "Traded" ? Frame.fillResponse(instrument, event, roleOf(event, accountId)) : ""
)

/** For `stop_orders`, ahead of the order response; empty when it is about no stop. No trade is, so a fill comes with none. */
export const stop = remembering((event, _accountId, { instrument }) => {
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

/** For `order_responses`, ahead of the order response that answers the cancel of a TWAP; empty for all else. */
export const twap = remembering((event, _accountId, { instrument }) =>
  event._tag === "TwapClosed" && event.ending === "REQUEST" ? closed(instrument, event) : ""
)

const closed = (instrument: Instrument, { atMillis, ending, twap }: TwapClosed): string =>
  Frame.twapResponse({
    instrument,
    twap: { ...twap, updatedAtMillis: atMillis },
    status: statusAfter(ending)
  })

/** Nothing is left of a stop that has ended, as its `stop_order_response` says too; clients are used to that. */
const ended = (order: Order): Order => (isStop(order.type) ? { ...order, quantityLots: 0, remainingLots: 0 } : order)

const roleOf = ({ taker }: Traded, accountId: AccountId): "taker" | "maker" =>
  taker.order.accountId === accountId ? "taker" : "maker"
