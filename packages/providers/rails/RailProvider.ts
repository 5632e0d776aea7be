/**
 * Interface of a rail: incoming transfers and outgoing payments. A provider stores nothing. State that must outlive
 * the process (a cursor, a number, signed bytes) is returned to the caller, which stores it and passes it in again.
 */
import type { RailName } from "@venue/domain/Rail"
import { type PaymentFailure, PaymentObstacle, type RailOutage } from "@venue/domain/TreasuryReason"
import type { UsedSequences } from "@venue/domain/Withdrawal"
import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import type { RailSight } from "./RailSight.ts"

/** A transfer to the venue. `(rail, txHash, logIndex)` identifies it permanently. */
export interface Arrival {
  /** Transaction hash; at a bank, the reference of the credit. */
  readonly txHash: string
  /** Index within the transaction, because a reorganisation changes the index within the block; 0 at a bank. */
  readonly logIndex: number
  /** Deposit address in the form that users see; at a bank, the reference text of the transfer. */
  readonly to: string
  /** In 1e-6 USD, above zero. */
  readonly amount: bigint
  /** Block of the transfer; null at a bank. */
  readonly block: { readonly number: number; readonly hash: string } | null
  /** The bank's name for the payment method; null on chains. */
  readonly paymentRail: string | null
}

export interface Scan {
  readonly arrivals: ReadonlyArray<Arrival>
  /** Credits that a bank returned. Empty on chains, where an arrival either stays or is gone. */
  readonly returned: ReadonlyArray<Pick<Arrival, "txHash" | "logIndex">>
  /** Opaque position at which the next scan starts. The newest blocks and replaced blocks are always read again. */
  readonly cursor: string
}

export type ArrivalState =
  | { readonly _tag: "Present"; readonly confirmations: number; readonly isFinal: boolean }
  /**
   * Absent from the chain according to all responding providers. The transfer might reappear with the same identity.
   */
  | { readonly _tag: "Gone" }

/** One attempt to pay a withdrawal. The attempt is stored before it is sent, and every repeat sends the same bytes. */
export interface Payment {
  readonly attempt: number
  readonly purpose: Purpose
  /** External reference: the transaction hash, or the withdrawal id at a bank. */
  readonly reference: string
  /** The complete signed message. At a bank it contains the payee's details, so it is encrypted in storage. */
  readonly bytes: Redacted.Redacted
  /** Time after which the payment can no longer be executed, or null without an expiry. */
  readonly expiresAtMillis: number | null
  readonly signedAtMillis: number
}

/**
 * A cancel uses up the withdrawal's number, so that no payment with this number can be executed. On rails without
 * numbers, a cancel is a mark that is never sent. Nothing is signed after the mark, and the withdrawal fails once
 * earlier attempts can no longer be executed.
 */
export type Purpose = "pay" | "cancel"

export interface PaymentOrder {
  readonly withdrawalId: string
  /** An address, or a bank account's details as JSON. */
  readonly destination: Redacted.Redacted
  /** Amount to be received, in 1e-6 USD. */
  readonly amount: bigint
  /** Payment method at a bank; null on chains. */
  readonly paymentRail: string | null
  /** Number permanently reserved for this withdrawal; on chains with nonces, the nonce. */
  readonly sequence: number
  readonly purpose: Purpose
  /** Earlier attempts at this withdrawal, oldest first. A new attempt can only replace them. */
  readonly previous: ReadonlyArray<Payment>
}

/** Returns the total amount of the in-flight withdrawals that have this number or a later one, in 1e-6 USD. */
export type Promised<E> = (fromSequence: number) => Effect.Effect<bigint, E>

/** State of all attempts at one withdrawal. "Not found" is `Pending`, never `Failed`. */
export type Outcome =
  /** With an obstacle, the payment cannot be executed unchanged, and an operator must act. */
  | { readonly _tag: "Pending"; readonly obstacle?: PaymentObstacle }
  /** No attempt was executed for a long time. The next attempt can only replace the earlier attempts. */
  | { readonly _tag: "Overdue" }
  | { readonly _tag: "Settled"; readonly reference: string }
  /** Final: no attempt can be executed. The reference is null on a rail without references. */
  | { readonly _tag: "Failed"; readonly reference: string | null; readonly reason: PaymentFailure }

