/** Contracts that an operator had listed, beside those that a new venue has; read at each start. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const listing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table listing (
      base text collate "C" primary key,
      clob_pair_id bigint not null unique,
      category text collate "C" not null,
      tick_e8 bigint not null,
      lot_e8 bigint not null,
      min_quantity_lots bigint not null,
      max_quantity_lots bigint not null,
      max_leverage bigint not null,
      listed_at timestamptz not null
    )`
})
