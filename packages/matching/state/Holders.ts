/** Counts who is long and who is short when a minute begins, so that no fill has to (rule 1.10). */
import * as Holders from "@venue/domain/Holders"
import { minuteOf } from "@venue/domain/Minute"
import { fundUserId } from "@venue/domain/Split"
import type { Events, Market } from "../Market.ts"

/**
 * Time has passed since the last event, at `lastMillis`, and nothing else has happened: what is held now was held when the
 * minute began. The same numbers again are no event.
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

/** Says whether nothing has moved a position since they were counted. */
export const isIdle = ({ countedTrades, trades }: Market): boolean => countedTrades === trades

export const apply = (market: Market, { atMillis, longUsers, shortUsers }: Holders.HoldersCounted): void => {
  market.timeMillis = atMillis
  market.holders = { longUsers, shortUsers }
}

/** The reserve fund is no user, whatever odd lots it holds. */
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
