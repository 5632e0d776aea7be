/**
 * Rebuilds a book from its log: `RecoveryWorker.ts <venue | json> <flow file> <seconds>`. The venue's log is its
 * journal rows. The reference log has one line of JSON per command and per fill, as the reference server `Anchor.ts`
 * writes them.
 */
import * as Engine from "@venue/matching/Engine"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { BookAnchor } from "./BookAnchor.ts"
import { EngineRun, name, restingOf, us500 } from "./EngineFlow.ts"
import { Kind, readFlow, recordInts, type Totals } from "./Flow.ts"

export interface RecoveryReport {
  /** Number of commands and trades, which both logs contain. */
  readonly events: number
  readonly seconds: number
  readonly totals: Pick<Totals, "resting" | "bid" | "ask" | "trades">
  /** Number of all entries in the log. */
  readonly recorded: number
  readonly bytes: number
}

interface Log {
  readonly events: number
  readonly recorded: number
  readonly bytes: number
  /** Rebuilds the book. The returned function computes the totals after the clock has stopped. */
  readonly replay: () => () => RecoveryReport["totals"]
}

const [subject = "", flowFile = "", wanted = "3"] = process.argv.slice(2)
const { records } = readFlow(flowFile)
const commands = records.length / recordInts
const log = subject === "venue" ? venue() : json()

function venue(): Log {
  const rows: Array<Uint8Array> = []
  const names = name(records)
  const made = new EngineRun(records, names, (events) => rows.push(MarketRecord.encode(events)))
  // Commands per row: about the number that arrives during one flush.
  const batch = 128
  for (let at = 0; at < commands; at += batch) {
    made.prepare(at, Math.min(commands, at + batch))
    made.run()
  }
  const recorded = Engine.hash(made.engine)
  const replay = () => {
    const engine = Engine.make(us500, { maxOpenOrders: commands })
    for (const row of rows) for (const event of MarketRecord.decode(row)) Engine.apply(engine, event)
    Engine.touched(engine)
    return () => {
      if (Engine.hash(engine) !== recorded) throw new Error("the state replayed is not the state recorded")
      const { askTicks, bidTicks } = Engine.best(engine)
      return { resting: restingOf(engine, names), bid: bidTicks ?? -1, ask: askTicks ?? -1, trades: engine.trades }
    }
  }
  const bytes = rows.reduce((sum, row) => sum + row.length, 0)
  return { events: commands + made.sums.trades, recorded: made.sums.events, bytes, replay }
}

function json(): Log {
  const lines: Array<string> = []
  const at = Date.now()
  const made = new BookAnchor(commands + 2)
  made.onFill = (maker, taker, quantity, price) => {
    lines.push(JSON.stringify({ e: "fill", maker, taker, quantity, price, at }))
  }
  for (let i = 0; i < records.length; i += recordInts) {
    const kind = records[i]!
    const side = records[i + 1] as 0 | 1
    const price = records[i + 2]!
    const quantity = records[i + 3]!
    const id = records[i + 4]!
    const tif = kind === Kind.market ? "IOC" : "GTC"
    const order = { id, side: side === 0 ? "BUY" : "SELL", price, quantity, tif, at }
    lines.push(JSON.stringify(kind === Kind.cancel ? { e: "cancel", id, found: true, at } : { e: "add", ...order }))
    take(made, kind, side, price, quantity, id)
  }
  const replay = () => {
    const book = new BookAnchor(commands + 2)
    for (const line of lines) {
      const event = JSON.parse(line)
      if (event.e === "fill") continue
      const kind = event.e === "cancel" ? Kind.cancel : event.tif === "IOC" ? Kind.market : Kind.add
      take(book, kind, event.side === "BUY" ? 0 : 1, event.price, event.quantity, event.id)
    }
    return () => ({ resting: book.resting, bid: book.best[0], ask: book.best[1], trades: book.trades })
  }
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0)
  return { events: lines.length, recorded: lines.length, bytes, replay }
}

function take(book: BookAnchor, kind: number, side: 0 | 1, price: number, quantity: number, id: number): void {
  if (kind === Kind.add) book.add(id, side, price, quantity)
  else if (kind === Kind.cancel) book.cancel(id)
  else book.market(id, side, quantity)
}

function measure(): RecoveryReport {
  let millis = 0
  let events = 0
  let totals: RecoveryReport["totals"]
  do {
    globalThis.gc?.()
    const startedAt = performance.now()
    const ready = log.replay()
    millis += performance.now() - startedAt
    events += log.events
    totals = ready()
  } while (millis < Number(wanted) * 1000)
  return { events, seconds: millis / 1000, totals, recorded: log.recorded, bytes: log.bytes }
}

measure()
process.on("message", () => process.send!(measure()))
process.on("disconnect", () => process.exit(0))
process.send!("ready")
