/**
 * Counterparties of a position transferred off the book: accounts whose desks answered, and all other holders of the
 * opposite side.
 */
import { valueDown } from "@venue/domain/Instrument"
import type { Stand } from "@venue/domain/Liquidation"
import { isSame } from "@venue/domain/Position"
import type { Market } from "../Market.ts"
import * as Participants from "../state/Participants.ts"

/** An account whose desk answered, with its changes in this decision so far. */
export interface Counterparty {
  readonly stand: Stand
  readonly account: Participants.Account
  bought: number
  sold: number
  /** Loss since the desk's answer: from the mark, and from prices worse than the mark. */
  lost: number
}

export interface Counterparties {
  /** In take-over order. */
  readonly providers: ReadonlyArray<Counterparty>
  /** In deleveraging order. */
  readonly answered: ReadonlyArray<Counterparty>
  /**
   * The answered accounts that can still bear a loss. Shared by the takeovers of one decision, so that exhausted
   * accounts are scanned once.
   */
  bearing: ReadonlyArray<Counterparty>
  /** The other accounts with a position, in deleveraging order. */
  readonly silent: ReadonlyArray<Participants.Account>
}

/** Orders the counterparties once: the order is that of the beginning, although a decision changes positions. */
export const make = (market: Market, stands: ReadonlyArray<Stand>): Counterparties => {
  const byAccount = new Map<Participants.Account, Counterparty>()
  for (const stand of stands) {
    const account = Participants.account(market.participants, stand.accountId, stand.userId)
    // An account whose position has changed since its desk's answer counts as silent.
    if (isSound(stand) && account.user.userId === stand.userId && isSame(account.position, stand.position))
      byAccount.set(account, { stand, account, bought: 0, sold: 0, lost: lostSince(market, stand) })
  }
  const answered = [...byAccount.values()].sort(
    (a, b) => a.stand.ratioE6 - b.stand.ratioE6 || size(b.stand) - size(a.stand) || byId(a, b)
  )
  return {
    providers: answered
      .filter(({ stand }) => stand.provider !== null && stand.provider.freeMargin > 0)
      .sort((a, b) => b.stand.provider!.freeMargin - a.stand.provider!.freeMargin || byId(a, b)),
    answered,
    bearing: answered,
    silent: market.participants.accounts
      .filter((account) => account.position.quantityLots !== 0 && !byAccount.has(account))
      .sort((a, b) => size(b) - size(a) || compare(a.accountId, b.accountId))
  }
}

/** Returns the accounts that can still bear a loss, in deleveraging order. */
export const bearing = (counterparties: Counterparties): ReadonlyArray<Counterparty> =>
  (counterparties.bearing = counterparties.bearing.filter(({ lost, stand }) => stand.mayLose > lost))

/**
 * Returns the loss of the whole position since the desk's answer, including lots that stay. A gain since then does
 * not count.
 */
function lostSince({ instrument, prices }: Market, { markE8, position }: Stand): number {
  const { quantityLots } = position
  return Math.max(0, 0 - valueDown(instrument, quantityLots, prices!.markE8 - markE8))
}

/** Checks a desk's answer, so that malformed numbers never move a position. */
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

function byId(a: Counterparty, b: Counterparty): number {
  return compare(a.account.accountId, b.account.accountId)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1
}
