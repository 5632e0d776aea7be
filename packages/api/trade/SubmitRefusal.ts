/** What a trader is told when a desk handed an order on to no market. */
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import type { TwapFlaw } from "@venue/domain/Twap"
import * as Digits from "../Digits.ts"
import type { ErrorCode } from "../ErrorFrame.ts"

export const message = (refusal: SubmitRefusal): string => {
  switch (refusal._tag) {
    case "AccountLoading":
      return "the account is being loaded; not placed, try again"
    case "MarketSilent":
      return `${refusal.symbol} or a market you hold cannot record orders now; not placed, try again`
    case "VenueCancelOnly":
      return closed("the venue accepts only cancels for now", refusal.publicReason)
    case "VenueHalted":
      return closed("the venue is halted and accepts only cancels for now", refusal.publicReason)
    case "UnknownAccount":
      return `no account ${refusal.accountId}`
    case "TooManyWaiting":
      return `too many orders wait for ${refusal.symbol}; try again`
    case "NoSuchStop":
      return "stop_order_id: no open stop of this account has that id, with that symbol, side and type; get_user_orders lists the open ones"
    case "InvalidTwap":
      return twapMessage(refusal)
    case "ConnectionEnded":
      return "this connection was taken for lost, and the account's orders were cancelled; not done, connect again"
    case "DeskOverloaded":
      return "too many orders are waiting; not placed, try again"
    case "Faulted":
      return "it could not be processed; whether it was done is unknown"
    case "DeskUnreachable":
      return "no desk could be reached; whether it was done is unknown"
  }
}

/** The error code of a refusal on the wire. */
export const code = ({ _tag }: SubmitRefusal): ErrorCode => {
  switch (_tag) {
    case "VenueCancelOnly":
    case "VenueHalted":
      return _tag
    case "NoSuchStop":
      return "InvalidOrder"
    case "InvalidTwap":
      return "InvalidParameter"
    default:
      return "ServerError"
  }
}

const closed = (state: string, publicReason: string | null = null): string =>
  `${state}; not done, try again once it trades${publicReason === null ? "" : `: ${publicReason}`}`

const twapMessage = ({ bound, flaw }: TwapFlaw): string => {
  switch (flaw) {
    case "SYMBOL":
      return "symbol: expected one that is listed, ACTIVE and has a price"
    case "LOT":
      return `total_quantity: expected a multiple of ${Digits.plain(bound)}`
    case "TICK":
      return `worst_price: expected a multiple of ${Digits.plain(bound)}, or 0 for none`
    case "SLICE_TOO_SMALL":
      return `total_quantity / num_orders: expected at least ${Digits.plain(bound)}`
    case "SLICE_TOO_LARGE":
      return `total_quantity / num_orders: expected at most ${Digits.plain(bound)}`
    case "SLICE_BELOW_NOTIONAL":
      return bound >= 2
        ? `num_orders: each order would be worth less than 10 USD at the mark: expected at most ${bound} of this total_quantity`
        : "total_quantity: two orders of it would be worth less than 10 USD each at the mark: expected more"
    case "TOO_LARGE":
      return "total_quantity: expected less: its value may pass 9,007,199,254 USD, the most that one account may have in a market"
    case "TOO_LONG":
      return `num_orders, order_interval_secs, start_time: expected the last order to be due within ${bound} days`
    case "TOO_MANY":
      return `the account has ${bound} TWAPs that go on, which are all there may be; cancel one first`
    case "IN_LIQUIDATION":
      return "the account is in liquidation: expected reduce_only"
  }
}
