/** `npm run status`: lists the nodes that the database knows. Changes nothing, so any release can read any database. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as Nodes from "@venue/storage/nodes/Nodes"
import { Clock, Console, Effect, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { databaseUrl } from "../process/DatabaseSettings.ts"
import * as NodeTable from "../process/NodeTable.ts"
import * as ToolSettings from "../process/ToolSettings.ts"

/** No node has ever joined, or the tables do not exist. */
export class NoNodes extends Schema.TaggedError<NoNodes>()("NoNodes", {}) {
  override get message(): string {
    return "no node has joined a venue on this database; start a runner and a gateway, or set VENUE_DATABASE_URL to the venue's database"
  }
}

export const run = Effect.gen(function* () {
  const url = yield* ToolSettings.read(databaseUrl)
  const sql = yield* DatabaseClient.makeClient({ url, applicationName: "status" })
  const [table] = yield* sql`select from pg_class where oid = to_regclass('node')`
  const nodes = table === undefined ? [] : yield* Nodes.read(sql)
  if (nodes.length === 0) return yield* new NoNodes()
  for (const line of NodeTable.lines(nodes, yield* Clock.currentTimeMillis)) yield* Console.log(line)
}).pipe(Effect.provide(Reactivity.layer))
