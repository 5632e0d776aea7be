/** A node's connection pools, by purpose. The database lists each connection under the node's name. */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { NodeSettings } from "./NodeSettings.ts"

/**
 * Maximum connections in each pool of a runner: one purpose's load takes no connection from another. One connection
 * of `cluster` holds the locks. While the database hangs, two replacements might hang as well, and one more must be
 * free to probe the database.
 */
const runner = { journal: 6, tables: 4, cluster: 5, access: 6, nodes: 3 }

/**
 * Maximum connections in each pool, by kind of node. A gateway's `tables` serves 4 user queries, 2 of charts, 2 of
 * futures, 2 public reads and 2 others at once; none of these waits for another kind.
 */
export const sizes = { runner, gateway: { ...runner, tables: 12 } }

/**
 * Releases the locks of a node that freezes in a transaction after 10 s, and the locks of a machine that disappears
 * after about 11 s.
 */
const startupParameters = {
  idle_in_transaction_session_timeout: "10s",
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3"
}

export const make = ({ databaseUrl, name }: Pick<NodeSettings, "databaseUrl" | "name">, kind: keyof typeof sizes) => {
  const pool = (purpose: keyof typeof runner) =>
    PgClient.layer({
      url: databaseUrl,
      applicationName: `${name}/${purpose}`,
      maxConnections: sizes[kind][purpose],
      connectTimeout: "3 seconds",
      startupParameters
    })
  return {
    journal: pool("journal"),
    tables: pool("tables"),
    cluster: pool("cluster"),
    access: pool("access"),
    nodes: pool("nodes")
  }
}

export type Pools = ReturnType<typeof make>
