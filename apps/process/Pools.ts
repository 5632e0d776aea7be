/** The connections of a node to its database, by what they are for; the database lists each under the node's name. */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { NodeSettings } from "./NodeSettings.ts"

/**
 * Nobody's flood takes the connections of another purpose. One of `cluster` holds the locks; while the database hangs, two
 * more that were to follow it may hang as well, and what asks whether it is back must find one all the same.
 */
const runner = { journal: 6, tables: 4, cluster: 5, access: 6, nodes: 3 }

/**
 * Largest number of connections of each pool, by the kind of node. `tables` of a gateway holds 4 queries of users, 2 of charts,
 * 2 of futures and 2 of public reads at once, and 2 for all else: none of the four waits for the connections of another.
 */
export const sizes = { runner, gateway: { ...runner, tables: 12 } }

/**
 * What a node that stands still has locked in the middle of a transaction is free again after so long, and so is all that
 * a machine had which is gone without a word.
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
