/** Cancellation of all orders, stops and TWAPs in a market, in batches that each fit into one decision. */
import type { TwapEnding } from "@venue/domain/Twap"
import { type Events, type Market, mostEvents } from "../Market.ts"
import * as Match from "./Match.ts"
import type { Account } from "../state/Participants.ts"
import * as StopOrder from "../stops/StopOrder.ts"
import * as Stops from "../stops/Stops.ts"
import * as TwapProgress from "../stops/TwapProgress.ts"

/** Cancels all orders on an operator's request. A further call continues if some are left. */
export const cancelOrders = (market: Market, atMillis: number, events: Events): void => {
  market.timeMillis = atMillis
  cancelMarket(market, events.length + mostEvents, "REQUEST", events)
}

/** Returns whether the market has an order, a stop or a TWAP. */
export const hasOrders = ({ participants, stops, twaps }: Market): boolean =>
  twaps.byId.size > 0 || participants.accounts.some((each) => each.oldest !== 0 || stops.byAccount.has(each))

/** Ends orders, stops and TWAPs until `upTo` events are recorded; returns false if some are left. */
export const cancelMarket = (market: Market, upTo: number, ending: TwapEnding, events: Events): boolean => {
  const { participants, stops, twaps } = market
  for (const account of sorted(
    participants.accounts.filter((each) => each.oldest !== 0 || stops.byAccount.has(each))
  )) {
    while (account.oldest !== 0) {
      if (events.length >= upTo) return false
      Match.end(market, account.oldest, "CANCELLED", null, events)
    }
    for (const stop of Stops.ofAccount(stops, account)) {
      if (events.length >= upTo) return false
      StopOrder.end(market, stop, null, events)
    }
  }
  for (const twap of twaps.byId.values()) {
    if (events.length >= upTo) return false
    TwapProgress.end(market, twap, ending, null, events)
  }
  return true
}

/** Sorts accounts by id, because account numbers might differ after a replay. */
export const sorted = (accounts: ReadonlyArray<Account>): ReadonlyArray<Account> =>
  accounts.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1))
