/** Reads the list of nodes from databases that other releases wrote, as `npm run status` does. */
import { assert, layer } from "@effect/vitest"
import * as Nodes from "@venue/storage/nodes/Nodes"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { postgresLayer } from "../../Postgres.ts"

layer(postgresLayer, { excludeTestServices: true })("nodes of a database of any release", (it) => {
  it.effect("the nodes of a database of 0.1.0 are read without the columns of later releases", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into node (node_id, name, kind, address, release, settings, wanted, is_ready, shards, started_at, last_seen_at,
          contracts_known, contracts_in_force)
        values ('n', 'runner-1', 'runner', 'a:1', '0.1.0', '{}', 'serving', true, 3, now(), now(), 2, 1)`
      const [current] = yield* Nodes.read(sql)
      assert.deepInclude(current, { name: "runner-1", isLiving: true, contractsKnown: 2, contractsInForce: 1 })
      yield* sql`alter table node drop column contracts_known, drop column contracts_in_force`
      const [older] = yield* Nodes.read(sql)
      assert.deepStrictEqual(older, { ...current!, contractsKnown: null, contractsInForce: null })
    })
  )
})
