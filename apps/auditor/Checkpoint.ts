/**
 * The auditor's whole state as bytes: the sums of every stream, the pending comparisons and the hashes of the newest
 * rows. Past balances are left out, because they expire within 30 s.
 */
import type { Instrument } from "@venue/domain/Instrument"
import type { RailName } from "@venue/domain/Rail"
import { Packr } from "msgpackr"
import * as Books from "./Books.ts"
import type { ExpectedEntries } from "./Entries.ts"
import type { House, Position } from "./MarketFold.ts"
import type { Mark } from "./Mark.ts"
import type { Newest } from "./Newest.ts"
import type { Cursor } from "./Reading.ts"
import type { Line } from "./Stream.ts"
import type { Own } from "./TraderFold.ts"

/** Saved state of a market or trader that was compared with the books. */
export interface ComparedState {
  readonly seq: number
  readonly hash: bigint
}

/** Parts of an auditor that a checkpoint contains. */
export interface State {
  readonly books: Books.Books
  /** Hashes of compared rows of the tables `trade` and `ledger_entry`. */
  readonly trades: Newest
  readonly entries: Newest
  readonly savedByStream: Map<string, ComparedState>
  /** Number of the last stored mark that was read again. */
  readonly lastOlder: number
  readonly cursor: Cursor | undefined
}

/** Number of the format, raised by a change of the format or of the sums' meaning. */
export const format = 1

export const encode = ({ books, cursor, entries, lastOlder, savedByStream, trades }: State): Uint8Array => {
  const content: Content = [
    Array.from(books.markets, ([symbol, { entries, fold, line, trades }]) => [
      symbol,
      lineParts(line),
      fold.positions.current,
      fold.house.current,
      fold.remaining,
      [fold.trades, fold.lots, fold.cash],
      trades.map(({ hash, number, seq }) => [seq, number, hash]),
      entryParts(entries)
    ]),
    Array.from(books.traders, ([userId, { entries, fold, line }]) => [
      userId,
      lineParts(line),
      fold.accounts.current,
      entryParts(entries)
    ]),
    books.deposited,
    Array.from(books.inFlight, ([id, { amount, fee, rail, seq, stream }]) => [id, rail, amount, fee, stream, seq]),
    [books.journal, trades, entries].map(newestParts),
    Array.from(savedByStream, ([stream, { hash, seq }]) => [stream, seq, hash]),
    lastOlder,
    cursor === undefined ? null : [cursor.snapshot, cursor.end, cursor.startedAt]
  ]
  return packr.pack(content)
}

/** Restores an auditor's state, except for `lastOlder` and `cursor`, into empty books. */
export const restore = (
  bytes: Uint8Array,
  into: Omit<State, "lastOlder" | "cursor">,
  instruments: ReadonlyArray<Instrument>
): Pick<State, "lastOlder" | "cursor"> => {
  const content: Content = packr.unpack(bytes)
  const [markets, traders, deposited, inFlight, newest, saved, lastOlder, cursor] = content
  const { books } = into
  for (const instrument of instruments) Books.market(books, instrument)
  for (const [symbol, line, positions, house, remaining, sums, trades, entries] of markets) {
    const book = books.markets.get(symbol)
    if (book === undefined) throw new Error(`the auditor's checkpoint has ${symbol}, which is not listed`)
    restoreLine(book.line, line)
    const { fold } = book
    for (const [account, position] of positions) fold.positions.current.set(account, position)
    fold.positions.knownFrom = fold.house.knownFrom = book.line.writtenSeq
    for (const [name, money] of house) fold.house.current.set(name, money)
    for (const [orderId, lots] of remaining) fold.remaining.set(orderId, lots)
    ;[fold.trades, fold.lots, fold.cash] = sums
    for (const [seq, number, hash] of trades) book.trades.push({ seq, number, hash })
    restoreEntries(book.entries, entries)
  }
  for (const [userId, line, accounts, entries] of traders) {
    const book = Books.trader(books, userId)
    restoreLine(book.line, line)
    for (const [account, own] of accounts) book.fold.accounts.current.set(account, own)
    book.fold.accounts.knownFrom = book.line.writtenSeq
    restoreEntries(book.entries, entries)
  }
  for (const [rail, amount] of deposited) books.deposited.set(rail, amount)
  for (const [id, rail, amount, fee, stream, seq] of inFlight) {
    books.inFlight.set(id, { rail, amount, fee, stream, seq })
  }
  ;[books.journal, into.trades, into.entries].forEach((marks, place) => restoreNewest(marks, newest[place]!))
  for (const [stream, seq, hash] of saved) into.savedByStream.set(stream, { seq, hash })
  return {
    lastOlder,
    cursor: cursor === null ? undefined : { snapshot: cursor[0], end: cursor[1], startedAt: cursor[2] }
  }
}

