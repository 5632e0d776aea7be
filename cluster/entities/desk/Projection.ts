/** Writes the read tables that come from the traders' journals of one desk, each row once. */
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as Projections from "@venue/storage/history/Projections"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Effect, Latch } from "effect"
import * as TableWriter from "../market/TableWriter.ts"

const pageSize = 256

export interface Projection {
  /** The trader's journal has a row that may not be in the tables yet. */
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

  /** From the first row that one of the groups lacks; each skips what it has had. */
  const project = Effect.fnUntraced(function* (userId: UserId) {
    const positions = yield* Effect.forEach(Projections.ofTraders, (projection) => tables.position(projection, userId))
    let done = Math.min(...positions)
    while (true) {
      const rows = yield* journal.read(traderStream(userId), done, pageSize)
      if (rows.length === 0) return
      yield* tables.project(
        Projections.ofTraders,
        userId,
        rows.map(({ events, seq }) => ({ seq, events: events.length === 0 ? [] : TraderRecord.decode(events) }))
      )
      done = rows.at(-1)!.seq
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
  yield* Effect.forkScoped(TableWriter.persist("the tables of traders", loop))

  return { recorded } satisfies Projection as Projection
})