/** The rail is unreachable, or its providers disagree. The state is unknown, so the caller should retry. */
export class RailUnavailable extends Schema.TaggedError<RailUnavailable>()("RailUnavailable", {
  rail: Schema.String,
  cause: Schema.Defect()
}) {}

/** The payment cannot be signed as it is, and an operator must act. `obstacle` contains no secrets. */
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
  /** Number permanently reserved for this sweep. Sweeps have their own sending account and number sequence. */
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
  /** Signs without sending. A sweep is sent, and its outcome read, like any payment. */
  readonly sign: (order: SweepOrder) => Effect.Effect<Payment, RailUnavailable | SigningRefused>
}

/** The venue's books, to compare with the holdings. The response states which entries the holdings include. */
export interface HoldingsQuestion {
  /** Addresses that ever received a transfer, except the paying account. */
  readonly addresses: ReadonlyArray<string>
  /** Position up to which all arrivals are recorded. */
  readonly cursor: string
  /** All attempts of each in-flight withdrawal. */
  readonly sent: ReadonlyArray<ReadonlyArray<Payment>>
}

export interface Holdings {
  /** In 1e-6 USD, over all of the venue's addresses. */
  readonly amount: bigint
  /** Human-readable position on the rail. */
  readonly position: string
  /** Last block included in the amount; null at a bank, where the amount includes everything up to the cursor. */
  readonly block: number | null
  /** For each withdrawal in `sent`, in order: true if the withdrawal has left and is no longer part of the amount. */
  readonly hasLeft: ReadonlyArray<boolean>
}

export interface RailProvider {
  readonly rail: RailName
  /** Returns a chain's constant deposit address for an index. Undefined at a bank, where messages identify deposits. */
  readonly addressAt: ((index: number) => string) | undefined
  /**
   * Address of the rail's token contract, in the form that users see. Withdrawals to this address are refused. Absent
   * on rails without a contract.
   */
  readonly tokenContract?: string
  /**
   * Returns the arrivals since the cursor. A null cursor starts at the current head. `watched` is read after the
   * head, so that it includes every address that users received before that head.
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
   * Returns the number for the next withdrawal. Refuses if no number is certain to be free; the withdrawal then
   * waits, or an operator must act.
   */
  readonly nextSequence: (used: UsedSequences) => Effect.Effect<number, RailUnavailable | SigningRefused>
  /** Whether payments execute in number order. */
  readonly isOrdered: boolean
  /**
   * Refuses a payment that could not be signed now, before a number is assigned. The order's number is ignored. Funds
   * promised to other in-flight withdrawals count as unavailable. Cancels skip checks that only block payment.
   */
  readonly check: <E>(
    order: PaymentOrder,
    promised: Promised<E>
  ) => Effect.Effect<void, RailUnavailable | SigningRefused | E>
  /**
   * Signs without sending. From then on, the key holder remembers the withdrawal's number and signs the withdrawal
   * under no other number. The number is therefore stored before this call, and stays assigned if the call fails.
   */
  readonly sign: (order: PaymentOrder) => Effect.Effect<Payment, RailUnavailable | SigningRefused>
  /** Sends a payment; idempotent. */
  readonly send: (payment: Payment) => Effect.Effect<void, RailUnavailable>
  /** Returns the outcome of all attempts at one withdrawal, given oldest first. */
  readonly outcome: (payments: ReadonlyArray<Payment>) => Effect.Effect<Outcome, RailUnavailable>
  /**
   * Returns the venue's holdings at one moment. Returns Option.none if the holdings changed during the read or if
   * some arrivals are not recorded yet; the caller should retry.
   */
  readonly holdings: (question: HoldingsQuestion) => Effect.Effect<Option.Option<Holdings>, RailUnavailable>
  /** Absent if there is nothing to sweep, or if sweeping is manual. */
  readonly sweeper?: Sweeper
  /** Outage to report while the rail responds but its final state does not advance; undefined at other times. */
  readonly stalled?: Effect.Effect<RailOutage | undefined>
  /** Returns what the provider last saw of its chain. Absent at a bank. */
  readonly sight?: () => RailSight
  /** Returns the paying account recorded in a cursor, in the form that users see. For processes without a wallet. */
  readonly payingAccountIn?: (cursor: string) => string | undefined
}

export class RailProviders extends Context.Service<RailProviders, ReadonlyMap<RailName, RailProvider>>()(
  "@venue/providers/RailProviders"
) {}
