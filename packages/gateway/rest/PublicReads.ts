/**
 * Table reads for requests without credentials. The number of concurrent reads, across all endpoints, and the time of
 * each read are limited.
 */
import { maxCount } from "@venue/postgres/Count"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as SearchLimit from "@venue/storage/history/SearchLimit"
import { Context, Effect, Layer, Option, Semaphore } from "effect"

/** Maximum number of concurrent public queries; the pool's other connections stay free for other readers. */
export const maxPublicQueries = 2
/** Time limit of one read, including the time that it waits to start. */
const patience = "4 seconds"

export class PublicReads extends Context.Service<
  PublicReads,
  {
    /** Runs a query; fails if the query exceeds the database's time limit. */
    readonly read: <A>(query: ReadQuery<A>) => Effect.Effect<A, DatabaseUnavailable>
    /** Counts a list's rows. Returns `maxCount` if the count takes too long, so that clients request the next page. */
    readonly count: (query: ReadQuery<number>) => Effect.Effect<number>
    /** Runs another read under the limit of public queries. */
    readonly within: <A>(read: Effect.Effect<A, DatabaseUnavailable>) => Effect.Effect<A, DatabaseUnavailable>
  }
>()("@venue/gateway/rest/PublicReads") {
  static readonly layer = Layer.effect(
    PublicReads,
    Effect.gen(function* () {
      const tables = yield* ReadTables
      const queries = yield* Semaphore.make(maxPublicQueries)
      const within = <A>(read: Effect.Effect<A, DatabaseUnavailable>) =>
        queries.withPermit(read).pipe(
          Effect.timeout(patience),
          Effect.catchTag("TimeoutError", () => tooSlow)
        )
      const limited = <A>(query: ReadQuery<A>, millis: number) =>
        within(tables.read(SearchLimit.limited(query, millis))).pipe(
          Effect.flatMap(Option.match({ onNone: () => tooSlow, onSome: Effect.succeed }))
        )
      return PublicReads.of({
        read: (query) => limited(query, SearchLimit.searchMillis),
        count: (query) => Effect.orElseSucceed(limited(query, SearchLimit.countMillis), () => maxCount),
        within
      })
    })
  )
}

const tooSlow = Effect.fail(new DatabaseUnavailable({ cause: "a public read took too long" }))
