/** Quote books of all symbols. Routes each message from the venue to its book. */
import type { ErrorResponse } from "@venue/api/ErrorFrame"
import type * as MarketData from "@venue/api/marketData/FrameSchema"
import type { Frame } from "@venue/api/trade/FrameSchema"
import type { Listing } from "./Listing.ts"
import * as QuoteBook from "./QuoteBook.ts"

export type QuoteBooks = ReadonlyMap<string, QuoteBook.QuoteBook>

export const make = (listings: ReadonlyArray<Listing>): QuoteBooks =>
  new Map(listings.map((listing) => [listing.symbol, QuoteBook.make(listing)]))

/** Starts each turn with another symbol, so that no symbol is starved when turns use up their messages. */
export const inTurn = (books: QuoteBooks, turnsTaken: number): ReadonlyArray<QuoteBook.QuoteBook> => {
  const all = [...books.values()]
  const first = turnsTaken % all.length
  return [...all.slice(first), ...all.slice(0, first)]
}

export const marked = (books: QuoteBooks, frame: MarketData.Frame, nowMillis: number): void => {
  if (frame.type !== "mark_price") return
  const book = books.get(frame.symbol)
  if (book === undefined) return
  book.markUsd = Number(frame.price)
  book.markedAtMillis = nowMillis
}

export const received = (books: QuoteBooks, frame: Frame, nowMillis: number): void => {
  const symbol = (frame.order_response ?? frame.fill_response ?? frame.position_response)?.symbol ?? ""
  const book = books.get(symbol)
  if (book === undefined) return
  if (frame.order_response !== undefined) {
    QuoteBook.ordered(book, frame.order_response, nowMillis)
  } else if (frame.fill_response !== undefined) {
    QuoteBook.filled(book, frame.fill_response)
  } else if (frame.position_response !== undefined) {
    book.positionLots = Math.round(frame.position_response.position * book.listing.lotsPerUnit)
  }
}

/** Returns whether the error responds to a command about any symbol's quote. */
export const failed = (books: QuoteBooks, error: ErrorResponse, nowMillis: number): boolean =>
  [...books.values()].some((book) => QuoteBook.failed(book, error, nowMillis))
