/** What was: read from the tables once they have caught up with what the caller may already know. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { Cost, RateLimited } from "@venue/cluster/protocol/Desk"
import { Unavailable } from "@venue/cluster/protocol/Market"
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { UserId } from "@venue/domain/UserId"
import { type MarketProjection, positionOf } from "@venue/storage/history/Projection"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Context, type Duration, Effect, Layer, Semaphore } from "effect"

export interface Reader {
  readonly userId: UserId
  readonly accountId: AccountId
  readonly cost: Cost
}

/** Of which tables an answer is made, and of which market, where it is of one alone. */
export interface Source {
  readonly projection: MarketProjection
  readonly symbol?: MarketSymbol | undefined
}

/** Of a reader, for the tables to catch up. */
const patience = "2 seconds"
/** For one query to be answered, its turn included: longer than anything is searched for. */
const queryPatience = "3 seconds"
/** Of whoever reads on: nobody looks at the answer yet. */
const longPatience = "10 seconds"
/** Queries at once, of all readers: fewer than the pool has connections, so that sign-ins and projections find theirs. */
const maxQueries = 4

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
  }
>()("@venue/gateway/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const desks = yield* DeskClient
      const tables = yield* ReadTables
      const queries = yield* Semaphore.make(maxQueries)
      /** How far tables have come, as far as it was asked for: they never go back. */
      const reached = new Map<string, number>()
      const unavailable = () => new Unavailable({ what: "the tables" })

      type Heads = ReadonlyArray<{ readonly symbol: MarketSymbol; readonly seq: number }>

      const caughtUp = Effect.fnUntraced(function* (projection: MarketProjection, heads: Heads) {
        const areBehind = (some: Heads) =>
          some.filter(({ seq, symbol }) => (reached.get(positionOf(projection, symbol)) ?? 0) < seq)
        let behind = areBehind(heads)
        while (behind.length > 0) {
          const symbols = behind.map(({ symbol }) => symbol)
          const positions = yield* queries.withPermit(tables.positions([projection], symbols))
          for (const [index, symbol] of symbols.entries()) {
            reached.set(positionOf(projection, symbol), positions[index]!)
          }
          behind = areBehind(behind)
          if (behind.length > 0) yield* Effect.sleep("20 millis")
        }
      })

      const answered = <A>(query: ReadQuery<A>, within: Duration.Input) =>
        queries.withPermit(tables.read(query)).pipe(Effect.timeout(within), Effect.mapError(unavailable))

      const read = Effect.fn("History.read")(function* <A>(
        reader: Reader,
        { projection, symbol: asked }: Source,
        query: ReadQuery<A>
      ) {
        const watermarks = yield* desks.watermarks(reader)
        const wanted = watermarks.filter(({ symbol }) => asked === undefined || asked === symbol)
        yield* caughtUp(projection, wanted).pipe(Effect.timeout(patience), Effect.mapError(unavailable))
        return yield* answered(query, queryPatience)
      })

      return History.of({ read, readOn: (query) => answered(query, longPatience) })
    })
  )
}
