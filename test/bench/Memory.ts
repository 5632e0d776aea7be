/** Bytes of a resting order, client id, owner and remembered command included, against a book of npm. */
import type { MemoryReport } from "./MemoryWorker.ts"
import type { Options } from "./Options.ts"
import { type Round, type Row, round } from "./Report.ts"
import * as Worker from "./Worker.ts"

const orders = 200_000
const book = "nodejs-order-book"

export const memory = async ({ rounds }: Options): Promise<ReadonlyArray<Row>> => {
  const found: Array<Round> = []
  while (found.length < rounds) found.push(round(await bytes("venue"), await bytes(book)))
  return [
    {
      name: "memory of a resting order",
      unit: `bytes, ${orders.toLocaleString("en-US")} orders`,
      anchor: book,
      rounds: found,
      goal: { better: "lower", solid: 0.5, aim: 0.2 },
      notes: [
        "ours: heap and buffers of the whole market, with a UUID as client id beside the order's own, and the outcome",
        "of the command that placed it; theirs: the order under one UUID"
      ]
    }
  ]
}

const bytes = async (subject: string): Promise<number> => {
  const worker = Worker.start("MemoryWorker.ts", [subject, String(orders)], { flags: Worker.heapFlags })
  return (await worker.hear<MemoryReport>()).bytesPerOrder
}
