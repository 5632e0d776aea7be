/** Who may take a position that goes to others: those whose desks answered, and all others that hold the other side. */
import { valueDown } from "@venue/domain/Instrument"
import type { Stand } from "@venue/domain/Liquidation"
import { isSame } from "@venue/domain/Position"
import type { Market } from "../Market.ts"
import * as Participants from "../state/Participants.ts"

/** An account that answered, with what it has done in this decision so far. */
export interface Counterparty {
  readonly stand: Stand
  readonly account: Participants.Account
  bought: number
  sold: number
  /** What the mark has cost it since its desk looked, and prices worse than the mark. */
  lost: number
}

export interface Counterparties {
  /** In the order in which they take over. */
  readonly providers: ReadonlyArray<Counterparty>
  /** In the order in which they are deleveraged. */
  readonly answered: ReadonlyArray<Counterparty>
  /** Those of them that may lose something yet; hundreds of takeovers that thousands cannot bear are so looked through once. */
  bearing: ReadonlyArray<Counterparty>
  /** The others that hold a position, in that order too. */
  readonly silent: ReadonlyArray<Participants.Account>
}

/** All orders are those of the beginning, whatever one decision does to the positions. */
export const make = (market: Market, stands: ReadonlyArray<Stand>): Counterparties => {
  const byAccount = new Map<Participants.Account, Counterparty>()
  for (const stand of stands) {
    const account = Participants.account(market.participants, stand.accountId, stand.userId)
    // Whoever is no longer as the desk saw is silent.
    if (isSound(stand) && account.user.userId === stand.userId && isSame(account.position, stand.position))
      byAccount.set(account, { stand, account, bought: 0, sold: 0, lost: lostSince(market, stand) })
  }
  const answered = [...byAccount.values()].sort(
    (one, other) => one.stand.ratioE6 - other.stand.ratioE6 || size(other.stand) - size(one.stand) || byId(one, other)
  )
  return {
    providers: answered
      .filter(({ stand }) => stand.provider !== null && stand.provider.freeMargin > 0)
      .sort((one, other) => other.stand.provider!.freeMargin - one.stand.provider!.freeMargin || byId(one, other)),
    answered,
    bearing: answered,
    silent: market.participants.accounts
      .filter((account) => account.position.quantityLots !== 0 && !byAccount.has(account))
      .sort((one, other) => size(other) - size(one) || compare(one.accountId, other.accountId))
  }
}

/** Gives those that may lose something yet, in the order in which they are deleveraged. */
export const bearing = (counterparties: Counterparties): ReadonlyArray<Counterparty> =>
  (counterparties.bearing = counterparties.bearing.filter(({ lost, stand }) => stand.mayLose > lost))

/** The whole position has lost it, also what of it will not go; what a mark has brought meanwhile is nobody's to lose. */
function lostSince({ instrument, prices }: Market, { markE8, position }: Stand): number {
  const { quantityLots } = position
  return Math.max(0, 0 - valueDown(instrument, quantityLots, prices!.markE8 - markE8))
}

/** The desk has made it so; this holds whatever it sends, so that nonsense moves no position. */
function isSound({ markE8, mayLose, provider, ratioE6 }: Stand): boolean {
  if (!Number.isSafeInteger(ratioE6) || !isCount(markE8) || !isCount(mayLose)) return false
  if (provider === null) return true
  const { buysLots, freeMargin, leverage, sellsLots } = provider
  return isCount(buysLots) && isCount(sellsLots) && isCount(freeMargin) && isCount(leverage) && leverage > 0
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function size({ position }: { readonly position: { readonly quantityLots: number } }): number {
  return Math.abs(position.quantityLots)
}

function byId(one: Counterparty, other: Counterparty): number {
  return compare(one.account.accountId, other.account.accountId)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1
}
