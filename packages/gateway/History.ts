/** What was: read from the tables once they have caught up with what the caller may already know. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import type { Cost, RateLimited } from "@venue/cluster/protocol/Desk"
import { Unavailable } from "@venue/cluster/protocol/Market"
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { UserId } from "@venue/domain/UserId"
import { type MarketGroup, positionOf, type TraderGroup } from "@venue/storage/history/Projection"
import { maxCount } from "@venue/postgres/Count"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as SearchLimit from "@venue/storage/history/SearchLimit"
import { Context, type Duration, Effect, Layer, Option, Schedule, Semaphore } from "effect"

export interface Reader {
  readonly userId: UserId
  readonly accountId: AccountId
  readonly cost: Cost
}

/** Of which tables an answer is made. */
export interface Source {
  readonly projection: MarketGroup
  /** Of these markets alone; where it is left out, of all that the reader's trader has joined. */
  readonly symbols?: ReadonlyArray<MarketSymbol> | undefined
  /** Of the journal of the reader's trader, too. */
  readonly ofTrader?: TraderGroup
}

/** Of a reader, for the tables to catch up. */
const patience = "2 seconds"
/** For one query to be answered, its turn included: longer than anything is searched for. */
const queryPatience = "3 seconds"
/** Time limit of a count beside a page, its turn included. */
const countPatience = "1 second"
/** Of whoever reads on: nobody looks at the answer yet. */
const longPatience = "10 seconds"
/** Number of queries at once, of all users. The pool of a gateway also has connections for all other readers. */
export const maxUserQueries = 4
const look = Schedule.spaced("20 millis")

export class History extends Context.Service<
  History,
  {
    /** Waits a bounded time for the tables, then says so. */
    readonly read: <A>(
      reader: Reader,
      source: Source,
      query: ReadQuery<A>
    ) => Effect.Effect<A, Unavailable | RateLimited>
    /** Goes on with what was begun by a read: nothing is waited for. */
    readonly readOn: <A>(query: ReadQuery<A>) => Effect.Effect<A, Unavailable>
    /** Counts the rows of a list; `maxCount` where that takes too long, so that clients ask for the next page. */
    readonly count: (query: ReadQuery<number>) => Effect.Effect<number>
  }
>()("@venue/gateway/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const desks = yield* DeskClient
      const markets = yield* MarketClient
      const tables = yield* ReadTables
      const queries = yield* Semaphore.make(maxUserQueries)
      /** How far tables have come, as far as it was asked for: they never go back. */
      const reached = new Map<string, number>()
      const unavailable = () => new Unavailable({ what: "the tables" })

      type Heads = ReadonlyArray<{ readonly symbol: MarketSymbol; readonly seq: number }>

      /** Those that have not come so far; of these alone it is asked. */
      const behindOf = Effect.fnUntraced(function* (group: MarketGroup, heads: Heads) {
        const areBehind = () => heads.filter(({ seq, symbol }) => (reached.get(positionOf(group, symbol)) ?? 0) < seq)
        const symbols = areBehind().map(({ symbol }) => symbol)
        if (symbols.length === 0) return []
        const positions = yield* queries.withPermit(tables.positions([group], symbols))
        for (const [index, symbol] of symbols.entries()) reached.set(positionOf(group, symbol), positions[index]!)
        return areBehind()
      })
      /** Markets whose tables are behind hear that somebody waits; whether they do is seen in the tables. */
      const marketsCaughtUp = Effect.fnUntraced(function* (group: MarketGroup, heads: Heads) {
        const behind = yield* behindOf(group, heads)
        if (behind.length === 0) return
        const told = Effect.forEach(behind, ({ seq, symbol }) => Effect.ignore(markets.catchUp(symbol, seq)), {
          discard: true,
          concurrency: "unbounded"
        })
        yield* Effect.raceFirst(
          Effect.andThen(told, Effect.never),
          Effect.repeat(behindOf(group, behind), { schedule: look, until: ({ length }) => length === 0 })
        )
      })
      const traderCaughtUp = (group: TraderGroup, userId: UserId, seq: number) =>
        queries
          .withPermit(tables.position(group, userId))
          .pipe(Effect.repeat({ schedule: look, until: (position) => position >= seq }))

      const answered = <A>(query: ReadQuery<A>, within: Duration.Input) =>
        queries.withPermit(tables.read(query)).pipe(Effect.timeout(within), Effect.mapError(unavailable))

      const read = Effect.fn("History.read")(function* <A>(
        reader: Reader,
        { ofTrader, projection, symbols }: Source,
        query: ReadQuery<A>
      ) {
        const watermarks = yield* desks.watermarks(reader)
        const journalSeq = ofTrader === undefined ? 0 : yield* desks.journalHead(reader)
        const heads = watermarks.filter(({ symbol }) => symbols === undefined || symbols.includes(symbol))
        yield* Effect.gen(function* () {
          yield* marketsCaughtUp(projection, heads)
          if (ofTrader !== undefined) yield* traderCaughtUp(ofTrader, reader.userId, journalSeq)
        }).pipe(Effect.timeout(patience), Effect.mapError(unavailable))
        return yield* answered(query, queryPatience)
      })

      const count = (query: ReadQuery<number>) =>
        answered(SearchLimit.limited(query, SearchLimit.countMillis), countPatience).pipe(
          Effect.map(Option.getOrElse(() => maxCount)),
          Effect.orElseSucceed(() => maxCount)
        )

      return History.of({ read, readOn: (query) => answered(query, longPatience), count })
    })
  )
}
