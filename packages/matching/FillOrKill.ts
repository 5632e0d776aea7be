/** Whether all of an order could be filled at once: the question of FOK. */
import * as Book from "./Book.ts"
import * as Ladder from "./Ladder.ts"
import type { Market } from "./Market.ts"
import type { Account, User } from "./Participants.ts"
import * as OrderPool from "./OrderPool.ts"

/** Own resting orders do not count, nor do reduce-only orders that earlier fills of the same order would cut. */
export const isFillable = (market: Market, user: User, isSell: boolean, limitTicks: number, lots: number): boolean => {
  const ladder = isSell ? market.bids : market.asks
  const own = isSell ? user.buying : user.selling
  const perLevel = own === 0 && market.participants.reducing === 0
  const cuts: Cuts = new Map()
  let wanted = lots
  for (
    let priceTicks = ladder.best;
    isWithin(isSell, priceTicks, limitTicks);
    priceTicks = Ladder.next(ladder, priceTicks)
  ) {
    const level = Ladder.placeOf(ladder, priceTicks)
    wanted -= perLevel
      ? Math.min(wanted, ladder.totals[level]!)
      : fillableAt(market, user, ladder.heads[level]!, wanted, cuts)
    if (wanted === 0) return true
  }
  return false
}

/** The fills of this order leave so much of an account's reduce-only orders, oldest first. */
type Cuts = Map<Account, { held: number; readonly lots: Map<number, number> }>

const { NEXT, NEWER, REMAINING, TRAITS } = OrderPool

function isWithin(isSell: boolean, priceTicks: number, limitTicks: number): boolean {
  return isSell
    ? priceTicks !== 0 && priceTicks >= limitTicks
    : priceTicks !== Ladder.beyond && priceTicks <= limitTicks
}

function fillableAt(market: Market, user: User, head: number, wanted: number, cuts: Cuts): number {
  const { words } = market.pool
  let filled = 0
  for (let slot = head; slot !== 0 && filled < wanted; slot = words[slot + NEXT]!) {
    const account = Book.accountOf(market, slot)
    if (account.user === user) continue
    const remaining = words[slot + REMAINING]!
    if (account.reducing === 0) filled += Math.min(wanted - filled, remaining)
    else {
      const reducing = cutsOf(market, account, cuts)
      const lots = Math.min(wanted - filled, reducing.lots.get(slot) ?? remaining)
      filled += lots
      fill(reducing, slot, lots)
    }
  }
  return filled
}

/** An account's reduce-only orders are all on the side against its position. */
function cutsOf(market: Market, account: Account, cuts: Cuts): { held: number; readonly lots: Map<number, number> } {
  const known = cuts.get(account)
  if (known !== undefined) return known
  const { words } = market.pool
  const lots = new Map<number, number>()
  for (let slot = account.oldest; slot !== 0; slot = words[slot + NEWER]!) {
    if ((words[slot + TRAITS]! & OrderPool.reduceOnly) !== 0) lots.set(slot, words[slot + REMAINING]!)
  }
  const made = { held: Math.abs(account.position.quantityLots), lots }
  cuts.set(account, made)
  return made
}

/** Keeps the oldest reduce-only orders within what is still held, as the market does after each trade. */
function fill(reducing: { held: number; readonly lots: Map<number, number> }, slot: number, lots: number): void {
  const own = reducing.lots.get(slot)
  if (own !== undefined) reducing.lots.set(slot, own - lots)
  reducing.held -= lots
  let room = Math.max(0, reducing.held)
  for (const [order, left] of reducing.lots) {
    reducing.lots.set(order, Math.min(left, room))
    room -= Math.min(left, room)
  }
}
