/**
 * Bytes per resting order, including its client order id, owner and remembered command, compared with an npm order
 * book.
 */
import { type Checkout, ours } from "./Checkout.ts"
import { alternated, type Found, type Pair, row } from "./Comparison.ts"
import type { MemoryReport } from "./MemoryWorker.ts"
import type { Options } from "./Options.ts"
import { type Round, type Row, round } from "./Report.ts"
import * as Worker from "./Worker.ts"

const orders = 200_000
const name = "memory of a resting order"
const unit = `bytes, ${orders.toLocaleString("en-US")} orders`
const book = "nodejs-order-book"

export const memory = async ({ rounds }: Options): Promise<ReadonlyArray<Row>> => {
  const found: Array<Round> = []
  while (found.length < rounds) found.push(round(await bytes("venue"), await bytes(book)))
  return [
    {
      name,
      unit,
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

export const compared = async ({ rounds }: Options, checkouts: Pair<Checkout>): Promise<ReadonlyArray<Row>> => {
  const measure = async (side: keyof typeof checkouts): Promise<Found> => ({
    figure: await bytes("venue", checkouts[side])
  })
  // Each measurement starts a new process without a warm-up.
  const found = await alternated(rounds, measure, 1)
  return [row({ name, unit, better: "lower", against: checkouts.theirs.name }, found)]
}

const bytes = async (subject: string, checkout = ours): Promise<number> => {
  const flags = Worker.heapFlagsOf(checkout)
  const worker = Worker.start("MemoryWorker.ts", [subject, String(orders)], { flags, checkout })
  return (await worker.hear<MemoryReport>()).bytesPerOrder
}
