/** Keys of the advisory locks in the database. Each key has the same meaning on every node and in every release. */
export const advisoryLocks = {
  /** Serialises the migrations of nodes that start at the same time. */
  migration: 7_203_114_401n,
  /** Session lock of the running venue: exclusive for a venue of one process, shared by all nodes of a cluster. */
  venue: 7_203_114_402n,
  /** Serialises the creation of the cluster library's tables. */
  clusterTables: 7_203_114_403n,
  /** Serialises nodes that join, because two nodes that join at the same time would not see each other. */
  joining: 7_203_114_404n,
  /** Serialises index builds on large tables. */
  concurrentIndexes: 7_203_114_405n,
  /** Session lock of the archiver, which runs alone. */
  archive: 7_203_114_406n
} as const
