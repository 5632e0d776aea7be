/** Time limits for searches that no index speeds up. */
import { Effect, Option } from "effect"
import type { ReadQuery } from "./ReadTable.ts"

/** Returns `Option.none` if the statement timed out. The few in-memory rows need no time limit. */
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

/** Time limit, in milliseconds, of the count that is shown with a page. */
export const countMillis = 500

/** Time limit of a search that a user waits for, in milliseconds. */
export const searchMillis = 2_000
