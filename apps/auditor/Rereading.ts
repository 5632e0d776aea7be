/** What was read before is read again, and must be what it was: the newest rows within seconds, older ones within a day. */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Books, Tables } from "./Books.ts"
import type { Comparing } from "./Comparing.ts"
import * as Faults from "./Faults.ts"
import type { Mark } from "./Mark.ts"
import type * as Reading from "./Reading.ts"

export interface Rereading {
  /** Looks at a part: all of the newest rows have their turn in a few rounds. */
  readonly some: Effect.Effect<void, SqlError>
}

export const make = (books: Books, comparing: Comparing, reading: Reading.Reading): Rereading => {
  const tables = [
    ["journal", books.journal],
    ["trade", comparing.trades],
    ["ledger_entry", comparing.entries]
  ] as const
  /** What is left of the pass that is under way, with the marks that were made since it began. */
  const left = new Map<Tables, Iterator<Mark>>()
  let states: Array<string> = []
  let turns = 1
  let turn = 0
  let tookMillis = 0
  let lastOlder = 0

  const check = Effect.fnUntraced(function* (table: Tables, marks: ReadonlyArray<Mark>) {
    const found = yield* reading.found(table, marks)
    marks.forEach((mark, place) => {
      const at = `${table} ${mark.name} ${mark.first}`
      // Its open mark grows with new rows: the second read is of the rows that the first was of.
      const as = { ...mark }
      const secondRead = Effect.map(reading.found(table, [as]), ([again]) => markFault(as, again!))
      Faults.record(books.faults, at, markFault(as, found[place]!), secondRead)
    })
  })

  const checkSaved = Effect.fnUntraced(function* (streams: ReadonlyArray<string>) {
    const now = comparing.savedNow()
    // A state that was saved since is compared by the next audit.
    const same = streams.filter((stream) => now.get(stream) === comparing.savedByStream.get(stream)?.seq)
    const hashes = yield* reading.savedHashes(same)
    same.forEach((stream, place) => {
      const { hash: was, seq } = comparing.savedByStream.get(stream)!
      const said = `it is not what was read before, of row ${seq}`
      const secondRead = Effect.gen(function* () {
        const saved = (yield* reading.snapshots).find((one) => one.stream === stream)
        const [hash] = yield* reading.savedHashes([stream])
        return saved?.seq !== seq || hash === was ? undefined : said
      })
      Faults.record(books.faults, `saved state of ${stream}`, hashes[place] === was ? undefined : said, secondRead)
    })
  })

  const readOlder = Effect.gen(function* () {
    const marks = yield* reading.marksAfter(lastOlder, olderAtOnce)
    for (const [table] of tables) {
      yield* check(
        table,
        marks.filter((mark) => mark.table === table)
      )
    }
    lastOlder = marks.at(-1)?.number ?? 0
  })

  return {
    some: Effect.gen(function* () {
      const startedMillis = yield* Clock.currentTimeMillis
      if (turn === 0) {
        for (const [table, { marks }] of tables) left.set(table, marks.values())
        states = [...comparing.savedByStream.keys()]
      }
      for (const [table, { marks }] of tables) {
        const part = turn === turns - 1 ? Infinity : Math.ceil(marks.size / turns)
        yield* check(table, [...taken(left.get(table)!, part)])
      }
      yield* checkSaved(states.splice(0, Math.ceil(states.length / (turns - turn))))
      yield* readOlder
      tookMillis += (yield* Clock.currentTimeMillis) - startedMillis
      if (++turn < turns) return
      // A pass that takes long is spread over more rounds, so that it leaves the database to the venue.
      turns = Math.min(mostTurns, Math.max(1, Math.ceil(tookMillis / turnMillis)))
      turn = tookMillis = 0
    })
  }
}

const markFault = ({ count, first, hash, last }: Mark, found: Reading.Found): string | undefined =>
  found.count === count && found.hash === hash ? undefined : `rows ${first} to ${last} are not what was read before`

function* taken(marks: Iterator<Mark>, most: number): Generator<Mark> {
  for (let count = 0; count < most; count++) {
    const { done, value } = marks.next()
    if (done === true) return
    yield value
  }
}

/** A pass is over within as many rounds, whatever it takes. */
const mostTurns = 4
const turnMillis = 100
/** Marks of each audit, of 500 rows each: eighty million rows in a day. */
const olderAtOnce = 2
