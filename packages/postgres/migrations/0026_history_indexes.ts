/** Lists of one account are read in the order of these indexes, from either end, however many rows it has. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const historyIndexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create index trade_of_account_at on trade (account_id, at_millis, symbol, number)`
  yield* sql`create index trade_of_account_in on trade (account_id, symbol, at_millis, number)`
  yield* sql`drop index trade_of_account`

  yield* sql`create index ended_order_of_account_at on ended_order (account_id, ended_at_millis, order_id)`
  yield* sql`create index ended_order_of_account_in on ended_order (account_id, symbol, ended_at_millis, order_id)`
  // Many orders may have one name.
  yield* sql`
    create index ended_order_of_account_named
      on ended_order (account_id, client_order_id, ended_at_millis, order_id)`
  yield* sql`drop index ended_order_of_account`

  yield* sql`create index twap_of_account_at on twap (account_id, ended_at_millis, twap_id)`
  yield* sql`create index twap_of_account_in on twap (account_id, symbol, ended_at_millis, twap_id)`
  yield* sql`drop index twap_of_account`
})
