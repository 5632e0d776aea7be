/** Reads of every row after a given one, because archived rows are no longer in the journal. */
import { Effect } from "effect"
import { type JournalShape, JournalUnavailable, type Row } from "./JournalStream.ts"

/** Reads like `journal.read`. Fails if the rows that directly follow row `after` are archived. */
export const readNext = (journal: Pick<JournalShape, "read">, stream: string, after: number, limit: number) =>
  Effect.tap(journal.read(stream, after, limit), (rows) => ensureNext(stream, after, rows))

/** Fails if the first row does not directly follow row `after`. */
const ensureNext = (
  stream: string,
  after: number,
  rows: ReadonlyArray<Row>
): Effect.Effect<void, JournalUnavailable> => {
  const [first] = rows
  if (first === undefined || first.seq === after + 1) return Effect.void
  const message = `rows ${after + 1} to ${first.seq - 1} of ${stream} are archived; run: npm run archive -- --restore ${stream}`
  return Effect.fail(new JournalUnavailable({ cause: new Error(message) }))
}
