/** Reads earlier rows again, which must not have changed: the newest within seconds, older ones within a day. */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Books, Tables } from "./Books.ts"
import type { Comparing } from "./Comparing.ts"
import * as Faults from "./Faults.ts"
import type { Mark } from "./Mark.ts"
import type * as Reading from "./Reading.ts"

export interface Rereading {
  /** Reads a part of the earlier rows again; a few rounds cover all of the newest rows. */
  readonly some: Effect.Effect<void, SqlError>
  /** Returns the number of the last stored mark that was read again. */
  readonly lastOlder: () => number
  /** Continues behind a checkpoint's last stored mark. */
  readonly resume: (lastOlder: number) => void
}

export const make = (books: Books, comparing: Comparing, reading: Reading.Reading): Rereading => {
  const tables = [
    ["journal", books.journal],
    ["trade", comparing.trades],
    ["ledger_entry", comparing.entries]
  ] as const
  /** Marks that remain in the current pass, including marks created since the pass began. */
  const left = new Map<Tables, Iterator<Mark>>()
  let states: Array<string> = []
  let turns = 1
  let turn = 0
  let tookMillis = 0
  let lastOlder = 0

  const check = Effect.fnUntraced(function* (table: Tables, marks: ReadonlyArray<Mark>) {
    const hashes = yield* reading.rangeHashes(table, marks)
    marks.forEach((mark, place) => {
      const at = `${table} ${mark.name} ${mark.first}`
      // An open mark grows with new rows. The copy limits the second read to the first read's rows.
      const as = { ...mark }
      const secondRead = Effect.map(reading.rangeHashes(table, [as]), ([again]) => markFault(as, again!))
      Faults.record(books.faults, at, markFault(as, hashes[place]!), secondRead)
    })
  })

  const checkSaved = Effect.fnUntraced(function* (streams: ReadonlyArray<string>) {
    const now = comparing.savedNow()
    // A state that was saved again is compared by the next audit.
    const same = streams.filter((stream) => now.get(stream) === comparing.savedByStream.get(stream)?.seq)
    const hashes = yield* reading.savedHashes(same)
    same.forEach((stream, place) => {
      const { hash: was, seq } = comparing.savedByStream.get(stream)!
      const changed = `the state of row ${seq} has changed since it was read`
      const secondRead = Effect.gen(function* () {
        const saved = (yield* reading.snapshots).find((snapshot) => snapshot.stream === stream)
        const [hash] = yield* reading.savedHashes([stream])
        return saved?.seq !== seq || hash === was ? undefined : changed
      })
      Faults.record(books.faults, `saved state of ${stream}`, hashes[place] === was ? undefined : changed, secondRead)
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
    lastOlder: () => lastOlder,
    resume: (from) => {
      lastOlder = from
      // Spreads the first pass, so that the first audit after a restart reads a part of the newest rows.
      turns = mostTurns
    },
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
      // A pass that takes long is spread over more rounds, to reduce the load on the venue's database.
      turns = Math.min(mostTurns, Math.max(1, Math.ceil(tookMillis / turnMillis)))
      turn = tookMillis = 0
    })
  }
}

const markFault = ({ count, first, hash, last }: Mark, current: Reading.RangeHash): string | undefined =>
  current.count === count && current.hash === hash
    ? undefined
    : `rows ${first} to ${last} have changed since they were read`

function* taken(marks: Iterator<Mark>, most: number): Generator<Mark> {
  for (let count = 0; count < most; count++) {
    const { done, value } = marks.next()
    if (done === true) return
    yield value
  }
}

/** Maximum number of rounds per pass. */
const mostTurns = 4
const turnMillis = 100
/** Number of older marks that each audit reads, of 500 rows each: 86 million rows a day. */
const olderAtOnce = 2
