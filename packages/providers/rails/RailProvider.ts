/**
 * Interface of a rail: incoming transfers and outgoing payments. A provider stores nothing: state that must outlive
 * the process (a cursor, a number, signed bytes) is returned, stored by the caller, and passed in again.
 */
import type { RailName } from "@venue/domain/Rail"
import { type PaymentFailure, PaymentObstacle, type RailOutage } from "@venue/domain/TreasuryReason"
import type { UsedSequences } from "@venue/domain/Withdrawal"
import { Context, type Effect, type Option, type Redacted, Schema } from "effect"

/** A transfer to the venue. `(rail, txHash, logIndex)` identifies it permanently. */
export interface Arrival {
  /** At a bank, the reference of the credit. */
  readonly txHash: string
  /** Index within the transaction, because the index within a block changes in a reorganisation; 0 at a bank. */
  readonly logIndex: number
  /** A deposit address in the published form; at a bank, the message of the transfer. */
  readonly to: string
  /** In 1e-6 USD, above zero. */
  readonly amount: bigint
  /** Block of the transfer; null at a bank. */
  readonly block: { readonly number: number; readonly hash: string } | null
  /** The bank's name of the payment method; null on chains. */
  readonly paymentRail: string | null
}

export interface Scan {
  readonly arrivals: ReadonlyArray<Arrival>
  /** Credits that a bank returned. Empty on chains: there an arrival stays or is gone. */
  readonly returned: ReadonlyArray<Pick<Arrival, "txHash" | "logIndex">>
  /** Opaque position of the next scan. Replaced blocks, and always the newest ones, are read again. */
  readonly cursor: string
}

/** Current state of an arrival. */
export type ArrivalState =
  | { readonly _tag: "Present"; readonly confirmations: number; readonly isFinal: boolean }
  /** Absent from the chain according to all answering providers. It may reappear under the same name. */
  | { readonly _tag: "Gone" }

/** One attempt to pay a withdrawal. Stored before it is sent, and sent unchanged however often. */
export interface Payment {
  readonly attempt: number
  readonly purpose: Purpose
  /** External reference: the transaction hash, or the withdrawal id at a bank. */
  readonly reference: string
  /** The complete signed message. At a bank it contains the payee's details, so it is encrypted in storage. */
  readonly bytes: Redacted.Redacted
  /** Time after which it can no longer be executed; null without an expiry. */
  readonly expiresAtMillis: number | null
  readonly signedAtMillis: number
}

/**
 * A cancel uses up the withdrawal's number, so that no payment of it can be executed. On rails without numbers a
 * cancel is a mark that is never sent: nothing is signed after it, and the withdrawal fails once earlier attempts can
 * no longer be executed.
 */
export type Purpose = "pay" | "cancel"

export interface PaymentOrder {
  readonly withdrawalId: string
  /** An address, or a bank account's details as JSON. */
  readonly destination: Redacted.Redacted
  /** Amount to arrive, in 1e-6 USD. */
  readonly amount: bigint
  /** Payment method at a bank; null on chains. */
  readonly paymentRail: string | null
  /** Number reserved for this withdrawal permanently: the nonce on chains that have one. */
  readonly sequence: number
  readonly purpose: Purpose
  /** Earlier attempts of this withdrawal, oldest first; a new attempt can only replace them. */
  readonly previous: ReadonlyArray<Payment>
}

/** Returns the total of in-flight withdrawals with this number or a later one, in 1e-6 USD. */
export type Promised<E> = (fromSequence: number) => Effect.Effect<bigint, E>

/** State of all attempts of one withdrawal. "Not found" is `Pending`, never `Failed`. */
export type Outcome =
  /** With an obstacle the payment cannot arrive as it is; an operator must act. */
  | { readonly _tag: "Pending"; readonly obstacle?: PaymentObstacle }
  /** No attempt was executed for a long time; another may be signed that can only replace the earlier ones. */
  | { readonly _tag: "Overdue" }
  | { readonly _tag: "Settled"; readonly reference: string }
  /** Final: no attempt can pay. The reference is null if the rail knows none. */
  | { readonly _tag: "Failed"; readonly reference: string | null; readonly reason: PaymentFailure }

/** The rail is unreachable, or its providers disagree. The state is unknown; retry. */
export class RailUnavailable extends Schema.TaggedError<RailUnavailable>()("RailUnavailable", {
  rail: Schema.String,
  cause: Schema.Defect()
}) {}

/** The payment cannot be signed as it is: an operator must act. `obstacle` contains no secrets. */
export class SigningRefused extends Schema.TaggedError<SigningRefused>()("SigningRefused", {
  rail: Schema.String,
  obstacle: PaymentObstacle
}) {}

