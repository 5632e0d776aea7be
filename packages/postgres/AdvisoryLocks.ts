/** The advisory locks of a database: each number stands for one thing, the same on every node and in every release. */
export const advisoryLocks = {
  /** Nodes that start together make the tables one after the other. */
  migration: 7_203_114_401n,
  /** Held by sessions: alone by a venue of one process, shared by all nodes of a cluster. */
  venue: 7_203_114_402n,
  /** Nodes that start together take turns at the tables of the cluster library. */
  clusterTables: 7_203_114_403n,
  /** Two nodes that joined at once would not see each other. */
  joining: 7_203_114_404n,
  /** Nodes that start together build an index of a large table one after the other. */
  concurrentIndexes: 7_203_114_405n
} as const
