/** Numbers of long and short holders, counted when a minute begins instead of at every fill (rule 1.10). */
import * as Holders from "@venue/domain/Holders"
import { minuteOf } from "@venue/domain/Minute"
import { fundUserId } from "@venue/domain/Split"
import type { Events, Market } from "../Market.ts"

/**
 * Records the holder counts if they have changed. Nothing has happened since the last event at `lastMillis`, so the
 * current positions are those at the start of the minute.
 */
export const pass = (market: Market, lastMillis: number, atMillis: number, events: Events): void => {
  if (isIdle(market) || minuteOf(lastMillis) === minuteOf(atMillis)) return
  const counted = count(market)
  market.countedTrades = market.trades
  if (Holders.areSame(counted, market.holders)) return
  const event: Holders.HoldersCounted = { _tag: "HoldersCounted", ...counted, atMillis }
  apply(market, event)
  events.push(event)
}

/** Returns true if no position has changed since the last count. */
export const isIdle = ({ countedTrades, trades }: Market): boolean => countedTrades === trades

export const apply = (market: Market, { atMillis, longUsers, shortUsers }: Holders.HoldersCounted): void => {
  market.timeMillis = atMillis
  market.holders = { longUsers, shortUsers }
}

/** Counts the users with a position. The reserve fund is not a user, although it might hold odd lots. */
function count({ participants: { accounts, users } }: Market): Holders.Holders {
  const held = new Float64Array(users.length)
  for (const { position, user } of accounts) held[user.number]! += position.quantityLots
  let longUsers = 0
  let shortUsers = 0
  for (const { number, userId } of users) {
    if (userId === fundUserId) continue
    if (held[number]! > 0) longUsers++
    else if (held[number]! < 0) shortUsers++
  }
  return { longUsers, shortUsers }
}
