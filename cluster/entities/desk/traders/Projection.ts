/** Writes the tables for queries that derive from the journals of one desk's traders. Each row is written once. */
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { readNext } from "@venue/journal/JournalGap"
import * as Projections from "@venue/storage/history/Projections"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Effect, Latch, identity } from "effect"
import * as TableWriter from "../../../tables/TableWriter.ts"

const pageSize = 256
/** Maximum number of table positions that one statement reads. */
const maxGroup = 256

export interface Projection {
  /** Adds a committed row that is not in the tables yet. */
  readonly recorded: (userId: UserId, seq: number) => void
  /** Adds a claimed trader, whose earlier owner might not have written the rows up to `seq` to the tables. */
  readonly claimed: (userId: UserId, seq: number) => void
  /** Returns the number of traders whose rows are not in the tables yet. */
  readonly size: () => number
}

/** `isDone` is called when a trader's rows up to `seq` are in the tables. It returns whether to delete the `unprojected` entry. */
export const make = Effect.fnUntraced(function* (isDone: (userId: UserId, seq: number) => boolean) {
  const journal = yield* Journal
  const tables = yield* ReadTables
  /** Row up to which each trader must be written. */
  const behind = new Map<UserId, number>()
  const claimed = new Map<UserId, number>()
  /** Row up to which each trader is already written. */
  const reached = new Map<UserId, number>()
  const done = new Map<UserId, number>()
  const more = yield* Latch.make(false)

  const recorded = (userId: UserId, seq: number) => {
    behind.set(userId, Math.max(seq, behind.get(userId) ?? 0))
    more.openUnsafe()
  }
  const finish = (userId: UserId, seq: number) => {
    reached.set(userId, seq)
    if (isDone(userId, seq)) done.set(userId, seq)
  }

  /** Reads the table positions of claimed traders. Most of them need no writes. */
  const lookUp = Effect.gen(function* () {
    const group = [...claimed].slice(0, maxGroup)
    const userIds = group.map(([userId]) => userId)
    const positions = yield* tables.positions(Projections.ofTraders, userIds)
    group.forEach(([userId, seq], index) => {
      if (claimed.get(userId) === seq) claimed.delete(userId)
      const position = positions[index]!
      if (position < seq) {
        reached.set(userId, position)
        recorded(userId, seq)
      } else finish(userId, position)
    })
  })
  /** Writes from the first row that any table group lacks. Each group skips the rows that it already has. */
  const project = Effect.fnUntraced(function* (userId: UserId, upTo: number) {
    let seq = reached.get(userId) ?? (yield* tables.positions(Projections.ofTraders, [userId]))[0]!
    while (seq < upTo) {
      const rows = yield* readNext(journal, traderStream(userId), seq, pageSize)
      if (rows.length === 0) return
      yield* tables.project(
        Projections.ofTraders,
        userId,
        rows.map(({ events, seq }) => ({ seq, events: events.length === 0 ? [] : TraderRecord.decode(events) }))
      )
      seq = rows.at(-1)!.seq
    }
    finish(userId, seq)
  })
  const failed = (userId: UserId, upTo: number) => {
    reached.delete(userId)
    recorded(userId, upTo)
  }
  const loop = Effect.gen(function* () {
    while (true) {
      yield* more.await
      yield* more.close
      while (claimed.size > 0) yield* lookUp
      for (const [userId, upTo] of behind) {
        // Deleted before the rows are read, so that a row committed in between adds the trader again.
        behind.delete(userId)
        yield* Effect.onError(project(userId, upTo), () => Effect.sync(() => failed(userId, upTo)))
      }
      const users = Array.from(done, ([userId, seq]) => ({ userId, seq }))
      done.clear()
      // If this call fails, the entries wake their traders once more and are deleted then.
      if (users.length > 0) yield* Effect.ignore(journal.projected(users))
    }
  })
  yield* Effect.forkScoped(TableWriter.persist("the traders' tables", loop))

  return identity<Projection>({
    recorded,
    size: () => behind.size + claimed.size,
    claimed: (userId, seq) => {
      claimed.set(userId, seq)
      reached.delete(userId)
      more.openUnsafe()
    }
  })
})
