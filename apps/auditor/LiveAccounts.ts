/** Compares the accounts in desks' reports with the journal as of the same rows. */
import { marketStream } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { traderStream } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import type { TraderReport } from "@venue/storage/audit/DeskReports"
import { Effect } from "effect"
import * as Books from "./Books.ts"
import * as Faults from "./Faults.ts"
import * as MarketFold from "./MarketFold.ts"
import type { ReadingOn } from "./ReadingOn.ts"
import type { RowPlace } from "./Stream.ts"
import * as TraderFold from "./TraderFold.ts"
import * as Versions from "./Versions.ts"

export const compare = (books: Books.Books, report: TraderReport, { streams }: Pick<ReadingOn, "streams">): void => {
  const place = `user ${report.userId} at a desk`
  const rows = rowsOf(report)
  const secondRead = Effect.map(streams(rows.map(({ stream }) => stream)), () => findingOf(books, report))
  Faults.record(books.faults, place, findingOf(books, report), secondRead, rows)
}

/** Returns the journal rows that a report reflects. */
export const rowsOf = ({ markets, seq, userId }: TraderReport): ReadonlyArray<RowPlace> => [
  { stream: traderStream(UserId.make(userId)), seq },
  ...markets.map(([symbol, row]) => ({ stream: marketStream(MarketSymbol.make(symbol)), seq: row }))
]

/** Returns the first difference. Without a difference, returns `notKnown` if a part could not be compared. */
const findingOf = (books: Books.Books, report: TraderReport): Faults.Finding => {
  const { accounts, markets, seq, userId } = report
  // A user without rows has an empty book.
  const { fold, line } = Books.trader(books, userId)
  if (seq > line.seq) return `the desk has applied row ${seq}, but the journal ends at row ${line.seq}`
  const isKnown = Versions.isKnown(fold.accounts, seq)
  let isWhole = isKnown
  for (const { accountId, deposit, positions, referralRewards } of accounts) {
    if (isKnown) {
      const own = TraderFold.asOf(fold, accountId, seq)
      const label = `account ${accountId}, row ${seq}`
      if (String(own[0]) !== deposit)
        return `${label}: the desk has net deposits ${deposit}; the journal has ${own[0]} ${MarketFold.unit}`
      if (String(own[1]) !== referralRewards)
        return `${label}: the desk has referral rewards ${referralRewards}; the journal has ${own[1]} ${MarketFold.unit}`
    }
    for (const [symbol, ...held] of positions) {
      const known = markets.find(([name]) => name === symbol)![1]
      const finding = positionFinding(books, accountId, symbol, known, held)
      if (typeof finding === "string") return finding
      if (finding === Faults.notKnown) isWhole = false
    }
  }
  return isWhole ? undefined : Faults.notKnown
}

const positionFinding = (
  { markets }: Books.Books,
  accountId: string,
  symbol: string,
  seq: number,
  held: ReadonlyArray<number>
): Faults.Finding => {
  const market = markets.get(symbol)
  if (market === undefined) return `account ${accountId}: ${symbol} is not listed`
  const label = `account ${accountId} in ${symbol}, row ${seq}`
  if (seq > market.line.seq) {
    return `account ${accountId} in ${symbol}: the desk has applied row ${seq}, but the journal ends at row ${market.line.seq}`
  }
  if (!Versions.isKnown(market.fold.positions, seq)) return Faults.notKnown
  const position = MarketFold.positionAsOf(market.fold, accountId, seq)
  return position.every((value, place) => value === held[place])
    ? undefined
    : `${label}: the desk has ${MarketFold.positionText(held)}; the journal has ${MarketFold.positionText(position)} ${MarketFold.unit}`
}
