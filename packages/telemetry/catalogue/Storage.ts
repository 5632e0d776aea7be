/** Metrics of the journal, the read tables, the feed and the database. */
import { counter, counts, fast, gauge, histogram } from "../Definition.ts"

export const flushSeconds = histogram("venue_journal_flush_seconds", {
  nodes: ["runner"],
  help: "Duration of a journal flush, from sending to the response of the database",
  boundaries: fast
})

export const flushRows = histogram("venue_journal_flush_rows", {
  nodes: ["runner"],
  help: "Number of rows in a journal flush",
  boundaries: counts
})

export const flushesInDoubt = counter("venue_journal_flushes_in_doubt_total", {
  nodes: ["runner"],
  help: "Journal flushes without a response, so that the owners read from the journal whether the rows are committed"
})

export const journalWritten = counter("venue_journal_written_bytes_total", {
  nodes: ["runner"],
  help: "Bytes of events sent to the journal"
})

export const readTableDelay = gauge("venue_read_table_delay_seconds", {
  labels: ["group", "symbol"],
  nodes: ["runner"],
  help: "Age of the oldest committed row that a group of a market's read tables lacks; 0 if no row is missing"
})

export const traderRowsWaiting = gauge("venue_trader_tables_waiting", {
  labels: ["desk"],
  nodes: ["runner"],
  help: "Traders of a desk whose committed rows are not in the read tables yet"
})

export const feedAge = gauge("venue_feed_age_seconds", {
  labels: ["symbol"],
  nodes: ["runner", "gateway"],
  help: "Time since this node last received a row or heartbeat of a market; +Inf before the first"
})

export const feedWatches = counter("venue_feed_watches_total", {
  labels: ["symbol"],
  nodes: ["runner", "gateway"],
  help: "Watches of a market that this node has begun; each restart refills the feed from the journal"
})

export const watchersDropped = counter("venue_feed_watchers_dropped_total", {
  labels: ["symbol"],
  nodes: ["runner"],
  help: "Watchers on other nodes that a market dropped because their queue was full"
})

export const journalBytes = gauge("venue_journal_bytes", {
  nodes: ["auditor"],
  help: "Size of the journal table with its indexes"
})

export const databaseBytes = gauge("venue_database_bytes", { nodes: ["auditor"], help: "Size of the database" })

export const databaseConnections = gauge("venue_database_connections", {
  labels: ["node", "pool", "state"],
  nodes: ["auditor"],
  help: "Connections to the database by node, pool and state"
})

export const databaseConnectionsMax = gauge("venue_database_connections_max", {
  nodes: ["auditor"],
  help: "Setting `max_connections` of the database"
})

export const databaseReachable = gauge("venue_database_reachable", {
  nodes: ["auditor"],
  help: "1 if the database answered the auditor's status queries within the last minute, else 0"
})

export const replicas = gauge("venue_database_replicas", {
  nodes: ["auditor"],
  help: "Standbys that are connected to the database"
})

export const replicaLag = gauge("venue_database_replica_lag_seconds", {
  nodes: ["auditor"],
  help: "Largest replay lag of a standby; requires the role `pg_monitor`, otherwise absent"
})
