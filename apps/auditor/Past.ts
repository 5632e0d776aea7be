/**
 * Decides which past balances are kept: those from the last 30 s, those of a stream's newest rows, and those from
 * pending comparisons on.
 */
import * as Books from "./Books.ts"
import type { Line } from "./Stream.ts"
import * as Versions from "./Versions.ts"

export interface Past {
  /** Bounds memory for a stream with many new rows. Keeps the stream's newest rows, or only the needed rows. */
  readonly forgetOld: (line: Line, keepsNewest: boolean) => void
  /** Records the row that a stream has reached at `atMillis`. */
  readonly stands: (line: Line, atMillis: number) => void
  /** Forgets balances older than 30 s. */
  readonly forget: (nowMillis: number) => void
}

export const make = (books: Books.Books): Past => {
  /** For each stream that has changed, the rows that it had reached at given times, oldest first. */
  const stood = new Map<string, Array<readonly [atMillis: number, seq: number]>>()
  const forgetTo = (stream: string, seq: number) => {
    const book = Books.bookOf(books, stream)!
    const needed = books.neededFrom.get(stream) ?? Infinity
    const knownFrom = Math.min(seq, book.line.writtenSeq, needed)
    if ("trades" in book) {
      Versions.forget(book.fold.positions, knownFrom)
      Versions.forget(book.fold.house, knownFrom)
    } else Versions.forget(book.fold.accounts, knownFrom)
    return needed >= seq
  }
  const knownFromOf = (stream: string): number => {
    const { fold } = Books.bookOf(books, stream)!
    return ("positions" in fold ? fold.positions : fold.accounts).knownFrom
  }
  return {
    forgetOld: ({ seq, stream }, keepsNewest) => {
      if (!keepsNewest) forgetTo(stream, seq)
      // Forgets in large steps, because each step visits all accounts.
      else if (seq - knownFromOf(stream) >= 2 * keptRows) forgetTo(stream, seq - keptRows)
    },
    stands: ({ seq, stream }, atMillis) => {
      const known = stood.get(stream)
      if (known === undefined) stood.set(stream, [[atMillis, seq]])
      else if (known.at(-1)![0] === atMillis) known[known.length - 1] = [atMillis, seq]
      else known.push([atMillis, seq])
    },
    forget: (nowMillis) => {
      for (const [stream, seqs] of stood) {
        while (seqs.length > 1 && seqs[1]![0] < nowMillis - keptMillis) seqs.shift()
        const [atMillis, seq] = seqs[0]!
        if (atMillis < nowMillis - keptMillis && forgetTo(stream, seq) && seqs.length === 1) stood.delete(stream)
      }
    }
  }
}

/** Time for which balances are kept. Reports and saved states rarely refer to older rows. */
export const keptMillis = 30_000
/** Number of a stream's newest rows whose balances are kept. At most twice this number is in memory. */
const keptRows = 16_384
