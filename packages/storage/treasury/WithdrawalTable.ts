/** The columns of withdrawals and of what was signed for them, and what is asked about them. */
import { RailName, WithdrawalMethod } from "@venue/domain/Rail"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { Page } from "@venue/postgres/Page"
import { UserId } from "@venue/domain/UserId"
import { type UsedSequences, WithdrawalState } from "@venue/domain/Withdrawal"
import { bigint, bytea, integer, numeric, of, orNull, text, textArray, timestamptz } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { type Effect, type Option, type Redacted, Schema } from "effect"
import { isBlocked } from "./Blocks.ts"
import type { WithdrawalStep } from "./Steps.ts"

const withdrawalTable = Table.make("withdrawal", {
  withdrawalId: text,
  userId: of("text", UserId),
  rail: of("text", RailName),
  method: of("text", WithdrawalMethod),
  /** It counts 1e-6 USD, as the fee does, which is a part of it. */
  amount: numeric,
  fee: numeric,
  /** An address, or the id of a linked bank account. */
  destination: text,
  /** It was held for these; an older node may read those of a newer one. */
  reasons: textArray,
  state: of("text", WithdrawalState),
  /** The number of its newest step; ACCEPTED is the first. */
  step: integer,
  createdAtMillis: timestamptz,
  updatedAtMillis: timestamptz,
  /** Its place in the queue, the end of which it goes to each time that it is refused; null while it was never queued. */
  queuedAtMillis: orNull(timestamptz),
  /** It only goes back from here on, and who said so. */
  ending: orNull(of("text", Schema.Literals(["REJECTED", "FAILED"]))),
  endedBy: orNull(text),
  reason: orNull(text),
  /** The outside knows by it what was paid, or is about to be. */
  reference: orNull(text),
  sequence: orNull(bigint),
  /** It is not signed, since then and for this; both are null where nothing keeps it. */
  refusedAtMillis: orNull(timestamptz),
  refusal: orNull(text),
  /** An operator wants it cancelled where it can be: its number is used up without paying it. */
  cancelledBy: orNull(text),
  cancelReason: orNull(text)
})
export type WithdrawalRow = Table.Row<typeof withdrawalTable>

/** `isBlocked`: it would stay QUEUED now. */
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

/** One attempt to pay a withdrawal, as it was signed. */
export interface StoredPayment {
  readonly attempt: number
  readonly purpose: "pay" | "cancel"
  readonly reference: string
  readonly bytes: Redacted.Redacted
  readonly expiresAtMillis: number | null
  readonly signedAtMillis: number
}

/** What a user has sent to one destination, or asked to. */
export interface Sent {
  /** Null where it was never asked. */
  readonly firstAtMillis: number | null
  /** Some of it has not come to its end. */
  readonly isUnsettled: boolean
}

/** False where it is in another state by now, or was never in this one: nothing was done. */
type Step = Effect.Effect<boolean, DatabaseUnavailable>

export interface WithdrawalsShape {
  readonly find: (withdrawalId: string) => Effect.Effect<Option.Option<Withdrawal>, DatabaseUnavailable>
  /** The newest come first. */
  readonly ofUser: (userId: UserId, page: Page) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /** Number of all withdrawals of the user, at most `maxCount`. */
  readonly countOfUser: (userId: UserId) => Effect.Effect<number, DatabaseUnavailable>
  /** Number of all withdrawals in a state, at most `maxCount`. */
  readonly countInState: (state: WithdrawalState) => Effect.Effect<number, DatabaseUnavailable>
  readonly sentTo: (userId: UserId, destination: string) => Effect.Effect<Sent, DatabaseUnavailable>
  /** Of all users, those that came into this state first come first. */
  readonly inState: (
    state: Exclude<WithdrawalState, "ACCEPTED">,
    page: Page
  ) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /**
   * In the order they were queued: first what is to be cancelled, and what was refused after all others, however many these are.
   * None that is blocked, unless it is to be cancelled.
   */
  readonly queued: (rail: RailName, limit: number) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /**
   * What was sent, and nobody has heard the end of: the first `submittedAtOnce` with numbers after this one. Fewer are the last.
   */
  readonly submitted: (rail: RailName, after: number) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /** They go back, and have not yet. */
  readonly ending: (rail: RailName) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  readonly steps: (withdrawalId: string) => Effect.Effect<ReadonlyArray<WithdrawalStep>, DatabaseUnavailable>
  /** The oldest comes first. */
  readonly payments: (withdrawalId: string) => Effect.Effect<ReadonlyArray<StoredPayment>, DatabaseUnavailable>
  readonly sequences: (rail: RailName) => Effect.Effect<UsedSequences, DatabaseUnavailable>
  /**
   * The net amounts of those that are SUBMITTED with this number or a later one and may still be paid, together: one that is to
   * be cancelled, of which no payment was stored, is not.
   */
  readonly promised: (rail: RailName, fromSequence: number) => Effect.Effect<bigint, DatabaseUnavailable>
  /** One has a number, and nothing was signed under it. */
  readonly hasUnsigned: (rail: RailName) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Of all rails, those that are not signed, the oldest first. */
  readonly refused: (limit: number) => Effect.Effect<ReadonlyArray<Withdrawal>, DatabaseUnavailable>
  /** From HELD_FOR_REVIEW to QUEUED. */
  readonly approve: (withdrawalId: string, actor: string) => Step
  /**
   * From QUEUED to SUBMITTED, with its number, which nobody else has. Nothing is signed yet. One that is to be cancelled goes
   * on whatever holds withdrawals back; one of which that was not known is not submitted.
   */
  readonly submit: (withdrawal: Withdrawal, sequence: number) => Step
  /** The next payment of one that is SUBMITTED. False where another has its place, or it is to be cancelled and this would pay it. */
  readonly attempt: (withdrawalId: string, payment: StoredPayment) => Step
  /** It waits, at the end of the queue, and is not signed for this. False where that is known. */
  readonly refuse: (withdrawalId: string, reason: string) => Step
  /**
   * Once, while it is SUBMITTED, or QUEUED and refused or blocked. It has failed when the rail says that no payment of it can come any
   * more.
   */
  readonly cancel: (withdrawalId: string, asked: { readonly by: string; readonly reason: string }) => Step
  /** From SUBMITTED to SETTLED, with its ledger entries. */
  readonly settle: (withdrawal: Withdrawal, reference: string) => Step
  /**
   * From now on a HELD_FOR_REVIEW one is to be REJECTED, or a SUBMITTED one FAILED, and nothing else can become of it. It gets
   * there once its trader has the money back.
   */
  readonly end: (
    withdrawalId: string,
    ending: {
      readonly ending: "REJECTED" | "FAILED"
      readonly by: string
      readonly reason: string
      /** The outside knows by it what it ended with. */
      readonly reference?: string | null
    }
  ) => Step
}

export const submittedAtOnce = 1_000

/** A payment is sealed under this. */
export const sealName = (withdrawalId: string, attempt: number): string => `payment ${withdrawalId} ${attempt}`
