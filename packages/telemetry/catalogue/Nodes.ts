/** Metrics of each process and of the venue's nodes. */
import { counter, gauge, type NodeKind } from "../Definition.ts"

const every: ReadonlyArray<NodeKind> = ["runner", "gateway", "auditor", "wallet"]

export const info = gauge("venue_node_info", {
  labels: ["node", "kind", "release"],
  nodes: every,
  help: "Always 1; the labels are this process's name, kind and release"
})

export const ready = gauge("venue_ready", {
  nodes: every,
  help: "1 if this process is ready to serve, else 0"
})

export const startTime = gauge("venue_start_time_seconds", {
  nodes: every,
  help: "Unix time at which this process started; a change is a restart"
})

export const shards = gauge("venue_shards", { nodes: ["runner"], help: "Shards that this runner holds" })

export const lastSeen = gauge("venue_node_last_seen_seconds", {
  labels: ["node", "kind", "release"],
  nodes: ["auditor"],
  help: "Time since a runner or gateway last renewed its row, for nodes that have not left"
})

export const revocationAge = gauge("venue_revocation_age_seconds", {
  nodes: ["gateway"],
  help: "Age of this gateway's list of revoked credentials"
})

export const clockCorrection = gauge("venue_clock_correction_seconds", {
  nodes: ["runner", "gateway", "auditor"],
  help: "Last correction of this node's time to the database's time; positive if the node was behind"
})

export const certificateExpiry = gauge("venue_certificate_expiry_timestamp_seconds", {
  labels: ["certificate"],
  nodes: ["runner", "gateway"],
  help: "Unix time at which the certificate of the `node` or of the `authority` expires; absent without TLS"
})

export const operatorTokenExpiry = gauge("venue_operator_token_expiry_timestamp_seconds", {
  nodes: ["auditor"],
  help: "Unix time at which the next token of an operator expires; absent if no token expires"
})

export const eventLoopDelay = gauge("venue_event_loop_delay_seconds", {
  labels: ["quantile"],
  nodes: every,
  help: "Delay of the event loop since the previous scrape, as quantile `0.5`, `0.99` or `1`"
})

export const memory = gauge("venue_memory_bytes", {
  labels: ["area"],
  nodes: every,
  help: "Memory of the process: `resident`, `heap_used`, `heap_total`, `external`"
})

export const collectionSeconds = counter("venue_garbage_collection_seconds_total", {
  labels: ["kind"],
  nodes: every,
  help: "Time in garbage collection by kind: `minor`, `major`, `incremental`, `weak`"
})

export const cpuSeconds = counter("venue_cpu_seconds_total", {
  labels: ["mode"],
  nodes: every,
  help: "CPU time of the process in mode `user` and `system`"
})

export const openFiles = gauge("venue_open_files", {
  nodes: every,
  help: "Open file descriptors of the process; absent where the system does not list them"
})

export const spansDropped = counter("venue_trace_spans_dropped_total", {
  nodes: ["runner", "gateway"],
  help: "Spans that were not sent because too many were recorded in a second; absent while tracing is off"
})

export const collectorFaults = counter("venue_collector_faults_total", {
  nodes: every,
  help: "Readings that failed during a scrape; each failure leaves out one metric"
})
