/** Takeovers: positions transferred off the book (rule 9.9). A position is frozen while its takeover is open. */
import { parse } from "@venue/domain/Id"
import {
  type CloseTakeovers,
  type OpenTakeover,
  standMillis,
  type TakeoverClosed,
  type TakeoverOpened
} from "@venue/domain/Liquidation"
import { isSame, type PositionState } from "@venue/domain/Position"
import * as Alarms from "../prices/Alarms.ts"
import { endAll } from "../orders/Cancel.ts"
import * as Counterparties from "./Counterparties.ts"
import { isAsDecided, moveSince } from "./Liquidation.ts"
import { type Events, type Market, mostEvents, type Takeover } from "../Market.ts"
import { done, remember } from "../orders/Outcome.ts"
import * as Participants from "../state/Participants.ts"
import { isFresh } from "../prices/Pricing.ts"
import * as Waterfall from "./Waterfall.ts"

/** Ends the account's orders, then opens a takeover if the position and the price still match the desk's decision. */
export const open = (market: Market, account: Participants.Account, command: OpenTakeover, events: Events): void => {
  const { accountId, commandId, decidedOn, expiresAtMillis, share, userId } = command
  endAll(market, account, commandId, events)
  if (!isAsDecided(market, account, decidedOn) || !Number.isSafeInteger(share) || market.takeovers.size >= mostOpen)
    return done(market, command, account.user, events)
  const opened: TakeoverOpened = {
    _tag: "TakeoverOpened",
    takeoverId: commandId,
    expiresAtMillis,
    userId,
    accountId,
    quantityLots: account.position.quantityLots,
    markE8: decidedOn.markE8,
    share,
    atMillis: market.timeMillis
  }
  apply(market, opened)
  events.push(opened)
}

/** Closes all open takeovers without a trade, because the contract ends or changes. */
export const abandon = (market: Market, atMillis: number, events: Events): void => {
  for (const [account, takeover] of market.takeovers) end(market, account, takeover, true, atMillis, events)
}

export const apply = (market: Market, event: TakeoverOpened | TakeoverClosed): void => {
  const account = Participants.account(market.participants, event.accountId, event.userId)
  account.isFrozen = event._tag === "TakeoverOpened"
  if (event._tag === "TakeoverClosed") {
    if (event.isUncovered) Alarms.uncovered(market.since, event.atMillis)
    return void market.takeovers.delete(account)
  }
  remember(market, event.takeoverId, event.expiresAtMillis, account.user, "DONE")
  market.takeovers.set(account, { opened: event, position: { ...account.position } })
}

/**
 * Closes the takeovers whose response time has expired, oldest first. A takeover closes without a trade if the
 * position has changed, the market does not trade, its price is stale or the mark has recovered.
 */
export const close = (market: Market, { stands }: CloseTakeovers, nowMillis: number, events: Events): void => {
  let counterparties: Counterparties.Counterparties | undefined
  const untilEvents = events.length + mostEvents
  for (const [account, takeover] of market.takeovers) {
    if (takeover.opened.atMillis + standMillis > nowMillis || events.length >= untilEvents) return
    market.timeMillis = nowMillis
    counterparties ??= Counterparties.make(market, stands)
    const isCovered =
      !isSame(account.position, takeover.position) ||
      !mayTrade(market) ||
      hasRecovered(market, takeover) ||
      Waterfall.pass(market, account, takeover, counterparties, untilEvents, events)
    end(market, account, takeover, isCovered, nowMillis, events)
  }
}

/** An open takeover as plain values, for a snapshot. */
export interface StoredTakeover extends Omit<TakeoverOpened, "takeoverId"> {
  readonly takeoverId: string
  readonly position: PositionState
}

export const snapshot = ({ takeovers }: Market): ReadonlyArray<StoredTakeover> =>
  Array.from(takeovers.values(), ({ opened, position }) => ({
    ...opened,
    takeoverId: opened.takeoverId.text,
    position
  }))

/** Restores takeovers; the accounts exist already. */
export const restore = (market: Market, stored: ReadonlyArray<StoredTakeover>): void => {
  for (const { position, takeoverId: text, ...rest } of stored) {
    const takeoverId = parse(text)
    if (takeoverId === undefined) throw new Error(`snapshot holds a takeover with the id ${text}`)
    const account = Participants.account(market.participants, rest.accountId, rest.userId)
    account.isFrozen = true
    market.takeovers.set(account, { opened: { ...rest, takeoverId }, position })
  }
}

/** Closes a takeover; lots that were not transferred stay with the account. */
function end(
  market: Market,
  account: Participants.Account,
  { opened: { accountId, takeoverId, userId } }: Takeover,
  isCovered: boolean,
  atMillis: number,
  events: Events
): void {
  const leftLots = account.position.quantityLots
  const whose = { takeoverId, userId, accountId, leftLots }
  const uncovered = isCovered ? {} : ({ isUncovered: true } as const)
  const closed: TakeoverClosed = { _tag: "TakeoverClosed", ...whose, ...uncovered, atMillis }
  apply(market, closed)
  events.push(closed)
}

function mayTrade(market: Market): boolean {
  const { prices, timeMillis, tradingState } = market
  return tradingState === "TRADING" && prices !== undefined && isFresh(market, prices, timeMillis)
}

/**
 * Returns true if the mark has moved in favour of the position by more than NEAR. The account might then be above its
 * maintenance margin, so its desk decides again. A smaller move cannot lift the account above the margin, because a
 * third of the margin was missing, which is 44 bps of the mark at the highest leverage of any contract.
 */
function hasRecovered({ prices }: Market, { opened, position }: Takeover): boolean {
  return moveSince(prices!.markE8, opened.markE8, position.quantityLots > 0) === "RECOVERED"
}

/** Maximum number of open takeovers; bounds the scan when one of them is due to close. */
const mostOpen = 256
