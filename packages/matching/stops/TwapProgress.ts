/**
 * Life cycle of a TWAP: opening, progress child by child, closing. Stored outcomes are dropped one minute after
 * expiry, so the number of the newest slice prevents placing a child twice.
 */
import { type Id, isSame } from "@venue/domain/Id"
import { isOver } from "@venue/domain/TradingState"
import type { PlaceSlice, Refused, Traded } from "@venue/domain/Market"
import {
  type CloseTwaps,
  type OpenTwap,
  type Twap,
  type TwapAdvanced,
  type TwapClosed,
  type TwapEnding,
  type TwapOpened,
  unplaced
} from "@venue/domain/Twap"
import type { Events, Market } from "../Market.ts"
import { done, refuse, remember } from "../orders/Outcome.ts"
import type { Account } from "../state/Participants.ts"
import * as Twaps from "./Twaps.ts"

/**
 * Opens a TWAP. Has no effect if the TWAP is already open. Closes the TWAP at once if it was accepted before a split
 * or if its contract has ended, because its trader had not yet processed the split or the end.
 */
export const open = (market: Market, account: Account, command: OpenTwap, events: Events): void => {
  const { commandId, expiresAtMillis, terms } = command
  if (market.twaps.byId.has(terms.twapId)) return done(market, command, account.user, events)
  remember(market, commandId, expiresAtMillis, account.user, "DONE")
  const { timeMillis: atMillis } = market
  const opened: TwapOpened = {
    _tag: "TwapOpened",
    commandId,
    expiresAtMillis,
    twap: unplaced(terms, atMillis),
    atMillis
  }
  Twaps.apply(market.twaps, opened)
  events.push(opened)
  if (isOver(market.tradingState)) end(market, opened.twap, "DELISTING", null, events)
  else if (terms.createdAtMillis < market.lastSplitMillis) end(market, opened.twap, "SPLIT", null, events)
}

/** Returns true if the slice can be placed: its TWAP is open, and neither this slice nor a later one was placed. */
export const isNext = ({ twaps }: Market, { accountId, slice, twapId }: PlaceSlice): boolean => {
  const twap = twaps.byId.get(twapId)
  return twap !== undefined && twap.accountId === accountId && slice > twap.lastSlice && slice <= twap.slices
}

/**
 * Records a child order's result; the child's events begin at `first`. Ignores a repeated slice, which has no events.
 */
export const advance = (market: Market, { child, slice, twapId }: PlaceSlice, first: number, events: Events): void => {
  if (events.length === first) return
  const own = events.slice(first)
  const fills = own.filter(
    (event): event is Traded => event._tag === "Traded" && isSame(event.taker.order.orderId, child.commandId)
  )
  const refused = own.find((event): event is Refused => event._tag === "Refused")
  const before = market.twaps.byId.get(twapId)!
  const { timeMillis: atMillis } = market
  const twap: Twap = {
    ...before,
    lastSlice: slice,
    filledLots: fills.reduce((sum, { quantityLots }) => sum + quantityLots, before.filledLots),
    filledValue: fills.reduce((sum, { notional }) => sum + notional, before.filledValue),
    filledSlices: before.filledSlices + (fills.length > 0 ? 1 : 0),
    refusal: refused?.status ?? null,
    updatedAtMillis: atMillis
  }
  const advanced: TwapAdvanced = { _tag: "TwapAdvanced", twap, atMillis }
  Twaps.apply(market.twaps, advanced)
  events.push(advanced)
}

export const close = (market: Market, account: Account, command: CloseTwaps, events: Events): void => {
  const { commandId, ending, twapIds } = command
  const { twaps } = market
  let isAny = false
  for (const twapId of twapIds) {
    const twap = twaps.byId.get(twapId)
    if (twap?.accountId !== account.accountId) continue
    isAny = true
    end(market, twap, ending, commandId, events)
  }
  if (isAny) done(market, command, account.user, events)
  else refuse(market, command, "NO_SUCH_ORDER", events)
}

/** Ends a TWAP. `commandId` is null if no command requested the end. */
export const end = (market: Market, twap: Twap, ending: TwapEnding, commandId: Id | null, events: Events): void => {
  const closed: TwapClosed = { _tag: "TwapClosed", commandId, twap, ending, atMillis: market.timeMillis }
  Twaps.apply(market.twaps, closed)
  events.push(closed)
}
