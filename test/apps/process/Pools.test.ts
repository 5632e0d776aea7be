/** Parameters and sizes of a node's connection pools. */
import { maxUserQueries } from "@venue/gateway/History"
import { maxChartQueries } from "@venue/gateway/rest/Charts"
import { maxFuturesQueries } from "@venue/gateway/rest/Futures"
import { maxPublicQueries } from "@venue/gateway/rest/PublicReads"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import * as Pools from "../../../apps/process/Pools.ts"
import { emptyDatabase } from "../../Postgres.ts"

it.effect("releases the locks of a node that freezes during a transaction", () =>
  Effect.gen(function* () {
    const pools = Pools.make({ databaseUrl: yield* emptyDatabase, name: "runner-1" }, "runner")
    for (const pool of Object.values(pools)) {
      const timeout = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`show idle_in_transaction_session_timeout`.values)
      assert.deepStrictEqual(yield* Effect.provide(timeout, pool), [["10s"]])
    }
  }).pipe(Effect.scoped)
)

it("a gateway's pool has more connections than concurrent queries that its limits allow", () => {
  const most = maxUserQueries + maxChartQueries + maxFuturesQueries + maxPublicQueries
  assert.isAbove(Pools.sizes.gateway.tables, most)
})

it("the deployment page states the number of database connections of each kind of node", () => {
  const count = (kind: keyof typeof Pools.sizes) => Object.values(Pools.sizes[kind]).reduce((sum, size) => sum + size)
  const [runner, gateway] = [count("runner"), count("gateway")]
  const text = readFileSync("docs/operate/deploy.md", "utf8").replaceAll(/\s+/g, " ")
  assert.include(text, `A runner opens up to ${runner} connections and a gateway up to ${gateway}`)
  assert.include(text, `three runners and two gateways open ${3 * runner + 2 * gateway}`)
})

it.effect("opens at most as many concurrent connections as the pool's size", () =>
  Effect.gen(function* () {
    const { tables } = Pools.make({ databaseUrl: yield* emptyDatabase, name: "gateway-1" }, "gateway")
    const held = Effect.gen(function* () {
      const { reserve } = yield* SqlClient.SqlClient
      return yield* Effect.all(
        Array.from({ length: Pools.sizes.gateway.tables }, () => reserve),
        { concurrency: "unbounded" }
      )
    })
    assert.lengthOf(yield* Effect.provide(Effect.scoped(held), tables), Pools.sizes.gateway.tables)
  }).pipe(Effect.scoped)
)
