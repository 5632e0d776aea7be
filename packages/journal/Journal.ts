/** The one history of each stream: claimed by an owner, appended in shared flushes, fenced by its own last row. */
import { Context, type Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import * as JournalMemory from "./JournalMemory.ts"
import * as JournalPostgres from "./JournalPostgres.ts"
import type { Appender, Claimed, JournalUnavailable, NotOwner, Owner, Replay, Row, WakeUp } from "./JournalStream.ts"
import * as Migrations from "@venue/postgres/Migrations"

export type { Alongside, Appender, Claimed, Owner, Replay, Row, Sealed, WakeUp } from "./JournalStream.ts"
export { JournalUnavailable, maxRowBytes, NotOwner } from "./JournalStream.ts"

export interface JournalShape {
  /**
   * Loads snapshot and tail, then claims epoch + 1. Where another row was first, reads the tail again and retries
   * while `still` answers true. `restore` is called at most once and first, then `replay` for each later row, claims
   * of others included. Not to be called inside a transaction.
   */
  readonly claim: (
    stream: string,
    into: Replay,
    still: Effect.Effect<boolean>
  ) => Effect.Effect<Claimed, JournalUnavailable | NotOwner>
  /** The same for many short streams in grouped statements. */
  readonly claimMany: (
    streams: ReadonlyArray<string>,
    into: (stream: string) => Replay,
    still: Effect.Effect<boolean>
  ) => Effect.Effect<ReadonlyMap<string, Claimed>, JournalUnavailable | NotOwner>
  /** Starts appending after a claim, once per claim. */
  readonly append: (owner: Owner, from: Claimed) => Appender
  /** Committed rows after a seq, in order: at most `limit`, or fewer when they are large; none means there are none. */
  readonly read: (stream: string, after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>
  /**
   * Never replaces a newer one, and never runs ahead of the journal. The state is these bytes one after the other; they
   * must not change while it is saved.
   */
  readonly saveSnapshot: (
    stream: string,
    seq: number,
    state: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<void, JournalUnavailable>
  readonly wakeUps: () => Effect.Effect<ReadonlyArray<WakeUp>, JournalUnavailable>
  /** When the database last answered; asked each half second while there is nothing to flush. */
  readonly lastRoundTripMillis: () => number
}

export class Journal extends Context.Service<Journal, JournalShape>()("@venue/journal/Journal") {
  static readonly layerMemory: Layer.Layer<Journal> = Layer.effect(Journal, JournalMemory.make).pipe(
    Layer.provide(JournalMemory.JournalRows.layer)
  )

  /** One node of several that stand on the same rows. */
  static readonly layerMemoryNode: Layer.Layer<Journal, never, JournalMemory.JournalRows> = Layer.effect(
    Journal,
    JournalMemory.make
  )

  static readonly layer: Layer.Layer<Journal, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Journal,
    JournalPostgres.make
  ).pipe(Layer.provide(Migrations.layer))
}
