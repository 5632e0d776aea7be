/** A search that no index shortens is ended by the database after a time. */
import { Effect, Option } from "effect"
import type { ReadQuery } from "./ReadTable.ts"

/** None when it was ended; rows in memory are few. */
export const limited = <A>({ memory, sql }: ReadQuery<A>, millis: number): ReadQuery<Option.Option<A>> => ({
  sql: (client) =>
    client
      .withTransaction(
        Effect.andThen(client`select set_config('statement_timeout', ${`${millis}`}, true)`, sql(client))
      )
      .pipe(
        Effect.map(Option.some),
        Effect.catchIf(
          ({ reason }) => reason._tag === "StatementTimeoutError",
          () => Effect.succeedNone
        )
      ),
  memory: (rows) => Option.some(memory(rows))
})

/** A count beside a page is given up after this. */
export const countMillis = 500

/** So long is searched where somebody waits for the answer. */
export const searchMillis = 2_000
