/** Nodes that stopped renewing their row without having left or been drained. */
import { of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const lostTable = Table.make("node", {
  name: text,
  kind: of("text", Schema.Literals(["runner", "gateway"])),
  lastSeenAtMillis: timestamptz
})
export type LostNode = Table.Row<typeof lostTable>

/** The node has renewed its row within the last 5 s. */
export class NodeServes extends Schema.TaggedError<NodeServes>()("NodeServes", { name: Schema.String }) {}

/** No row exists for a node of this name. */
export class NoSuchNode extends Schema.TaggedError<NoSuchNode>()("NoSuchNode", { name: Schema.String }) {}

export class LostNodes extends Context.Service<
  LostNodes,
  {
    /** Returns at most 100 nodes that were last seen more than 30 s ago, the longest lost first. */
    readonly list: Effect.Effect<ReadonlyArray<LostNode>, DatabaseUnavailable>
    /** Deletes a node's row. A process of that name that still runs adds its row again. */
    readonly dismiss: (name: string) => Effect.Effect<void, NodeServes | NoSuchNode | DatabaseUnavailable>
  }
>()("@venue/storage/nodes/LostNodes") {
  static readonly layer: Layer.Layer<LostNodes, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    LostNodes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return LostNodes.of({
        list: orUnavailable(
          lostTable.all(sql`
            select ${lostTable.columns} from node
            where left_at is null and wanted <> 'draining' and last_seen_at < clock_timestamp() - interval '30 seconds'
            order by last_seen_at, name limit 100`)
        ),
        dismiss: Effect.fn("LostNodes.dismiss")(function* (name: string) {
          const dismissed = yield* orUnavailable(sql`
            delete from node
            where name = ${name} and (left_at is not null or last_seen_at < clock_timestamp() - interval '5 seconds')
            returning 1`)
          if (dismissed.length > 0) return
          const serving = yield* orUnavailable(sql`select from node where name = ${name}`)
          return yield* serving.length > 0 ? new NodeServes({ name }) : new NoSuchNode({ name })
        })
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  /** An in-memory venue is one process and has no node table. */
  static readonly layerMemory: Layer.Layer<LostNodes> = Layer.succeed(
    LostNodes,
    LostNodes.of({ list: Effect.succeed([]), dismiss: (name) => Effect.fail(new NoSuchNode({ name })) })
  )
}
