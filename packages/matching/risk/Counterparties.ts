/** Counterparties for an off-book transfer: accounts whose desks responded, and all other opposite holders. */
import { valueDown } from "@venue/domain/Instrument"
import type { Stand } from "@venue/domain/Liquidation"
import { isSame } from "@venue/domain/Position"
import type { Market } from "../Market.ts"
import * as Participants from "../state/Participants.ts"

/** An account whose desk responded, with its changes from earlier steps of this decision. */
export interface Counterparty {
  readonly stand: Stand
  readonly account: Participants.Account
  bought: number
  sold: number
  /** Loss since the desk's response, from moves of the mark price and from trades at prices worse than the mark. */
  lost: number
}

export interface Counterparties {
  /** Providers, in the order in which they take over lots. */
  readonly providers: ReadonlyArray<Counterparty>
  /** Accounts whose desks responded, in the order in which they are deleveraged. */
  readonly answered: ReadonlyArray<Counterparty>
  /**
   * Responding accounts that can still bear a loss. All takeovers in one decision share this list, so that each
   * exhausted account is scanned only once.
   */
  bearing: ReadonlyArray<Counterparty>
  /** All other accounts with a position, in deleveraging order. */
  readonly silent: ReadonlyArray<Participants.Account>
}

/** Sorts the counterparties once, by their positions at the start, although the decision changes positions. */
export const make = (market: Market, stands: ReadonlyArray<Stand>): Counterparties => {
  const byAccount = new Map<Participants.Account, Counterparty>()
  for (const stand of stands) {
    const account = Participants.account(market.participants, stand.accountId, stand.userId)
    // If an account's position has changed since its desk's response, the response is ignored.
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

/** Returns the whole position's loss since the desk's response, including lots that the account keeps; at least 0. */
function lostSince({ instrument, prices }: Market, { markE8, position }: Stand): number {
  const { quantityLots } = position
  return Math.max(0, 0 - valueDown(instrument, quantityLots, prices!.markE8 - markE8))
}

/** Checks a desk's response, so that malformed numbers never change a position. */
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