/** Transfer of a deposit address's balance to the hot account. */
export interface SweepOrder {
  readonly index: number
  readonly address: string
  /** In 1e-6 USD. */
  readonly amount: bigint
  /** Number reserved for this sweep permanently. Sweeps have their own sending account and their own numbers. */
  readonly sequence: number
  readonly previous: ReadonlyArray<Payment>
}

/** Sweeps deposits into the hot account. A repeated sweep moves nothing, because the address is empty. */
export interface Sweeper {
  /** Returns the addresses whose confirmed balance is worth the gas. */
  readonly due: (
    addresses: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Pick<SweepOrder, "address" | "amount">>, RailUnavailable>
  readonly firstSequence: Effect.Effect<number, RailUnavailable>
  /** Signs without sending. Sending and outcome are those of any payment. */
  readonly sign: (order: SweepOrder) => Effect.Effect<Payment, RailUnavailable | SigningRefused>
}

/** Books to compare with: the result states for each part whether the holdings include it. */
export interface HoldingsQuestion {
  /** Addresses that ever received a transfer, without the paying account. */
  readonly addresses: ReadonlyArray<string>
  /** Position up to which all arrivals are recorded. */
  readonly cursor: string
  /** All attempts of each in-flight withdrawal. */
  readonly sent: ReadonlyArray<ReadonlyArray<Payment>>
}

export interface Holdings {
  /** In 1e-6 USD, over all of the venue's addresses. */
  readonly amount: bigint
  /** Position on the rail, for people. */
  readonly position: string
  /** Last block included in the amount. Null at a bank, which includes everything up to the cursor. */
  readonly block: number | null
  /** Per withdrawal, in request order: true if it has left and is not included in the amount. */
  readonly hasLeft: ReadonlyArray<boolean>
}

export interface RailProvider {
  readonly rail: RailName
  /**
   * Returns the deposit address of an index (chains); constant. Undefined at a bank, where messages distinguish
   * deposits.
   */
  readonly addressAt: ((index: number) => string) | undefined
  /** Contract of the rail's token in the published form; it is refused as a destination. Absent without a contract. */
  readonly tokenContract?: string
  /**
   * Returns the arrivals since the cursor; null starts at the current head. `watched` is read after the head, so that
   * an address published before it is never missed.
   */
  readonly scan: <E>(
    cursor: string | null,
    watched: Effect.Effect<ReadonlyArray<string>, E>
  ) => Effect.Effect<Scan, RailUnavailable | E>
  /** Returns the states in request order. */
  readonly arrivalStates: (
    arrivals: ReadonlyArray<Arrival>
  ) => Effect.Effect<ReadonlyArray<ArrivalState>, RailUnavailable>
  /**
   * Returns the number of the next withdrawal. Refuses if no number is certainly free; then an operator must act, or
   * the withdrawal waits.
   */
  readonly nextSequence: (used: UsedSequences) => Effect.Effect<number, RailUnavailable | SigningRefused>
  /** Whether payments execute in the order of their numbers. */
  readonly isOrdered: boolean
  /**
   * Refuses a payment that could not be signed now, before a number is assigned; ignores the number in the order.
   * Funds promised to other in-flight withdrawals are unavailable. Cancels skip checks that only block payment.
   */
  readonly check: <E>(
    order: PaymentOrder,
    promised: Promised<E>
  ) => Effect.Effect<void, RailUnavailable | SigningRefused | E>
  /**
   * Signs without sending. The key holder remembers the withdrawal's number from then on and signs it under no other.
   * The number is therefore stored before this call, and stays assigned if the call fails.
   */
  readonly sign: (order: PaymentOrder) => Effect.Effect<Payment, RailUnavailable | SigningRefused>
  /** Sends a payment; idempotent. */
  readonly send: (payment: Payment) => Effect.Effect<void, RailUnavailable>
  /** Returns the outcome of all attempts of one withdrawal, given oldest first. */
  readonly outcome: (payments: ReadonlyArray<Payment>) => Effect.Effect<Outcome, RailUnavailable>
  /**
   * Returns the venue's holdings at one moment. None if they moved during the read, or if arrivals are not yet all
   * recorded: retry.
   */
  readonly holdings: (question: HoldingsQuestion) => Effect.Effect<Option.Option<Holdings>, RailUnavailable>
  /** Absent if there is nothing to sweep, or if sweeping is manual. */
  readonly sweeper?: Sweeper
  /** Outage for an alarm while the rail answers but its final state stands still; otherwise undefined. */
  readonly stalled?: Effect.Effect<RailOutage | undefined>
  /** Returns the paying account recorded in a cursor, in the published form, for processes without a wallet. */
  readonly payingAccountIn?: (cursor: string) => string | undefined
}

/** Rails connected to this venue. */
export class RailProviders extends Context.Service<RailProviders, ReadonlyMap<RailName, RailProvider>>()(
  "@venue/providers/RailProviders"
) {}