type LineParts = readonly [seq: number, epoch: number, writtenSeq: number]
type EntryParts = ReadonlyArray<readonly [seq: number, moves: ReadonlyMap<string, bigint>]>
type MarkParts = readonly [name: string, first: number, last: number, count: number, hash: bigint, isOpen: boolean]
type NewestParts = readonly [marks: ReadonlyArray<MarkParts>, givenUpByName: ReadonlyMap<string, number>]

type Content = readonly [
  markets: ReadonlyArray<
    readonly [
      symbol: string,
      line: LineParts,
      positions: ReadonlyMap<string, Position>,
      house: ReadonlyMap<string, House>,
      remaining: ReadonlyMap<string, number>,
      sums: readonly [trades: number, lots: number, cash: number],
      trades: ReadonlyArray<readonly [seq: number, number: number, hash: bigint]>,
      entries: EntryParts
    ]
  >,
  traders: ReadonlyArray<
    readonly [userId: string, line: LineParts, accounts: ReadonlyMap<string, Own>, entries: EntryParts]
  >,
  deposited: ReadonlyMap<string, bigint>,
  inFlight: ReadonlyArray<
    readonly [id: string, rail: RailName, amount: bigint, fee: bigint, stream: string, seq: number]
  >,
  newest: ReadonlyArray<NewestParts>,
  saved: ReadonlyArray<readonly [stream: string, seq: number, hash: bigint]>,
  lastOlder: number,
  cursor: readonly [snapshot: string, end: bigint, startedAt: string] | null
]

const lineParts = ({ epoch, seq, writtenSeq }: Line): LineParts => [seq, epoch, writtenSeq]

const restoreLine = (line: Line, [seq, epoch, writtenSeq]: LineParts): void => {
  Object.assign(line, { seq, epoch, writtenSeq })
}

const entryParts = (entries: ReadonlyArray<ExpectedEntries>): EntryParts =>
  entries.map(({ moves, seq }) => [seq, moves])

const restoreEntries = (entries: Array<ExpectedEntries>, parts: EntryParts): void => {
  for (const [seq, moves] of parts) entries.push({ seq, moves })
}

const newestParts = ({ givenUpByName, marks, openByName }: Newest): NewestParts => [
  Array.from(marks, (mark) => {
    const { count, first, hash, last, name } = mark
    return [name, first, last, count, hash, openByName.get(name) === mark]
  }),
  givenUpByName
]

const restoreNewest = (newest: Newest, [marks, givenUpByName]: NewestParts): void => {
  for (const [name, first, last, count, hash, isOpen] of marks) {
    const mark: Mark = { name, first, last, count, hash }
    newest.marks.add(mark)
    if (isOpen) newest.openByName.set(name, mark)
    newest.count += count
  }
  for (const [name, row] of givenUpByName) newest.givenUpByName.set(name, row)
}

/** Writes only arrays and maps, so maps are read back as maps. Bigints stay bigints of any size. */
const packr = new Packr({ useRecords: false, mapsAsObjects: false, int64AsType: "bigint", useBigIntExtension: true })
