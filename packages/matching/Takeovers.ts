/** Positions that are to go to others off the book (rule 9): they are frozen while a takeover is open. */
import { parse } from "@venue/domain/Id"
import type { OpenTakeover, TakeoverClosed, TakeoverOpened } from "@venue/domain/Liquidation"
import type { PositionState } from "@venue/domain/Position"
import { endAll } from "./Cancel.ts"
import { isAsDecided } from "./Liquidation.ts"
import type { Events, Market } from "./Market.ts"
import { done, remember } from "./Outcome.ts"
import * as Participants from "./Participants.ts"

/** The account's orders end either way; where the position is another by now, or its price, nothing else happens. */
export const open = (market: Market, account: Participants.Account, command: OpenTakeover, events: Events): void => {
  const { accountId, commandId, decidedOn, expiresAtMillis, share, userId } = command
  endAll(market, account, commandId, events)
  if (!isAsDecided(market, account, decidedOn) || market.takeovers.size >= mostOpen)
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
  for (const [{ position }, { opened }] of market.takeovers) {
    const { accountId, takeoverId, userId } = opened
    const closed: TakeoverClosed = {
      _tag: "TakeoverClosed",
      takeoverId,
      userId,
      accountId,
      leftLots: position.quantityLots,
      atMillis
    }
    apply(market, closed)
    events.push(closed)
  }
}

export const apply = (market: Market, event: TakeoverOpened | TakeoverClosed): void => {
  const account = Participants.account(market.participants, event.accountId, event.userId)
  account.isFrozen = event._tag === "TakeoverOpened"
  if (event._tag === "TakeoverClosed") return void market.takeovers.delete(account)
  remember(market, event.takeoverId, event.expiresAtMillis, account.user, "DONE")
  market.takeovers.set(account, { opened: event, position: { ...account.position } })
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

/** So many at once, since all of them are looked through when one is old enough. */
const mostOpen = 256
