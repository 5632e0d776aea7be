/** Time limits of searches that no index narrows. */
import { Effect, Option } from "effect"
import type { ReadQuery } from "./ReadTable.ts"

/** Returns none if the database ended the statement; rows in memory are few and have no limit. */
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

/** Limit of a count beside a page. */
export const countMillis = 500

/** Limit of a search for a waiting user. */
export const searchMillis = 2_000
