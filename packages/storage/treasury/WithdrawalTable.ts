/** Columns of withdrawals and of their signed payments, and the service that stores both. */
import { RailName, WithdrawalMethod } from "@venue/domain/Rail"
import { EndReason, PaymentObstacle, stored } from "@venue/domain/TreasuryReason"
import { UserId } from "@venue/domain/UserId"
import { Ending, type UnknownWithdrawal, type UsedSequences, WithdrawalState } from "@venue/domain/Withdrawal"
import type { Progress, WithdrawalChange, WithdrawalCommand, WithdrawalRefusal } from "@venue/domain/WithdrawalSteps"
import { bigint, bytea, integer, numeric, of, orNull, text, textArray, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { Page } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import { type Effect, type Option, type Redacted, Schema } from "effect"
import { isBlocked } from "./Blocks.ts"
import type { WithdrawalStep } from "./Steps.ts"

/** Columns are described at `Progress` in `domain/WithdrawalSteps`; the first eight never change. */
export const withdrawalTable = Table.make("withdrawal", {
  withdrawalId: text,
  userId: of("text", UserId),
  rail: of("text", RailName),
  method: of("text", WithdrawalMethod),
  /** Gross amount in 1e-6 USD; the fee is a part of it. */
  amount: numeric,
  fee: numeric,
  /** Address, or id of a linked bank account. */
  destination: text,
  /** Reasons of the review; a newer node may have stored reasons that this node does not know. */
  reasons: textArray,
  state: of("text", WithdrawalState),
  step: integer,
  version: integer,
  createdAtMillis: timestamptz,
  updatedAtMillis: timestamptz,
  queuedAtMillis: orNull(timestamptz),
  ending: orNull(of("text", Ending)),
  endedBy: orNull(text),
  reason: orNull(of("jsonb", stored(EndReason))),
  reference: orNull(text),
  sequence: orNull(bigint),
  attempts: integer,
  refusedAtMillis: orNull(timestamptz),
  refusal: orNull(of("jsonb", stored(PaymentObstacle))),
  cancelledBy: orNull(text),
  cancelReason: orNull(text)
})
export type WithdrawalRow = Table.Row<typeof withdrawalTable> & Progress

/** A withdrawal; `isBlocked` is true while its user, its destination or a lost deposit would keep it QUEUED. */
export interface Withdrawal extends WithdrawalRow {
  readonly isBlocked: boolean
}
export const withdrawals = withdrawalTable.with({ isBlocked: { schema: Schema.Boolean, expression: isBlocked } })

export const payments = Table.make("withdrawal_payment", {
  withdrawalId: text,
  attempt: integer,
  purpose: of("text", Schema.Literals(["pay", "cancel"])),
  reference: text,
  sealedBytes: bytea,
  expiresAtMillis: orNull(timestamptz),
  signedAtMillis: timestamptz
})

/** One signed attempt to pay or cancel a withdrawal. */
export interface StoredPayment {
  readonly attempt: number
  readonly purpose: "pay" | "cancel"
  readonly reference: string
  readonly bytes: Redacted.Redacted
  readonly expiresAtMillis: number | null
  readonly signedAtMillis: number
}

/** Earlier withdrawals of a user to one destination. */
export interface Sent {
  /** Time of the first withdrawal; null without one. */
  readonly firstAtMillis: number | null
  /** Whether any of them is in a state that is not final. */
  readonly isUnsettled: boolean
}

/** Changes of a row, empty if nothing was left to do. */
export type Changed = Effect.Effect<
  ReadonlyArray<WithdrawalChange>,
  WithdrawalRefusal | UnknownWithdrawal | DatabaseUnavailable
>

export interface WithdrawalsShape {
  readonly find: (withdrawalId: string) => Effect.Effect<Option.Option<Withdrawal>, DatabaseUnavailable>
  /** Newest first. */
  readonly ofUser: (userId: UserId, page: Page) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /** Number of all withdrawals of the user, at most `maxCount`. */
  readonly countOfUser: (userId: UserId) => Effect.Effect<number, DatabaseUnavailable>
  /** Number of all withdrawals in a state, at most `maxCount`. */
  readonly countInState: (state: WithdrawalState) => Effect.Effect<number, DatabaseUnavailable>
  readonly sentTo: (userId: UserId, destination: string) => Effect.Effect<Sent, DatabaseUnavailable>
  /** Withdrawals of all users, ordered by the time at which they entered the state. */
  readonly inState: (
    state: Exclude<WithdrawalState, "ACCEPTED">,
    page: Page
  ) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /**
   * The head of the queue: cancels first, then withdrawals that were never refused, then refused ones, each group in the order
   * of queueing. Omits blocked withdrawals without a request to cancel.
   */
  readonly queued: (rail: RailName, limit: number) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /** In-flight withdrawals with a sequence above `after`, by sequence; a page shorter than `submittedAtOnce` is the last. */
  readonly submitted: (rail: RailName, after: number) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /** Withdrawals whose end was requested and whose money has not gone back yet, oldest first, at most `maxEnding`. */
  readonly ending: (rail: RailName) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  readonly steps: (withdrawalId: string) => Effect.Effect<ReadonlyArray<WithdrawalStep>, DatabaseUnavailable>
  /** Oldest first. */
  readonly payments: (withdrawalId: string) => Effect.Effect<ReadonlyArray<StoredPayment>, DatabaseUnavailable>
  readonly sequences: (rail: RailName) => Effect.Effect<UsedSequences, DatabaseUnavailable>
  /**
   * Sum of the net amounts of in-flight withdrawals from a sequence on, in 1e-6 USD. Omits withdrawals that are to be cancelled
   * and have no stored payment.
   */
  readonly promised: (rail: RailName, fromSequence: number) => Effect.Effect<bigint, DatabaseUnavailable>
  /** Whether an in-flight withdrawal has no stored payment. */
  readonly hasUnsigned: (rail: RailName) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Withdrawals of all rails that cannot be signed, the longest refused first. */
  readonly refused: (limit: number) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /**
   * Decides a command and stores the change, in one commit with its step and its ledger entries. A payment is submitted only
   * while the venue lets money leave and nothing blocks the withdrawal; a used sequence is refused.
   */
  readonly change: (withdrawalId: string, command: Exclude<WithdrawalCommand, Journaled>) => Changed
  /** Stores a signed payment of a SUBMITTED withdrawal, sealed. */
  readonly attempt: (withdrawalId: string, payment: StoredPayment) => Changed
}

/** Commands with a method of their own, or whose change comes with a row of the journal. */
type Journaled = { readonly _tag: "StoreAttempt" | "Return" }

/** Number of withdrawals in one page of `submitted`. */
export const submittedAtOnce = 1_000

/** Number of withdrawals in one page of `ending`. */
export const maxEnding = 1_000

/** Returns the name under which a payment is sealed. */
export const sealName = (withdrawalId: string, attempt: number): string => `payment ${withdrawalId} ${attempt}`
