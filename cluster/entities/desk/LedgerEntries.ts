/** Writes the double-entry table from the traders' journals of one desk, each row once. */
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Effect, Latch } from "effect"
import * as TableWriter from "../market/TableWriter.ts"

const pageSize = 256

export interface LedgerEntries {
  /** The trader's journal has a row that may not be in the table yet. */
  readonly recorded: (userId: UserId) => void
}

export const make = Effect.gen(function* () {
  const journal = yield* Journal
  const tables = yield* ReadTables
  const behind = new Set<UserId>()
  const more = yield* Latch.make(false)
  const recorded = (userId: UserId) => {
    behind.add(userId)
    more.openUnsafe()
  }

  const project = Effect.fnUntraced(function* (userId: UserId) {
    const stream = traderStream(userId)
    while (true) {
      const rows = yield* journal.read(stream, yield* tables.position(stream), pageSize)
      if (rows.length === 0) return
      yield* tables.projectTrader(
        userId,
        rows.map(({ events, seq }) => ({ seq, events: events.length === 0 ? [] : TraderRecord.decode(events) }))
      )
    }
  })
  const loop = Effect.gen(function* () {
    while (true) {
      yield* more.await
      yield* more.close
      for (const userId of behind) {
        // Before its rows are read: what is recorded meanwhile puts it here again.
        behind.delete(userId)
        yield* Effect.onError(project(userId), () => Effect.sync(() => recorded(userId)))
      }
    }
  })
  yield* TableWriter.start("ledger entries", loop)

  return { recorded } satisfies LedgerEntries as LedgerEntries
})
