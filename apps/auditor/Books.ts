/** The auditor's books: the sums of every journal stream, and the rows that the tables must therefore have. */
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import { railOf } from "@venue/domain/Rail"
import { UserId } from "@venue/domain/UserId"
import type { WithdrawalAccepted } from "@venue/domain/Withdrawal"
import type { Row } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as TraderRecord from "@venue/journal/TraderRecord"
import type * as Entries from "./Entries.ts"
import * as Faults from "./Faults.ts"
import * as Mark from "./Mark.ts"
import * as MarketFold from "./MarketFold.ts"
import * as Newest from "./Newest.ts"
import * as RailBooks from "./RailBooks.ts"
import * as Stream from "./Stream.ts"
import * as TraderFold from "./TraderFold.ts"

/** Trade in a market's log. The `trade` table must have two rows for each trade. */
export interface ExpectedTrade {
  readonly seq: number
  readonly number: number
  readonly hash: bigint
}

/** Debited withdrawal, neither returned nor settled yet. */
export interface InFlight extends Entries.Debit {
  /** Journal row with the debit. */
  readonly stream: string
  readonly seq: number
}

export interface MarketBook {
  readonly line: Stream.Line
  readonly fold: MarketFold.MarketFold
  /** Trades not compared yet, oldest first. */
  readonly trades: Array<ExpectedTrade>
  readonly entries: Array<Entries.ExpectedEntries>
}

export interface TraderBook {
  readonly line: Stream.Line
  readonly fold: TraderFold.TraderFold
  readonly entries: Array<Entries.ExpectedEntries>
}

export type Tables = "journal" | "trade" | "ledger_entry"

export interface CompleteMark extends Mark.Mark {
  readonly table: Tables
}

export interface Books {
  readonly markets: Map<string, MarketBook>
  readonly traders: Map<string, TraderBook>
  readonly deposited: RailBooks.Deposited
  readonly journal: Newest.Newest
  readonly inFlight: Map<string, InFlight>
  readonly faults: Faults.Faults
  /** Complete marks that are not stored yet. */
  readonly complete: Array<CompleteMark>
  /** Oldest row with a pending comparison, by stream. Balances from this row on are kept. */
  neededFrom: ReadonlyMap<string, number>
}

export const make = (): Books => ({
  markets: new Map(),
  traders: new Map(),
  deposited: new Map(),
  journal: Newest.make(),
  inFlight: new Map(),
  faults: Faults.make(),
  complete: [],
  neededFrom: new Map()
})

/** Keeps the balances of `rows` until the next call, at most `mostNeededRows` rows back. */
export const need = (books: Books, rows: Iterable<Stream.RowPlace>): void => {
  const neededFrom = new Map<string, number>()
  for (const { seq, stream } of rows) {
    const oldest = (bookOf(books, stream)?.line.seq ?? 0) - mostNeededRows
    neededFrom.set(stream, Math.min(neededFrom.get(stream) ?? Infinity, Math.max(seq, oldest)))
  }
  books.neededFrom = neededFrom
}

/** Bounds memory while a suspected difference remains and its stream grows. */
const mostNeededRows = 100_000

const marketPrefix = "market/"
const traderPrefix = "trader/"

export const symbolOf = (stream: string): string | undefined =>
  stream.startsWith(marketPrefix) ? stream.slice(marketPrefix.length) : undefined
export const userOf = (stream: string): string | undefined =>
  stream.startsWith(traderPrefix) ? stream.slice(traderPrefix.length) : undefined

/** Returns a listed market's book. The first call creates the book. */
export const market = (books: Books, instrument: Instrument): MarketBook => {
  const { symbol } = instrument
  let book = books.markets.get(symbol)
  if (book === undefined) {
    book = { line: Stream.make(marketPrefix + symbol), fold: MarketFold.make(instrument), trades: [], entries: [] }
    books.markets.set(symbol, book)
  }
  return book
}

export const trader = (books: Books, userId: string): TraderBook => {
  let book = books.traders.get(userId)
  if (book === undefined) {
    book = { line: Stream.make(traderPrefix + userId), fold: TraderFold.make(UserId.make(userId)), entries: [] }
    books.traders.set(userId, book)
  }
  return book
}

export const bookOf = ({ markets, traders }: Books, stream: string): MarketBook | TraderBook | undefined =>
  markets.get(symbolOf(stream) ?? "") ?? traders.get(userOf(stream) ?? "")

/** Returns why a row cannot follow the last row read from its stream, or undefined if it can. Changes nothing. */
export const lineFault = (books: Books, row: Row): string | undefined =>
  Stream.faultOf(bookOf(books, row.stream)?.line ?? Stream.make(row.stream), row)

/**
 * Applies one journal row. A stream's rows must come in order. Returns the first fault in the row's events, or
 * undefined.
 */
