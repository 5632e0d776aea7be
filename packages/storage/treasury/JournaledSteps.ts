/** In memory the treasury's tables take what rows of the journal said of them before they are next asked. */
import { JournalRows } from "@venue/journal/JournalMemory"
import type { TreasuryStep } from "@venue/journal/Journal"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import { Effect } from "effect"

/** Work of a table after that, in one transaction with it. */
export const make = Effect.fnUntraced(function* (take: (step: TreasuryStep) => void) {
  const { table, transaction } = yield* MemoryTables
  const { treasury } = yield* JournalRows
  const taken = table<number>()
  const catchUp = Effect.sync(() => {
    const from = taken.get("") ?? 0
    if (from === treasury.length) return
    for (const step of treasury.slice(from)) take(step)
    taken.set("", treasury.length)
  })
  return <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> => transaction(Effect.andThen(catchUp, work))
})
