/**
 * A book from its log: `RecoveryWorker.ts <venue | json> <flow file> <seconds>`. The venue's log is the rows its journal
 * holds; the anchor's is one line of JSON for each command and each fill, as the anchor server writes them.
 */
import { starters } from "@venue/domain/Instrument"
import * as Engine from "@venue/matching/Engine"
import * as MarketRecord from "@venue/storage/MarketRecord"
import { BookAnchor } from "./BookAnchor.ts"
import { EngineRun, name } from "./EngineFlow.ts"
import { Kind, readFlow, recordInts, type Totals } from "./Flow.ts"

export interface RecoveryReport {
  /** Commands and trades, which both logs hold. */
  readonly events: number
  /** All that the log holds. */
  readonly recorded: number
  readonly bytes: number
  readonly seconds: number
  readonly totals: Pick<Totals, "resting" | "bid" | "ask" | "trades">
}

interface Log {
  readonly events: number
  readonly recorded: number
  readonly bytes: number
  readonly replay: () => RecoveryReport["totals"]
}

const [subject = "", flowFile = "", wanted = "3"] = process.argv.slice(2)
const { records } = readFlow(flowFile)
const commands = records.length / recordInts
const log = subject === "venue" ? venue() : json()

function venue(): Log {
  const rows: Array<Uint8Array> = []
  const made = new EngineRun(records, name(records), (events) => rows.push(MarketRecord.encode(events)))
  // About as many as gather while one row is flushed.
  const batch = 128
  for (let at = 0; at < commands; at += batch) {
    made.prepare(at, Math.min(commands, at + batch))
    made.run()
  }
  const recorded = Engine.hash(made.engine)
  const replay = (): RecoveryReport["totals"] => {
    const engine = Engine.make(us500, { maxOpenOrders: commands })
    for (const row of rows) for (const event of MarketRecord.decode(row)) Engine.apply(engine, event)
    Engine.touched(engine)
    const { ask, bid } = Engine.best(engine)
    lastHash = () => Engine.hash(engine)
    return { resting: made.restingIn(engine), bid: bid ?? -1, ask: ask ?? -1, trades: engine.trades }
  }
  checks = () => {
    if (lastHash() !== recorded) throw new Error("the state replayed is not the state recorded")
  }
  return {
    events: commands + made.sink.trades,
    recorded: made.sink.events,
    bytes: rows.reduce((sum, row) => sum + row.length, 0),
    replay
  }
}

function json(): Log {
  const lines: Array<string> = []
  const at = Date.now()
  const made = new BookAnchor(commands + 2)
  made.onFill = (maker, taker, quantity, price) => {
    lines.push(JSON.stringify({ e: "fill", maker, taker, quantity, price, at }))
  }
  for (let i = 0; i < records.length; i += recordInts) {
    const [kind, side, price, quantity, id] = records.subarray(i, i + recordInts) as unknown as Five
    if (kind === Kind.cancel) lines.push(JSON.stringify({ e: "cancel", id, found: true, at }))
    else {
      const tif = kind === Kind.market ? "IOC" : "GTC"
      lines.push(JSON.stringify({ e: "add", id, side: side === 0 ? "BUY" : "SELL", price, quantity, tif, at }))
    }
    take(made, kind, side as 0 | 1, price, quantity, id)
  }
  const replay = (): RecoveryReport["totals"] => {
    const book = new BookAnchor(commands + 2)
    for (const line of lines) {
      const event = JSON.parse(line)
      if (event.e === "fill") continue
      const kind = event.e === "cancel" ? Kind.cancel : event.tif === "IOC" ? Kind.market : Kind.add
      take(book, kind, event.side === "BUY" ? 0 : 1, event.price, event.quantity, event.id)
    }
    return { resting: book.resting, bid: book.best[0], ask: book.best[1], trades: book.trades }
  }
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0)
  return { events: lines.length, recorded: lines.length, bytes, replay }
}

function take(book: BookAnchor, kind: number, side: 0 | 1, price: number, quantity: number, id: number): void {
  if (kind === Kind.add) book.add(id, side, price, quantity)
  else if (kind === Kind.cancel) book.cancel(id)
  else book.market(id, side, quantity)
}
