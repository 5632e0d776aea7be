/** What was: read from the tables once they have caught up with what the caller may already know. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { Cost, RateLimited } from "@venue/cluster/protocol/Desk"
import { Unavailable } from "@venue/cluster/protocol/Market"
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { UserId } from "@venue/domain/UserId"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Trades from "@venue/storage/history/Trades"
import * as Trading from "@venue/storage/history/Trading"
import { Context, Effect, Layer, Schedule, Semaphore } from "effect"

interface Reader {
  readonly userId: UserId
  readonly accountId: AccountId
  readonly cost: Cost
}

/** Of a reader, for the tables to catch up and answer. */
const patience = "2 seconds"
/** Queries at once, of all readers: fewer than the pool has connections, so that sign-ins and projections find theirs. */
const maxQueries = 4

export class History extends Context.Service<
  History,
  {
    /** Newest first. Waits a bounded time for the tables, then says so. */
    readonly trades: (
      reader: Reader,
      query: Omit<Trades.TradeQuery, "accountId">
    ) => Effect.Effect<ReadonlyArray<Trades.TradeRow>, Unavailable | RateLimited>
  }
>()("@venue/gateway/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const desks = yield* DeskClient
      const tables = yield* ReadTables
      const queries = yield* Semaphore.make(maxQueries)

      const caughtUp = ({ seq, symbol }: { readonly symbol: MarketSymbol; readonly seq: number }) =>
        queries
          .withPermit(tables.position(Trading.projection, symbol))
          .pipe(Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (position) => position >= seq }))

      const trades = Effect.fn("History.trades")(function* (
        reader: Reader,
        query: Omit<Trades.TradeQuery, "accountId">
      ) {
        const watermarks = yield* desks.watermarks(reader)
        const wanted = watermarks.filter(({ symbol }) => query.symbol === undefined || query.symbol === symbol)
        return yield* Effect.forEach(wanted, caughtUp, { discard: true, concurrency: 4 }).pipe(
          Effect.andThen(queries.withPermit(tables.read(Trades.page({ ...query, accountId: reader.accountId })))),
          Effect.timeout(patience),
          Effect.mapError(() => new Unavailable({ what: "the table of trades" }))
        )
      })
      return History.of({ trades })
    })
  )
}
