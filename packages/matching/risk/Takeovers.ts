/** Positions that are to go to others off the book (rule 9.9): they are frozen while a takeover is open. */
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

/** The account's orders end either way; where the position is another by now, or its price, nothing else happens. */
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

/** The contract ends or changes, and with that what was to be taken over: all that are open close, with nothing done. */
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
 * Closes those that have been open for so long that every desk could answer, the oldest first. Where the position is another
 * by now, the market does not trade or knows no fresh price, or the mark has recovered, nothing else happens.
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

/** The accounts are there already. */
export const restore = (market: Market, stored: ReadonlyArray<StoredTakeover>): void => {
  for (const { position, takeoverId: text, ...rest } of stored) {
    const takeoverId = parse(text)
    if (takeoverId === undefined) throw new Error(`snapshot holds a takeover with the id ${text}`)
    const account = Participants.account(market.participants, rest.accountId, rest.userId)
    account.isFrozen = true
    market.takeovers.set(account, { opened: { ...rest, takeoverId }, position })
  }
}

/** What of the position is still there stays. */
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
 * The account may be above its maintenance margin again, so its desk decides anew. A mark that is still near brings it to no
 * more than that: a third of the margin was missing, which is 44 bps of the mark at the highest level of any contract. A mark
 * that trembles so puts no takeover off.
 */
function hasRecovered({ prices }: Market, { opened, position }: Takeover): boolean {
  return moveSince(prices!.markE8, opened.markE8, position.quantityLots > 0) === "RECOVERED"
}

/** So many at once, since all of them are looked through when one is old enough. */
const mostOpen = 256
