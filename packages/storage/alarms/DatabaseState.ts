/** Replicas of the database, and its data directory. */
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Table from "@venue/postgres/Table"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** A connected replica, as in `pg_stat_replication`. */
export interface Replica {
  readonly name: string
  /** Null if the venue's role lacks `pg_monitor`, which hides all details. */
  readonly state: string | null
  /** Write-ahead log that the replica has not replayed, in bytes. */
  readonly behindBytes: number | null
  /** Delay of the latest replay in milliseconds; null for a replica that has replayed everything. */
  readonly behindMillis: number | null
}

const replicas = Table.selection<Replica>({
  name: { schema: Schema.String, expression: "coalesce(application_name, '')" },
  state: { schema: Schema.NullOr(Schema.String), expression: "state" },
  // The primary's position is an error on a standby.
  behindBytes: {
    schema: Schema.NullOr(Schema.Number),
    expression:
      "case when pg_is_in_recovery() then null else pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 end"
  },
  behindMillis: {
    schema: Schema.NullOr(Schema.Number),
    expression: "(extract(epoch from replay_lag) * 1000)::float8"
  }
})

// A role without `pg_read_all_settings` does not see the row.
const directories = Table.selection({ path: { schema: Schema.String, expression: "setting" } })

export class DatabaseState extends Context.Service<
  DatabaseState,
  {
    readonly replicas: Effect.Effect<ReadonlyArray<Replica>, DatabaseUnavailable>
    /** Path of the data directory on the database's machine; none if the venue's role must not see it. */
    readonly dataDirectory: Effect.Effect<Option.Option<string>, DatabaseUnavailable>
  }
>()("@venue/storage/alarms/DatabaseState") {
  static readonly layer: Layer.Layer<DatabaseState, never, SqlClient.SqlClient> = Layer.effect(
    DatabaseState,
    Effect.map(SqlClient.SqlClient, (sql) =>
      DatabaseState.of({
        replicas: orUnavailable(
          replicas.all(sql`
            select ${replicas.columns} from pg_stat_replication
            where application_name is distinct from 'pg_basebackup' order by application_name, pid`)
        ),
        dataDirectory: orUnavailable(
          Effect.map(
            directories.first(sql`select ${directories.columns} from pg_settings where name = 'data_directory'`),
            Option.map(({ path }) => path)
          )
        )
      })
    )
  )

  static readonly layerMemory: Layer.Layer<DatabaseState> = Layer.succeed(
    DatabaseState,
    DatabaseState.of({ replicas: Effect.succeed([]), dataDirectory: Effect.succeedNone })
  )
}
