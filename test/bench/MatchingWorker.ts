/**
 * Runs one book in a separate process: `MatchingWorker.ts <book> <flow file> <seconds> <seconds of warm-up>`. After
 * the warm-up it sends "ready". For every message it runs whole passes, each on a new book, and responds with a
 * `MatchingReport`. These messages and the flow file's format are a contract: another checkout's bench starts this
 * file (see README.md).
 */
import { BookAnchor } from "./BookAnchor.ts"
import { EngineRun, name } from "./EngineFlow.ts"
import { Kind, readFlow, recordInts, type Totals } from "./Flow.ts"
import { type NpmBookName, NpmRun } from "./NpmBook.ts"

export interface MatchingReport {
  readonly operations: number
  readonly seconds: number
  readonly totals: Partial<Totals>
}

interface Run {
  readonly prepare: (from: number, to: number) => void
  readonly run: () => void
  readonly totals: () => Partial<Totals>
}

const [book = "", flowFile = "", wanted = "1", warmUp = "3"] = process.argv.slice(2)
const { operations, prefill, records } = readFlow(flowFile)
const names = name(records)
/** Number of commands in one batch of a busy market. */
const batch = 256

function begin(): Run {
  if (book === "venue") return new EngineRun(records, names)
  return book === "anchor" ? anchor() : new NpmRun(book as NpmBookName, records, (id) => names.orderId(id).text)
}

function anchor(): Run {
  const made = new BookAnchor(records.length / recordInts + 2)
  let from = 0
  let to = 0
  const prepare = (first: number, end: number): void => {
    from = first
    to = end
  }
  const run = (): void => {
    for (let at = from * recordInts; at < to * recordInts; at += recordInts) {
      const kind = records[at]!
      const id = records[at + 4]!
      if (kind === Kind.add) made.add(id, records[at + 1] as 0 | 1, records[at + 2]!, records[at + 3]!)
      else if (kind === Kind.cancel) made.cancel(id)
      else made.market(id, records[at + 1] as 0 | 1, records[at + 3]!)
    }
  }
  const totals = (): Totals => ({
    trades: made.trades,
    volume: made.volume,
    notional: made.notional,
    resting: made.resting,
    bid: made.best[0],
    ask: made.best[1]
  })
  return { prepare, run, totals }
}

function measure(least: number): MatchingReport {
  let millis = 0
  let passes = 0
  let run: Run
  do {
    run = begin()
    pass(run, 0, prefill)
    globalThis.gc?.()
    millis += pass(run, prefill, prefill + operations)
    passes++
  } while (millis < least * 1000)
  return { operations: passes * operations, seconds: millis / 1000, totals: run.totals() }
}

/** Runs one pass and counts only the time that the book takes to process the batches. */
function pass(run: Run, from: number, to: number): number {
  let millis = 0
  for (let at = from; at < to; at += batch) {
    run.prepare(at, Math.min(to, at + batch))
    const startedAt = performance.now()
    run.run()
    millis += performance.now() - startedAt
  }
  return millis
}

measure(Number(warmUp))
process.on("message", () => process.send!(measure(Number(wanted))))
process.on("disconnect", () => process.exit(0))
process.send!("ready")
