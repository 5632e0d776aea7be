/** What the owner of an account is told of a recorded fact. Built once for all the owner's connections. */
import * as Frame from "@venue/api/trade/Frame"
import type { MarketEvent } from "@venue/domain/Market"
import type { Batch } from "@venue/cluster/protocol/Resident"

export interface Told {
  /** The command it answers, or empty. */
  readonly commandId: string
  /** For `order_responses`; empty when there is nothing to say. */
  readonly order: string
  /** For `fills`, ahead of the order response. */
  readonly fill: string
  /** The command is answered by it. */
  readonly last: boolean
}

let memoEvent: MarketEvent | undefined
let memoAccountId = ""
let memo: Told | undefined

/** Connections of one account are told one after the other, so the last answer is all that need be remembered. */
export const tellOf = (event: MarketEvent, accountId: string, batch: Batch): Told | undefined => {
  if (memoEvent !== event || memoAccountId !== accountId) {
    memo = build(event, accountId, batch)
    memoEvent = event
    memoAccountId = accountId
  }
  return memo
}

function build(event: MarketEvent, accountId: string, { instrument }: Batch): Told | undefined {
  switch (event._tag) {
    case "Accepted":
      return about(event.commandId, Frame.orderResponse(instrument, event.order, "ACK", event.atMillis, null), true)
    case "Modified":
      return about(
        event.commandId,
        Frame.orderResponse(instrument, event.order, "MODIFIED", event.atMillis, null),
        true
      )
    case "Ended":
      return about(
        event.commandId,
        Frame.orderResponse(instrument, event.order, event.status, event.atMillis, null),
        false
      )
    case "Refused":
      return about(event.commandId, Frame.refusal(instrument.symbol, event), true)
    case "Done":
      return about(event.commandId, "", true)
    case "Traded": {
      const role = event.taker.order.accountId === accountId ? "taker" : "maker"
      return {
        commandId: "",
        order: Frame.orderResponse(instrument, event[role].order, "FILLED", event.atMillis, event.tradeId),
        fill: Frame.fillResponse(instrument, event, role),
        last: false
      }
    }
    default:
      return undefined
  }
}

const about = (commandId: string, order: string, last: boolean): Told => ({ commandId, order, fill: "", last })
