/** The auditor's own books: every stream of the journal added up, and what the tables must therefore say. */
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import { type RailName, railOf } from "@venue/domain/Rail"
import type { TraderEvent } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import type { Row } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as TraderRecord from "@venue/journal/TraderRecord"
import * as Faults from "./Faults.ts"
import * as Mark from "./Mark.ts"
import * as MarketFold from "./MarketFold.ts"
import * as Newest from "./Newest.ts"
import * as RailBooks from "./RailBooks.ts"
import * as Stream from "./Stream.ts"
import * as TraderFold from "./TraderFold.ts"

/** A trade that the tables are going to have two rows of. */
export interface ExpectedTrade {
  readonly seq: number
  readonly number: number
  readonly hash: bigint
}

/** What the entries of a row of the journal are to move, by account. */
export interface ExpectedEntries {
  readonly seq: number
  readonly moves: ReadonlyMap<string, bigint>
}

/** A withdrawal that was debited, and was neither given back nor seen to have arrived. */
export interface InFlight {
  readonly rail: RailName
  readonly amount: bigint
  readonly fee: bigint
}

export interface MarketBook {
  readonly line: Stream.Line
  readonly fold: MarketFold.MarketFold
  /** Not compared yet, the oldest first. */
  readonly trades: Array<ExpectedTrade>
  readonly entries: Array<ExpectedEntries>
}

export interface TraderBook {
  readonly line: Stream.Line
  readonly fold: TraderFold.TraderFold
  readonly entries: Array<ExpectedEntries>
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
  /** Marks that are complete, until somebody stores them. */
  readonly complete: Array<CompleteMark>
}

export const make = (): Books => ({
  markets: new Map(),
  traders: new Map(),
  deposited: new Map(),
  journal: Newest.make(),
  inFlight: new Map(),
  faults: Faults.make(),
  complete: []
})

const marketPrefix = "market/"
const traderPrefix = "trader/"

export const symbolOf = (stream: string): string | undefined =>
  stream.startsWith(marketPrefix) ? stream.slice(marketPrefix.length) : undefined
export const userOf = (stream: string): string | undefined =>
  stream.startsWith(traderPrefix) ? stream.slice(traderPrefix.length) : undefined

/** The book of a market that is listed. */
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

/** Goes on by one row of the journal; rows of a stream come in their order. */
export const take = (books: Books, row: Row): void => {
  const symbol = symbolOf(row.stream)
  const userId = userOf(row.stream)
  const book = symbol === undefined ? trader(books, userId ?? row.stream) : books.markets.get(symbol)
  const wrong = (fault: string) => Faults.looked(books.faults, `journal ${row.stream}`, fault)
  if (book === undefined) return wrong(`it is of no contract that is listed`)
  const fault = Stream.take(book.line, row)
  if (fault !== undefined) wrong(fault)
  add(books, "journal", books.journal, row.stream, row.seq, Mark.ofBytes(markedBytes(row)))
  if (row.events.length === 0) return
  if ("trades" in book) takeMarket(book, MarketRecord.decode(row.events), row.seq, wrong)
  else takeTrader(books, book, TraderRecord.decode(row.events), row.seq)
}

/** Rows that were read, or compared, are to be what they were. */
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

/** No more rows of that name are to come. */
export const close = ({ complete }: Books, table: Tables, newest: Newest.Newest, name: string): void => {
  const mark = Newest.close(newest, name)
  if (mark !== undefined) complete.push({ ...mark, table })
}

/** Only the newest rows are read again and again. */
export const drop = ({ complete }: Books, table: Tables, newest: Newest.Newest): void => {
  for (const mark of Newest.drop(newest, Newest.newestRows)) complete.push({ ...mark, table })
}

const takeMarket = (
  book: MarketBook,
  events: ReadonlyArray<MarketEvent>,
  seq: number,
  wrong: (fault: string) => void
): void => {
  MarketFold.take(book.fold, events, seq, wrong)
  const moves = new Map<string, bigint>()
  for (const event of events) {
    if (event._tag === "Traded") book.trades.push({ seq, number: event.number, hash: hashOf(event) })
    else if (event._tag === "FundToppedUp") {
      const account = `reserve-fund/${book.fold.instrument.symbol}`
      moves.set(account, (moves.get(account) ?? 0n) + BigInt(event.amount))
    }
  }
  if (moves.size > 0) book.entries.push({ seq, moves })
}

const takeTrader = (
  { deposited, inFlight }: Books,
  book: TraderBook,
  events: ReadonlyArray<TraderEvent>,
  seq: number
): void => {
  const moves = new Map<string, bigint>()
  for (const event of events) {
    if (event._tag === "WithdrawalAccepted") {
      const { amount, fee, method, withdrawalId } = event
      inFlight.set(withdrawalId, { rail: railOf(method), amount, fee })
    } else if (event._tag === "WithdrawalReturned") inFlight.delete(event.withdrawalId)
  }
  TraderFold.take(book.fold, events, seq, (account, amount) => {
    moves.set(account, (moves.get(account) ?? 0n) + amount)
  })
  RailBooks.take(deposited, events)
  if (moves.size > 0) book.entries.push({ seq, moves })
}

/** What a trade's two rows are to say, as `tradeColumns` of the table print it. */
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

/** What of a row of the journal is marked: its bytes, its number and its epoch. */
const markedBytes = ({ epoch, events, seq }: Row): Uint8Array => {
  const bytes = Buffer.allocUnsafe(events.length + 12)
  bytes.set(events, 0)
  bytes.writeBigInt64BE(BigInt(seq), events.length)
  bytes.writeInt32BE(epoch, events.length + 8)
  return bytes
}

export const journalBytes = "events || int8send(seq) || int4send(epoch)"
