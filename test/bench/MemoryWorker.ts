/** Memory use of many resting orders: `MemoryWorker.ts <venue | npm book> <orders>`, started with --expose-gc. */
import { EngineRun, name } from "./EngineFlow.ts"
import { makeFlow } from "./Flow.ts"
import { ids } from "./Ids.ts"
import { type NpmBookName, NpmRun } from "./NpmBook.ts"

export interface MemoryReport {
  readonly orders: number
  readonly bytesPerOrder: number
}

const [book = "", count = ""] = process.argv.slice(2)
const orders = Number(count)
/** The flow contains only passive orders. Each call generates its strings anew, so that only the book retains them. */
const { records, totals } = makeFlow(0, orders)
const names = name(records)
const clientOrderId = ids()
const used = (): number => {
  for (let i = 0; i < 3; i++) globalThis.gc!()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

const chunk = 1_000
const fill = (): EngineRun | NpmRun => {
  const run =
    book === "venue"
      ? new EngineRun(records, names)
      : new NpmRun(book as NpmBookName, records, (id) => clientOrderId(id).text)
  for (let at = 0; at < orders; at += chunk) {
    run.prepare(at, Math.min(orders, at + chunk))
    run.run()
  }
  run.prepare(0, 0)
  return run
}

// Compiles code and creates hidden classes before the first measurement, which must not count them.
fill()
const before = used()
const run = fill()
const bytesPerOrder = (used() - before) / orders
if (run.totals().resting !== totals.resting) throw new Error(`${run.totals().resting} orders rest in ${book}`)
process.send!({ orders, bytesPerOrder } satisfies MemoryReport, () => process.exit(0))
