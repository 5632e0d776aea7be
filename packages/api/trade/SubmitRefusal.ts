/** Texts and codes for commands that a desk refused before they reached a market. */
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import type { TwapFlaw } from "@venue/domain/Twap"
import * as Digits from "../Digits.ts"
import type { ErrorCode } from "../ErrorFrame.ts"

/** Returns the explanation of a refusal for traders. */
export const message = (refusal: SubmitRefusal): string => {
  switch (refusal._tag) {
    case "AccountLoading":
      return "the account is still loading; nothing was done, try again"
    case "MarketSilent":
      return `orders cannot be recorded now in ${refusal.symbol} or in another market where the account has a position; nothing was done, try again`
    case "VenueCancelOnly":
      return closed("the venue currently accepts only cancellations", refusal.publicReason)
    case "VenueHalted":
      return closed("the venue is halted and accepts only cancellations", refusal.publicReason)
    case "UnknownAccount":
      return `the user has no account ${refusal.accountId}`
    case "TooManyWaiting":
      return `too many orders are queued for ${refusal.symbol}; nothing was done, try again`
    case "NoSuchStop":
      return "stop_order_id: no open stop of this account has this id, symbol, side and type; get_user_orders lists the open stops"
    case "InvalidTwap":
      return twapMessage(refusal)
    case "ConnectionEnded":
      return "the venue considered this connection lost and cancelled the account's orders; this command was not executed, connect again"
    case "DeskOverloaded":
      return "too many orders are queued; nothing was done, try again"
    case "Faulted":
      return "the command failed and its outcome is unknown; read the current state before you try again"
    case "DeskUnreachable":
      return "the desk of the account is unreachable and the outcome is unknown; read the current state before you try again"
  }
}

/** Returns the error code of a refusal. */
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
  `${state}; nothing was done, try again when trading resumes${publicReason === null ? "" : `. Reason: ${publicReason}`}`

const twapMessage = ({ bound, flaw }: TwapFlaw): string => {
  switch (flaw) {
    case "SYMBOL":
      return "symbol: expected a listed, ACTIVE symbol with a price"
    case "LOT":
      return `total_quantity: expected a multiple of the lot size, ${Digits.plain(bound)} base units`
    case "TICK":
      return `worst_price: expected a multiple of the tick size, ${Digits.plain(bound)} USD, or 0 for no limit`
    case "SLICE_TOO_SMALL":
      return `total_quantity / num_orders: expected at least ${Digits.plain(bound)} base units`
    case "SLICE_TOO_LARGE":
      return `total_quantity / num_orders: expected at most ${Digits.plain(bound)} base units`
    case "SLICE_BELOW_NOTIONAL":
      return bound >= 2
        ? `num_orders: expected at most ${bound} for this total_quantity; with more orders, an order is worth less than 10 USD at the mark price`
        : "total_quantity: expected more; even with two orders, each order is worth less than 10 USD at the mark price"
    case "TOO_LARGE":
      return "total_quantity: expected less; its value could exceed 9,007,199,254 USD, the maximum for an account in a market"
    case "TOO_LONG":
      return `num_orders, order_interval_secs, start_time: expected the last order within ${bound} days`
    case "TOO_MANY":
      return `the account has ${bound} active TWAPs, the maximum; cancel one first`
    case "IN_LIQUIDATION":
      return "reduce_only: expected true while the account is in liquidation"
  }
}
