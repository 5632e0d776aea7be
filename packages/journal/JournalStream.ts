/** What a stream of the journal is made of, and what its owner and the journal promise each other. */
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
  /** Never falls along `seq`; each one begins with its claim. */
  readonly epoch: number
  readonly events: Uint8Array
}

/** What is written in the same instant as a row, under the same fence. */
export type Alongside = WakeUpChange | AccountRow | RedeemedCode | TreasuryStep | AuditedDeed

/** A wake-up entry to set or to remove. */
export interface WakeUpChange {
  readonly _tag: "WakeUp" | "WakeUpEnded"
  readonly userId: UserId
  /** It wakes the user. */
  readonly desk: string
  /** `unprojected`: rows up to the one whose seq is the detail, or later ones, may not be in the read tables. */
  readonly reason: "joined" | "armed" | "switch" | "twap" | "participant" | "unprojected"
  readonly detail: string
}

/** The row of an account that is opened, in the table `account`. */
export interface AccountRow {
  readonly _tag: "AccountRow"
  readonly userId: UserId
  readonly accountId: AccountId
}

/** The user came with this code, which the table `invitation_code` has. */
export interface RedeemedCode {
  readonly _tag: "RedeemedCode"
  readonly userId: UserId
  readonly code: string
}

/** What an operator did to a user, in the table `audit`. */
export interface AuditedDeed {
  readonly _tag: "AuditedDeed"
  readonly action: string
  readonly actor: string
  readonly subject: string
  /** These are ids, names and amounts, and never a secret. */
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

/** What the next row of a stream will hold. */
export interface RowContent {
  /** It has at most `maxRowBytes` and is not empty, since an empty row is a claim's. */
  readonly events: Uint8Array
  readonly alongside?: ReadonlyArray<Alongside>
}

/** Every reader can take a row of this size; an owner that collects more is lost. */
export const maxRowBytes = 8 * 1024 * 1024

export interface Owner {
  readonly stream: string
  /**
   * Others believe what this owner says while it appends nothing, so the journal looks once a second whether another has
   * the stream; without that it is learned at the next row.
   */
  readonly isBelieved?: boolean
  /** Is called once at the start of the flush that carries this stream, and hands over all that gathered since the last. */
  readonly collect: () => RowContent | undefined
  /** The row is durable. Called in the order of the rows; the one after it may be collected and on its way by then. */
  readonly committed: (seq: number) => void
  /**
   * At most once, and the last call. "fenced": another owner has the stream. "unknown": nobody can say whether the
   * last row is in the journal; the next claim learns it.
   */
  readonly lost: (why: "fenced" | "unknown") => void
}

export interface Appender {
  /** There is something to collect. Cheap, and may be repeated. */
  readonly wake: () => void
  /** From here on the owner is not called. A row in flight may be committed: the next claim learns it. */
  readonly close: () => void
  /** No row of another owner had followed by then, which a row that was committed proves too. */
  readonly provenAtMillis: () => number
}

/** Where an owner stands after its claim: `seq` is the claim's. */
export interface Claimed {
  readonly epoch: number
  readonly seq: number
}

/** Takes what a stream holds, in order: the snapshot first if there is one, then each later row. */
export interface Replay {
  /** `false`: the state is not one it can read, and every row is replayed from the first. */
  readonly restore: (state: Uint8Array, seq: number) => boolean
  readonly replay: (row: Row) => void
}

export class JournalUnavailable extends Schema.TaggedError<JournalUnavailable>()("JournalUnavailable", {
  cause: Schema.Defect()
}) {}

/** Somebody else appended first, and the shard is no longer ours. */
export class NotOwner extends Schema.TaggedError<NotOwner>()("NotOwner", { stream: Schema.String }) {}

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
  /** The newest committed row of each of these, in their order; 0 for a stream without rows. */
  readonly heads: (streams: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, JournalUnavailable>
  /**
   * Never replaces a newer one, and never runs ahead of the journal. The state is these bytes one after the other; they
   * must not change while it is saved.
   */
  readonly saveSnapshot: (
    stream: string,
    seq: number,
    state: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<void, JournalUnavailable>
  /** Those of one desk. */
  readonly wakeUps: (desk: string) => Effect.Effect<ReadonlyArray<WakeUp>, JournalUnavailable>
  /** The rows of these users' traders are in the read tables up to `seq`: entries that said otherwise go. */
  readonly projected: (
    users: ReadonlyArray<{ readonly userId: UserId; readonly seq: number }>
  ) => Effect.Effect<void, JournalUnavailable>
}