export const take = (books: Books, row: Row): string | undefined => {
  const symbol = symbolOf(row.stream)
  const book = symbol === undefined ? trader(books, userOf(row.stream) ?? row.stream) : books.markets.get(symbol)
  if (book === undefined) return "the stream's contract is not listed"
  Stream.take(book.line, row)
  add(books, "journal", books.journal, row.stream, row.seq, journalHashOf(row))
  if (row.events.length === 0) return undefined
  if ("trades" in book) return takeMarket(book, row)
  takeTrader(books, book, row)
  return undefined
}

/** Adds a row to its mark, so that later reads detect a change to the row. A completed mark waits to be stored. */
export const add = (
  { complete }: Books,
  table: Tables,
  newest: Newest.Newest,
  name: string,
  row: number,
  hash: bigint,
  rows = 1
): void => {
  const mark = Newest.add(newest, name, row, hash, rows)
  if (mark !== undefined) complete.push({ ...mark, table })
}

/** Closes the last mark for `name`, so that no more rows are added to it. */
export const close = ({ complete }: Books, table: Tables, newest: Newest.Newest, name: string): void => {
  const mark = Newest.close(newest, name)
  if (mark !== undefined) complete.push({ ...mark, table })
}

/** Drops the oldest marks, because each pass rereads only the newest rows. */
export const drop = ({ complete }: Books, table: Tables, newest: Newest.Newest): void => {
  for (const mark of Newest.drop(newest, Newest.newestRows)) complete.push({ ...mark, table })
}

const takeMarket = (book: MarketBook, { events: bytes, seq }: Row): string | undefined => {
  const events = MarketRecord.decode(bytes)
  let fault: string | undefined
  MarketFold.take(book.fold, events, seq, (wrong) => {
    fault ??= wrong
  })
  book.trades.push(...tradesOf(events, seq))
  const moves = marketMoves(book.fold.instrument.symbol, events)
  if (moves.size > 0) book.entries.push({ seq, moves })
  return fault
}

const takeTrader = ({ deposited, inFlight }: Books, book: TraderBook, { events: bytes, seq, stream }: Row): void => {
  const events = TraderRecord.decode(bytes)
  for (const event of events) {
    if (event._tag === "WithdrawalAccepted") inFlight.set(event.withdrawalId, { stream, seq, ...debitOf(event) })
    else if (event._tag === "WithdrawalReturned") inFlight.delete(event.withdrawalId)
  }
  TraderFold.take(book.fold, events, seq, () => {})
  RailBooks.take(deposited, events)
  const moves = TraderFold.moves(book.fold.userId, events)
  if (moves.size > 0) book.entries.push({ seq, moves })
}

/** Returns the trades that the tables must have for a market's row. */
export const tradesOf = (events: ReadonlyArray<MarketEvent>, seq: number): ReadonlyArray<ExpectedTrade> =>
  events.flatMap((event) => (event._tag === "Traded" ? [{ seq, number: event.number, hash: hashOf(event) }] : []))

/** Returns the ledger-entry sums of a market's row, by account. */
export const marketMoves = (symbol: string, events: ReadonlyArray<MarketEvent>): ReadonlyMap<string, bigint> => {
  const moves = new Map<string, bigint>()
  for (const event of events) {
    if (event._tag !== "FundToppedUp") continue
    const account = `reserve-fund/${symbol}`
    moves.set(account, (moves.get(account) ?? 0n) + BigInt(event.amount))
  }
  return moves
}

export const debitOf = ({ amount, fee, method }: WithdrawalAccepted): Entries.Debit => ({
  rail: railOf(method),
  amount,
  fee
})

/** Returns the hash of a trade's two rows, from the text of their `tradeColumns` in the database. */
const hashOf = (trade: Traded): bigint => {
  const { atMillis, number, priceTicks, quantityLots, tradeId } = trade
  let hash = Mark.none
  for (const { fee, marginUsed, order, realised } of [trade.taker, trade.maker]) {
    const { accountId, orderId, priceTicks: orderTicks, remainingLots, side, userId } = order
    hash ^= Mark.ofText(
      `${number} ${side} ${tradeId.text} ${accountId} ${userId} ${orderId.text} ${priceTicks} ${quantityLots} ${orderTicks} ${remainingLots} ${fee} ${realised} ${marginUsed} ${atMillis}`
    )
  }
  return hash
}

export const tradeColumns =
  "number, side, trade_id, account_id, user_id, order_id, price, quantity, order_price, remaining, fee, realised, margin_used, at_millis"

/** Returns the hash of a journal row, which the database computes from `journalBytes`. */
export const journalHashOf = (row: Row): bigint => Mark.ofBytes(markedBytes(row))

/** Returns the bytes of a row that its mark covers: events, number and epoch. */
const markedBytes = ({ epoch, events, seq }: Row): Uint8Array => {
  const bytes = Buffer.allocUnsafe(events.length + 12)
  bytes.set(events, 0)
  bytes.writeBigInt64BE(BigInt(seq), events.length)
  bytes.writeInt32BE(epoch, events.length + 8)
  return bytes
}

export const journalBytes = "events || int8send(seq) || int4send(epoch)"
