/** What desks say their accounts have, held against the journal as of the same rows. */
import type { TraderReport } from "@venue/storage/audit/DeskReports"
import type { Books, TraderBook } from "./Books.ts"
import * as Faults from "./Faults.ts"
import * as MarketFold from "./MarketFold.ts"
import * as TraderFold from "./TraderFold.ts"
import * as Versions from "./Versions.ts"

export const compare = (books: Books, report: TraderReport): void => {
  const book = books.traders.get(report.userId)
  const fault = book === undefined ? "the journal has nothing of the user" : faultOf(books, book, report)
  Faults.looked(books.faults, `user ${report.userId} at a desk`, fault)
}

const faultOf = (
  books: Books,
  { fold, line }: TraderBook,
  { accounts, markets, seq }: TraderReport
): string | undefined => {
  if (seq > line.seq) return `row ${seq} is known there, and the journal ends with ${line.seq}`
  for (const { accountId, deposit, positions, referralRewards } of accounts) {
    if (Versions.isKnown(fold.accounts, seq)) {
      const own = TraderFold.asOf(fold, accountId, seq)
      const said = `account ${accountId}, row ${seq}`
      if (String(own[0]) !== deposit) return `${said}: ${deposit} came in, and the journal says ${own[0]}`
      if (String(own[1]) !== referralRewards) return `${said}: rewards ${referralRewards}, the journal says ${own[1]}`
    }
    for (const [symbol, ...held] of positions) {
      const known = markets.find(([name]) => name === symbol)![1]
      const wrong = positionFault(books, accountId, symbol, known, held)
      if (wrong !== undefined) return wrong
    }
  }
  return undefined
}

const positionFault = (
  { markets }: Books,
  accountId: string,
  symbol: string,
  seq: number,
  held: ReadonlyArray<number>
): string | undefined => {
  const market = markets.get(symbol)
  if (market === undefined) return `account ${accountId}: ${symbol} is not listed`
  const said = `account ${accountId} in ${symbol}, row ${seq}`
  if (seq > market.line.seq) return `${said}: the journal ends with ${market.line.seq}`
  if (!Versions.isKnown(market.fold.positions, seq)) return undefined
  const position = MarketFold.positionAsOf(market.fold, accountId, seq)
  return position.every((value, place) => value === held[place])
    ? undefined
    : `${said}: ${held.join(" ")}, and the journal says ${position.join(" ")}`
}
