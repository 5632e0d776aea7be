/**
 * Queries for past orders and trades. Each waits until the tables contain every row that the caller might have seen.
 */
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

/** Tables that a query reads. */
export interface Source {
  readonly projection: MarketGroup
  /** Markets to wait for; default: all markets that the trader has joined. */
  readonly symbols?: ReadonlyArray<MarketSymbol> | undefined
  /** Table group of the trader's journal that the query also waits for. */
  readonly ofTrader?: TraderGroup
}

/** Time limit for the tables to catch up. */
const patience = "2 seconds"
/** Time limit of a query, including its wait for a permit. Longer than the time limit of a search. */
const queryPatience = "3 seconds"
/** Time limit for counting a list's rows, including the wait for a permit. */
const countPatience = "1 second"
/** Time limit for each later part of a download. */
const longPatience = "10 seconds"
/** Maximum number of concurrent user queries; the pool's other connections serve other reads. */
export const maxUserQueries = 4
const poll = Schedule.spaced("20 millis")

export class History extends Context.Service<
  History,
  {
    /** Runs a query after the tables have caught up; fails with `Unavailable` if they have not caught up within 2 s. */
    readonly read: <A>(
      reader: Reader,
      source: Source,
      query: ReadQuery<A>
    ) => Effect.Effect<A, Unavailable | RateLimited>
    /** Reads a later part of a list without waiting for the tables to catch up. */
    readonly readOn: <A>(query: ReadQuery<A>) => Effect.Effect<A, Unavailable>
    /** Counts a list's rows. Returns `maxCount` if the count times out, so that clients request the next page. */
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
      /** Highest position seen for each pair of table group and market. Positions only increase. */
      const reached = new Map<string, number>()
      const unavailable = () => new Unavailable({ what: "the history tables" })

      type Heads = ReadonlyArray<{ readonly symbol: MarketSymbol; readonly seq: number }>

      /**
       * Returns the entries of `heads` that the table group has not reached. Reads only the positions of those
       * markets.
       */
      const behindOf = Effect.fnUntraced(function* (group: MarketGroup, heads: Heads) {
        const areBehind = () => heads.filter(({ seq, symbol }) => (reached.get(positionOf(group, symbol)) ?? 0) < seq)
        const symbols = areBehind().map(({ symbol }) => symbol)
        if (symbols.length === 0) return []
        const positions = yield* queries.withPermit(tables.positions([group], symbols))
        for (const [index, symbol] of symbols.entries()) reached.set(positionOf(group, symbol), positions[index]!)
        return areBehind()
      })
      /**
       * Requests an immediate write from each market that is behind, and polls the tables until they are up to date.
       */
      const marketsCaughtUp = Effect.fnUntraced(function* (group: MarketGroup, heads: Heads) {
        const behind = yield* behindOf(group, heads)
        if (behind.length === 0) return
        const catchUpCalls = Effect.forEach(behind, ({ seq, symbol }) => Effect.ignore(markets.catchUp(symbol, seq)), {
          discard: true,
          concurrency: "unbounded"
        })
        yield* Effect.raceFirst(
          Effect.andThen(catchUpCalls, Effect.never),
          Effect.repeat(behindOf(group, behind), { schedule: poll, until: ({ length }) => length === 0 })
        )
      })
      const traderCaughtUp = (group: TraderGroup, userId: UserId, seq: number) =>
        queries
          .withPermit(tables.position(group, userId))
          .pipe(Effect.repeat({ schedule: poll, until: (position) => position >= seq }))

      const run = <A>(query: ReadQuery<A>, within: Duration.Input) =>
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
        return yield* run(query, queryPatience)
      })

      const count = (query: ReadQuery<number>) =>
        run(SearchLimit.limited(query, SearchLimit.countMillis), countPatience).pipe(
          Effect.map(Option.getOrElse(() => maxCount)),
          Effect.orElseSucceed(() => maxCount)
        )

      return History.of({ read, readOn: (query) => run(query, longPatience), count })
    })
  )
}
