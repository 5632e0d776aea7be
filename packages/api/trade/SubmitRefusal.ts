/** What a trader is told when a desk handed an order on to no market. */
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"

export const message = (refusal: SubmitRefusal): string => {
  switch (refusal._tag) {
    case "AccountLoading":
      return "the account is being loaded; not placed, try again"
    case "MarketSilent":
      return `${refusal.symbol} or a market you hold cannot record orders now; not placed, try again`
    case "UnknownAccount":
      return `no account ${refusal.accountId}`
    case "TooManyWaiting":
      return `too many orders wait for ${refusal.symbol}; try again`
    case "NoSuchStop":
      return "no such stop order"
    case "DeskOverloaded":
      return "too many orders are waiting; not placed, try again"
    case "Faulted":
      return "it could not be processed; whether it was done is unknown"
    case "DeskUnreachable":
      return "no desk could be reached; whether it was done is unknown"
  }
}
