/** Streams of the journal: rows, the changes that commit with them, and the contract between owner and journal. */
import type { AccountId } from "@venue/domain/AccountId"
import type { UserId } from "@venue/domain/UserId"
import { type Effect, Schema } from "effect"
import type { Deposited, DepositReversed } from "@venue/domain/Deposit"
import type { WithdrawalAccepted, WithdrawalReturned } from "@venue/domain/Withdrawal"

/** One committed row. The first row of an epoch has empty `events`. */
export interface Row {
  readonly stream: string
  /** Sequence number within the stream: 1, 2, 3 and so on. */
  readonly seq: number
  /** Never decreases as `seq` increases. Each epoch begins with a row without events. */
  readonly epoch: number
  readonly events: Uint8Array
}

/** A change to another table that commits together with a row and only if the row is accepted. */
export type Alongside = WakeUpChange | AccountRow | RedeemedCode | TreasuryStep | AuditedDeed

/** Sets or removes a wake-up entry, which makes a desk load a trader at start. */
export interface WakeUpChange {
  readonly _tag: "WakeUp" | "WakeUpEnded"
  readonly userId: UserId
  /** Name of the desk that loads the user's trader. */
  readonly desk: string
  /** `unprojected`: the tables for queries might lack rows around the one whose sequence number is in `detail`. */
  readonly reason: "joined" | "armed" | "switch" | "twap" | "participant" | "unprojected"
  readonly detail: string
}

/** Inserts a newly opened account into the table `account`. */
export interface AccountRow {
  readonly _tag: "AccountRow"
  readonly userId: UserId
  readonly accountId: AccountId
}

/** Marks an invitation code in the table `invitation_code` as redeemed by the user. */
export interface RedeemedCode {
  readonly _tag: "RedeemedCode"
  readonly userId: UserId
  readonly code: string
}

/** Records an operator's action on a user in the table `audit`. */
export interface AuditedDeed {
  readonly _tag: "AuditedDeed"
  readonly action: string
  readonly actor: string
  readonly subject: string
  /** Ids, names and amounts; never a secret. */
  readonly facts: Readonly<Record<string, string | number>>
  readonly atMillis: number
}

/** A trader's event that creates a withdrawal, or moves a deposit or withdrawal to its next state. */
export interface TreasuryStep<out Event = Deposited | DepositReversed | WithdrawalAccepted | WithdrawalReturned> {
  readonly _tag: "TreasuryStep"
  readonly userId: UserId
  readonly event: Event
}

export interface WakeUp {
  readonly userId: UserId
  readonly reason: string
  readonly detail: string
}

export interface RowContent {
  /** Encoded events, 1 to `maxRowBytes` bytes; only the first row of an epoch is empty. */
  readonly events: Uint8Array
  readonly alongside?: ReadonlyArray<Alongside>
}

/** Maximum number of rows that one call of `skip` appends. */
export const maxSkipped = 10_000

/** Maximum size of a row in bytes. An owner that collects more loses its stream. */
export const maxRowBytes = 8 * 1024 * 1024

export interface Owner {
  readonly stream: string
  /**
   * Whether clients rely on this owner's state while it appends nothing. If so, the journal checks once a second that
   * no other owner has taken over the stream. Otherwise the owner notices the loss when it appends its next row.
   */
  readonly isBelieved?: boolean
  /** Called once at the start of each flush that includes this stream; returns all events since the previous flush. */
  readonly collect: () => RowContent | undefined
  /** Called when a row is durable, in row order. The next row might already be in flight. */
  readonly committed: (seq: number) => void
  /**
   * Called at most once, as the last call. "fenced": another owner has taken over the stream. "unknown": only a new
   * takeover shows whether the last row was committed.
   */
  readonly lost: (why: "fenced" | "unknown") => void
}

export interface Appender {
  /** Requests a flush of this stream. Cheap, and can be called repeatedly. */
  readonly wake: () => void
  /** Stops all calls to the owner. A row in flight might still be committed; the next owner sees it on replay. */
  readonly close: () => void
  /** Returns the latest time at which no other owner had appended a row. Each committed row also proves ownership. */
  readonly provenAtMillis: () => number
}

/** Position after taking over a stream: the new epoch, and the sequence number of its first row. */
export interface Claimed {
  readonly epoch: number
  readonly seq: number
}

/** Receives a stream's content in order: the snapshot if there is one, then each later row. */
export interface Replay {
  /** Returns false if it cannot read the state; the journal then replays all rows from the first. */
  readonly restore: (state: Uint8Array, seq: number) => boolean
  readonly replay: (row: Row) => void
}

export class JournalUnavailable extends Schema.TaggedError<JournalUnavailable>()("JournalUnavailable", {
  cause: Schema.Defect()
}) {}

/** Another owner was faster, and this node is no longer responsible for the stream. */
export class NotOwner extends Schema.TaggedError<NotOwner>()("NotOwner", { stream: Schema.String }) {}

export interface JournalShape {
  /**
   * Takes over a stream: loads the snapshot and the rows after it, then appends the first row of the next epoch. If
   * another row was appended first, reads the new rows and retries while `still` returns true. Calls `restore` at
   * most once and first, then `replay` for each later row, including the first rows of other owners' epochs. Must not
   * be called inside a transaction.
   */
  readonly claim: (
    stream: string,
    into: Replay,
    still: Effect.Effect<boolean>
  ) => Effect.Effect<Claimed, JournalUnavailable | NotOwner>
  /** Takes over many short streams with shared statements. */
  readonly claimMany: (
    streams: ReadonlyArray<string>,
    into: (stream: string) => Replay,
    still: Effect.Effect<boolean>
  ) => Effect.Effect<ReadonlyMap<string, Claimed>, JournalUnavailable | NotOwner>
  /** Starts appending after `claim` or `claimMany`; call it once for each result. */
  readonly append: (owner: Owner, from: Claimed) => Appender
  /** Returns at most `limit` rows after `after`, in order; a page can be shorter, but is empty only at the end. */
  readonly read: (stream: string, after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>
  /** Returns the newest committed sequence number of each stream, in the given order; 0 for a stream without rows. */
  readonly heads: (streams: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, JournalUnavailable>
  /**
   * Skips the numbers of lost rows: appends claims of ascending epochs above `epoch` until the stream has row `seq`, at
   * least one and at most `maxSkipped` in a call. Each is a row without events, as every reader knows it from a new
   * owner. Returns true once nothing is left to skip.
   */
  readonly skip: (
    stream: string,
    upTo: { readonly seq: number; readonly epoch: number }
  ) => Effect.Effect<boolean, JournalUnavailable>
  /**
   * Saves a snapshot, unless a newer one exists or the journal has no row with this sequence number. The state is the
   * concatenation of the given bytes, which the caller must not change until the save completes.
   */
  readonly saveSnapshot: (
    stream: string,
    seq: number,
    state: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<void, JournalUnavailable>
  readonly wakeUps: (desk: string) => Effect.Effect<ReadonlyArray<WakeUp>, JournalUnavailable>
  /**
   * Removes these users' `unprojected` entries up to `seq`, because the tables for queries already contain those
   * rows.
   */
  readonly projected: (
    users: ReadonlyArray<{ readonly userId: UserId; readonly seq: number }>
  ) => Effect.Effect<void, JournalUnavailable>
}
