/** A node's connection pools, by purpose. The database lists each connection under the node's name. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { DatabaseServers } from "@venue/postgres/DatabaseServers"
import { Layer } from "effect"
import type { NodeSettings } from "./NodeSettings.ts"

/**
 * Maximum connections in each pool of a runner. Pools are separate, so that one purpose's load takes no connection
 * from another purpose. One connection of `cluster` holds the locks. While the database hangs, two replacements might
 * hang as well, and one more must be free to probe the database.
 */
const runner = { journal: 6, tables: 4, cluster: 5, access: 6, nodes: 3 }

/**
 * Maximum connections in each pool, by kind of node. A gateway's `tables` serves 4 user queries, 2 chart queries, 2
 * futures queries, 2 public reads and 2 others at the same time, so that no kind waits for another.
 */
export const sizes = { runner, gateway: { ...runner, tables: 12 } }

/**
 * After 10 s, releases the locks of a node that has frozen in a transaction. After about 11 s, releases the locks of
 * a machine that has disappeared.
 */
const startupParameters = {
  idle_in_transaction_session_timeout: "10s",
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3"
}

export const make = ({ databaseUrl, name }: Pick<NodeSettings, "databaseUrl" | "name">, kind: keyof typeof sizes) => {
  const servers = DatabaseServers.layer(databaseUrl)
  const pool = (purpose: keyof typeof runner) =>
    DatabaseClient.pool({
      applicationName: `${name}/${purpose}`,
      maxConnections: sizes[kind][purpose],
      connectTimeout: "3 seconds",
      startupParameters
    }).pipe(Layer.provide(servers))
  return {
    journal: pool("journal"),
    tables: pool("tables"),
    cluster: pool("cluster"),
    access: pool("access"),
    nodes: pool("nodes")
  }
}

export type Pools = ReturnType<typeof make>
