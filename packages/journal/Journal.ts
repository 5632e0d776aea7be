/**
 * Journal of streams. An owner takes over a stream with a new epoch, appends rows in shared flushes, and is fenced as
 * soon as a row of a later epoch exists.
 */
import { Context, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import * as JournalMemory from "./JournalMemory.ts"
import * as JournalPostgres from "./JournalPostgres.ts"
import type { JournalShape } from "./JournalStream.ts"
import * as Migrations from "@venue/postgres/Migrations"

export type {
  AccountRow,
  Alongside,
  Appender,
  AuditedDeed,
  Claimed,
  JournalShape,
  Owner,
  RedeemedCode,
  Replay,
  Row,
  RowContent,
  TreasuryStep,
  WakeUp,
  WakeUpChange
} from "./JournalStream.ts"
export { JournalUnavailable, maxRowBytes, NotOwner } from "./JournalStream.ts"

export class Journal extends Context.Service<Journal, JournalShape>()("@venue/journal/Journal") {
  static readonly layerMemory: Layer.Layer<Journal> = Layer.effect(Journal, JournalMemory.make).pipe(
    Layer.provide(JournalMemory.JournalRows.layer)
  )

  /** The journal of one of several in-memory nodes that share the same rows. */
  static readonly layerMemoryNode: Layer.Layer<Journal, never, JournalMemory.JournalRows> = Layer.effect(
    Journal,
    JournalMemory.make
  )

  static readonly layer: Layer.Layer<Journal, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Journal,
    JournalPostgres.make
  ).pipe(Layer.provide(Migrations.layer))
}
