/** Columns of withdrawals and their signed payments, and the interface of the service that stores both. */
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

/** The type `Progress` in `domain/WithdrawalSteps` documents the columns. The first eight columns never change. */
export const withdrawalTable = Table.make("withdrawal", {
  withdrawalId: text,
  userId: of("text", UserId),
  rail: of("text", RailName),
  method: of("text", WithdrawalMethod),
  /** Gross amount in 1e-6 USD, including the fee. */
  amount: numeric,
  fee: numeric,
  /** Address on a chain, or id of a linked bank account. */
  destination: text,
  /** Reasons for the review. A newer node might have stored reasons that this release does not have. */
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

/**
 * `isBlocked` is true if the withdrawal's user or destination is frozen, or if a deposit credited to the user has
 * disappeared from its chain.
 */
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

/** A user's earlier withdrawals to one destination. */
export interface Sent {
  /** Time of the first withdrawal, or null without withdrawals. */
  readonly firstAtMillis: number | null
  /** Whether any of the withdrawals is not in a final state. */
  readonly isUnsettled: boolean
}

/** Changes that a command made; empty if there was nothing left to do. */
export type Changed = Effect.Effect<
  ReadonlyArray<WithdrawalChange>,
  WithdrawalRefusal | UnknownWithdrawal | DatabaseUnavailable
>

export interface WithdrawalsShape {
  readonly find: (withdrawalId: string) => Effect.Effect<Option.Option<Withdrawal>, DatabaseUnavailable>
  /** Returns a user's withdrawals, newest first. */
  readonly ofUser: (userId: UserId, page: Page) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /** Returns the number of the user's withdrawals, at most `maxCount`. */
  readonly countOfUser: (userId: UserId) => Effect.Effect<number, DatabaseUnavailable>
  /** Returns the number of withdrawals in a state, at most `maxCount`. */
  readonly countInState: (state: WithdrawalState) => Effect.Effect<number, DatabaseUnavailable>
  readonly sentTo: (userId: UserId, destination: string) => Effect.Effect<Sent, DatabaseUnavailable>
  /** Returns all users' withdrawals in a state, ordered by when they entered it. */
  readonly inState: (
    state: Exclude<WithdrawalState, "ACCEPTED">,
    page: Page
  ) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /**
   * Returns the head of a rail's queue: first withdrawals to be cancelled, then never refused ones, then refused
   * ones, each group in the order of queueing. Omits blocked withdrawals unless their cancellation was requested.
   */
  readonly queued: (rail: RailName, limit: number) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /**
   * Returns in-flight withdrawals whose sequence is above `after`, in order of sequence. A page shorter than
   * `submittedAtOnce` is the last one.
   */
  readonly submitted: (rail: RailName, after: number) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /**
   * Returns withdrawals whose end was requested and whose money has not been returned, oldest first, at most
   * `maxEnding`.
   */
  readonly ending: (rail: RailName) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  readonly steps: (withdrawalId: string) => Effect.Effect<ReadonlyArray<WithdrawalStep>, DatabaseUnavailable>
  /** Returns a withdrawal's signed payments, oldest first. */
  readonly payments: (withdrawalId: string) => Effect.Effect<ReadonlyArray<StoredPayment>, DatabaseUnavailable>
  readonly sequences: (rail: RailName) => Effect.Effect<UsedSequences, DatabaseUnavailable>
  /**
   * Returns the sum of the net amounts of in-flight withdrawals whose sequence is at least `fromSequence`, in 1e-6
   * USD. Omits withdrawals that are to be cancelled and have no stored payment.
   */
  readonly promised: (rail: RailName, fromSequence: number) => Effect.Effect<bigint, DatabaseUnavailable>
  /** Whether any in-flight withdrawal on a rail has no stored payment. */
  readonly hasUnsigned: (rail: RailName) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Returns all rails' withdrawals that cannot be signed, the longest refused first. */
  readonly refused: (limit: number) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /**
   * Decides a command and stores the resulting change in one commit with its state transition and ledger entries.
   * Stores the submission of a payment only while the venue allows withdrawals and nothing blocks this withdrawal.
   * Refuses a sequence that is already in use.
   */
  readonly change: (withdrawalId: string, command: Exclude<WithdrawalCommand, Journaled>) => Changed
  /** Seals and stores a signed payment for a SUBMITTED withdrawal. */
  readonly attempt: (withdrawalId: string, payment: StoredPayment) => Changed
}

/** Commands that have their own method, or whose change is written with a journal row. */
type Journaled = { readonly _tag: "StoreAttempt" | "Return" }

export const submittedAtOnce = 1_000

export const maxEnding = 1_000

export const sealName = (withdrawalId: string, attempt: number): string => `payment ${withdrawalId} ${attempt}`
