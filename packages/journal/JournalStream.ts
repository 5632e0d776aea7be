/** Streams of the journal: their rows, the changes that commit with them, and the contract between owner and journal. */
import type { AccountId } from "@venue/domain/AccountId"
import type { UserId } from "@venue/domain/UserId"
import { type Effect, Schema } from "effect"
import type { Deposited, DepositReversed } from "@venue/domain/Deposit"
import type { WithdrawalAccepted, WithdrawalReturned } from "@venue/domain/Withdrawal"

/** One committed row. The row of a claim has empty `events`. */
export interface Row {
  readonly stream: string
  /** 1, 2, 3 … within the stream. */
  readonly seq: number
  /** Never decreases with `seq`; each epoch begins with its claim. */
  readonly epoch: number
  readonly events: Uint8Array
}

/** A change that commits together with a row, under the same fencing. */
export type Alongside = WakeUpChange | AccountRow | RedeemedCode | TreasuryStep | AuditedDeed

/** A wake-up entry to set or to remove. */
export interface WakeUpChange {
  readonly _tag: "WakeUp" | "WakeUpEnded"
  readonly userId: UserId
  /** Desk that loads the user's trader. */
  readonly desk: string
  /** `unprojected`: the row with the seq in `detail`, earlier or later rows may be missing from the read tables. */
  readonly reason: "joined" | "armed" | "switch" | "twap" | "participant" | "unprojected"
  readonly detail: string
}

/** Inserts an opened account into the table `account`. */
export interface AccountRow {
  readonly _tag: "AccountRow"
  readonly userId: UserId
  readonly accountId: AccountId
}

/** Marks a code in the table `invitation_code` as redeemed by the user. */
export interface RedeemedCode {
  readonly _tag: "RedeemedCode"
  readonly userId: UserId
  readonly code: string
}

/** An operator's action on a user, for the table `audit`. */
export interface AuditedDeed {
  readonly _tag: "AuditedDeed"
  readonly action: string
  readonly actor: string
  readonly subject: string
  /** Ids, names and amounts; never a secret. */
  readonly facts: Readonly<Record<string, string | number>>
  readonly atMillis: number
}

/** A trader's event that creates a withdrawal, or moves a withdrawal or deposit to its next state. */
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

/** Content of the next row of a stream. */
export interface RowContent {
  /** 1 to `maxRowBytes` bytes: an empty row is a claim. */
  readonly events: Uint8Array
  readonly alongside?: ReadonlyArray<Alongside>
}

/** Maximum size of a row in bytes. An owner that collects more is lost. */
export const maxRowBytes = 8 * 1024 * 1024

export interface Owner {
  readonly stream: string
  /**
   * Whether clients rely on this owner's state while it appends nothing. The journal then checks once a second that no other
   * owner has the stream; otherwise a loss is noticed at the next row.
   */
  readonly isBelieved?: boolean
  /** Called once at the start of each flush of this stream; returns all events since the last flush. */
  readonly collect: () => RowContent | undefined
  /** Called when a row is durable, in the order of the rows. The next row may be in flight by then. */
  readonly committed: (seq: number) => void
  /**
   * Called at most once, as the last call. "fenced": another owner has the stream. "unknown": the outcome of the last row is
   * unknown; the next claim resolves it.
   */
  readonly lost: (why: "fenced" | "unknown") => void
}

export interface Appender {
  /** Requests a flush of this stream. Cheap, and may be repeated. */
  readonly wake: () => void
  /** Ends all calls of the owner. A row in flight may be committed; the next claim resolves it. */
  readonly close: () => void
  /** Latest time at which no other owner's row had followed. A committed row is such a proof too. */
  readonly provenAtMillis: () => number
}

/** Position after a claim: its epoch, and the seq of the claim row. */
export interface Claimed {
  readonly epoch: number
  readonly seq: number
}

/** Receives the content of a stream in order: the snapshot if one exists, then each later row. */
export interface Replay {
  /** Returns false for a state that it cannot read; every row is then replayed from the first. */
  readonly restore: (state: Uint8Array, seq: number) => boolean
  readonly replay: (row: Row) => void
}

export class JournalUnavailable extends Schema.TaggedError<JournalUnavailable>()("JournalUnavailable", {
  cause: Schema.Defect()
}) {}

/** Another owner appended first, and this node no longer has the shard. */
export class NotOwner extends Schema.TaggedError<NotOwner>()("NotOwner", { stream: Schema.String }) {}

export interface JournalShape {
  /**
   * Loads snapshot and tail, then claims epoch + 1. If another row was first, reads the tail again and retries while `still`
   * returns true. Calls `restore` at most once and first, then `replay` for each later row, including claims of others. Must
   * not be called inside a transaction.
   */
  readonly claim: (
    stream: string,
    into: Replay,
    still: Effect.Effect<boolean>
  ) => Effect.Effect<Claimed, JournalUnavailable | NotOwner>
  /** Claims many short streams in grouped statements. */
  readonly claimMany: (
    streams: ReadonlyArray<string>,
    into: (stream: string) => Replay,
    still: Effect.Effect<boolean>
  ) => Effect.Effect<ReadonlyMap<string, Claimed>, JournalUnavailable | NotOwner>
  /** Starts appending after a claim, once per claim. */
  readonly append: (owner: Owner, from: Claimed) => Appender
  /** Returns committed rows after a seq, in order: at most `limit`, fewer when they are large, empty only at the end. */
  readonly read: (stream: string, after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>
  /** Returns the newest committed seq of each stream, in the order given; 0 for a stream without rows. */
  readonly heads: (streams: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, JournalUnavailable>
  /**
   * Saves a snapshot, unless a newer one exists or the journal has no such row. The state is the concatenation of these
   * bytes, which must not change meanwhile.
   */
  readonly saveSnapshot: (
    stream: string,
    seq: number,
    state: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<void, JournalUnavailable>
  /** Returns the wake-up entries of one desk. */
  readonly wakeUps: (desk: string) => Effect.Effect<ReadonlyArray<WakeUp>, JournalUnavailable>
  /** Removes the `unprojected` entries of these users up to `seq`: their rows are in the read tables. */
  readonly projected: (
    users: ReadonlyArray<{ readonly userId: UserId; readonly seq: number }>
  ) => Effect.Effect<void, JournalUnavailable>
}
