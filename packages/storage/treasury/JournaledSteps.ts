/** Applies the journal's recorded events to the in-memory tables before each use of a table. */
import { JournalRows } from "@venue/journal/JournalMemory"
import type { TreasuryStep } from "@venue/journal/Journal"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import { Effect } from "effect"

/** Returns a wrapper that applies new events with `take` and then runs the given effect in the same transaction. */
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
