/** Writes the read tables that come from the traders' journals of one desk, each row once. */
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as Projections from "@venue/storage/history/Projections"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Effect, Latch } from "effect"
import * as TableWriter from "../../../tables/TableWriter.ts"

const pageSize = 256
/** Positions asked for by one statement. */
const maxGroup = 256

export interface Projection {
  /** The trader's journal has a row at `seq` that is not in the tables yet. */
  readonly recorded: (userId: UserId, seq: number) => void
  /** The trader was claimed: the tables may lack rows up to `seq`, as nobody knows who wrote them. */
  readonly claimed: (userId: UserId, seq: number) => void
}

/** `isDone` hears how far the tables have come with a trader; true when the entry that says otherwise is to go. */
export const make = Effect.fnUntraced(function* (isDone: (userId: UserId, seq: number) => boolean) {
  const journal = yield* Journal
  const tables = yield* ReadTables
  /** Up to these rows each is to be written. */
  const behind = new Map<UserId, number>()
  const claimed = new Map<UserId, number>()
  /** Up to these they are written, as far as is known here. */
  const reached = new Map<UserId, number>()
  const done = new Map<UserId, number>()
  const more = yield* Latch.make(false)

  const recorded = (userId: UserId, seq: number) => {
    behind.set(userId, Math.max(seq, behind.get(userId) ?? 0))
    more.openUnsafe()
  }
  const take = (userId: UserId, seq: number) => {
    reached.set(userId, seq)
    if (isDone(userId, seq)) done.set(userId, seq)
  }

  /** One statement tells of most that nothing is to be done for them. */
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
      } else take(userId, position)
    })
  })
  /** From the first row that one of the groups lacks; each skips what it has had. */
  const project = Effect.fnUntraced(function* (userId: UserId, upTo: number) {
    let seq = reached.get(userId) ?? (yield* tables.positions(Projections.ofTraders, [userId]))[0]!
    while (seq < upTo) {
      const rows = yield* journal.read(traderStream(userId), seq, pageSize)
      if (rows.length === 0) return
      yield* tables.project(
        Projections.ofTraders,
        userId,
        rows.map(({ events, seq }) => ({ seq, events: events.length === 0 ? [] : TraderRecord.decode(events) }))
      )
      seq = rows.at(-1)!.seq
    }
    take(userId, seq)
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
        // Before its rows are read: what is recorded meanwhile puts it here again.
        behind.delete(userId)
        yield* Effect.onError(project(userId, upTo), () => Effect.sync(() => failed(userId, upTo)))
      }
      const users = Array.from(done, ([userId, seq]) => ({ userId, seq }))
      done.clear()
      // An entry that stays wakes its trader once more, and goes then.
      if (users.length > 0) yield* Effect.ignore(journal.projected(users))
    }
  })
  yield* Effect.forkScoped(TableWriter.persist("the tables of traders", loop))

  return {
    recorded,
    claimed: (userId, seq) => {
      claimed.set(userId, seq)
      reached.delete(userId)
      more.openUnsafe()
    }
  } satisfies Projection as Projection
})
