/**
 * The outside of one rail: what has come in there, and what is sent out. It keeps nothing: what must outlive the process
 * (a cursor, a number, signed bytes) is handed out, stored by whoever asks, and handed in again.
 */
import type { RailName } from "@venue/domain/Rail"
import { type PaymentFailure, PaymentObstacle, type RailOutage } from "@venue/domain/TreasuryReason"
import type { UsedSequences } from "@venue/domain/Withdrawal"
import { Context, type Effect, type Option, type Redacted, Schema } from "effect"

/** A transfer to the venue. `(rail, txHash, logIndex)` is its name for ever. */
export interface Arrival {
  /** At a bank it is the reference of the credit. */
  readonly txHash: string
  /** It counts within the transaction, since the place within a block changes when blocks are reorganised; 0 at a bank. */
  readonly logIndex: number
  /** A deposit address, in the form in which it was handed out; at a bank it is the message of the transfer. */
  readonly to: string
  /** It counts 1e-6 USD, and is above zero. */
  readonly amount: bigint
  /** The block it was seen in; null at a bank. */
  readonly block: { readonly number: number; readonly hash: string } | null
  /** The bank's own name of the way it came; null on chains. */
  readonly paymentRail: string | null
}

export interface Scan {
  readonly arrivals: ReadonlyArray<Arrival>
  /** A bank took these credits back. A chain names none: there an arrival stands, or is gone. */
  readonly returned: ReadonlyArray<Pick<Arrival, "txHash" | "logIndex">>
  /** The next scan begins here. It is opaque. Blocks that were replaced since are read again, and the newest ones in any case. */
  readonly cursor: string
}

/** What has become of an arrival. */
export type ArrivalState =
  | { readonly _tag: "Present"; readonly confirmations: number; readonly isFinal: boolean }
  /** It is not in the chain as all providers that answer see it. It may come again, with the same name. */
  | { readonly _tag: "Gone" }

/** One attempt to pay a withdrawal. It is stored before it is sent, and sent as it is however often. */
export interface Payment {
  readonly attempt: number
  readonly purpose: Purpose
  /** The outside knows it by this: the transaction's hash, or the withdrawal's id at a bank. */
  readonly reference: string
  /** All that is sent, signed. A bank's holds the payee's details, so it is sealed where it is kept. */
  readonly bytes: Redacted.Redacted
  /** The outside takes it no longer after this; null where it has no end. */
  readonly expiresAtMillis: number | null
  readonly signedAtMillis: number
}

/**
 * A cancel uses the withdrawal's number up, so that no payment of it can come any more. Where there are no numbers it is a mark
 * that is not sent: nothing is signed after it, and the withdrawal has failed when what was sent before can come no more.
 */
export type Purpose = "pay" | "cancel"

export interface PaymentOrder {
  readonly withdrawalId: string
  /** An address, or a bank account's details as JSON. */
  readonly destination: Redacted.Redacted
  /** It is what is to arrive, in 1e-6 USD. */
  readonly amount: bigint
  /** The way a bank is to send it; null on chains. */
  readonly paymentRail: string | null
  /** It is the withdrawal's own for ever, and is used by no other: the nonce where there is one. */
  readonly sequence: number
  readonly purpose: Purpose
  /** Earlier attempts of this withdrawal, the oldest first: an attempt after them can only come in their place. */
  readonly previous: ReadonlyArray<Payment>
}

/** What withdrawals that have this number or a later one are to be paid, and nobody has heard the end of, in 1e-6 USD. */
export type Promised<E> = (fromSequence: number) => Effect.Effect<bigint, E>

/** What became of all attempts of one withdrawal. "Not found" is `Pending`, never `Failed`. */
export type Outcome =
  /** With an obstacle the payment cannot arrive as it is, and an operator has to look. */
  | { readonly _tag: "Pending"; readonly obstacle?: PaymentObstacle }
  /** None has come for long, and another attempt may be signed that can only come in their place. */
  | { readonly _tag: "Overdue" }
  | { readonly _tag: "Settled"; readonly reference: string }
  /** Final: no attempt of it can pay any more. Its reference is null where the outside knows of none. */
  | { readonly _tag: "Failed"; readonly reference: string | null; readonly reason: PaymentFailure }

/** It cannot be reached, or those asked do not agree: nothing is known, and it is asked again. */
export class RailUnavailable extends Schema.TaggedError<RailUnavailable>()("RailUnavailable", {
  rail: Schema.String,
  cause: Schema.Defect()
}) {}

/** The payment cannot be signed as it is: an operator has to look. `obstacle` contains no secrets. */
export class SigningRefused extends Schema.TaggedError<SigningRefused>()("SigningRefused", {
  rail: Schema.String,
  obstacle: PaymentObstacle
}) {}

/** What one deposit address holds, to be brought to the account that pays withdrawals. */
export interface SweepOrder {
  readonly index: number
  readonly address: string
  /** It counts 1e-6 USD. */
  readonly amount: bigint
  /** It is the sweep's own for ever, among those of sweeps: another account sends them than pays withdrawals. */
  readonly sequence: number
  readonly previous: ReadonlyArray<Payment>
}

/** Brings together what came in. A sweep that is done twice moves nothing, since the address is empty then. */
export interface Sweeper {
  /** Those of these addresses that hold what is worth the gas, as far as it is confirmed. */
  readonly due: (
    addresses: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Pick<SweepOrder, "address" | "amount">>, RailUnavailable>
  readonly firstSequence: Effect.Effect<number, RailUnavailable>
  /** Signs, and sends nothing. The rail sends it, and tells its outcome, as those of any payment. */
  readonly sign: (order: SweepOrder) => Effect.Effect<Payment, RailUnavailable | SigningRefused>
}

/** Whatever it answers, it says of each part of the books whether that is in it. */
export interface HoldingsQuestion {
  /** Those to which anything ever came; the account that pays is not among them. */
  readonly addresses: ReadonlyArray<string>
  /** All that came in was noted up to there. */
  readonly cursor: string
  /** All attempts of each withdrawal that was sent, and of which nobody has heard the end. */
  readonly sent: ReadonlyArray<ReadonlyArray<Payment>>
}

export interface Holdings {
  /** It counts 1e-6 USD, on all of the venue's addresses together. */
  readonly amount: bigint
  /** For people: where on the rail it was so. */
  readonly position: string
  /** What came in with this block and before is in it, and nothing of later ones. Null at a bank: all up to the cursor is. */
  readonly block: number | null
  /** Of each withdrawal, in the order asked: it has left, and is not in the amount any more. */
  readonly hasLeft: ReadonlyArray<boolean>
}

export interface RailProvider {
  readonly rail: RailName
  /** The deposit address of this index (a chain's), always the same. Undefined at a bank, where messages tell deposits apart. */
  readonly addressAt: ((index: number) => string) | undefined
  /** The contract of its token, as addresses are written to users: nothing can be paid to it. Absent where there is none. */
  readonly tokenContract?: string
  /**
   * What came in since the cursor; null begins at the head of now. `watched` is asked once the head is known, so that an
   * address handed out before that is never missed.
   */
  readonly scan: <E>(
    cursor: string | null,
    watched: Effect.Effect<ReadonlyArray<string>, E>
  ) => Effect.Effect<Scan, RailUnavailable | E>
  /** In the order asked. */
  readonly arrivalStates: (
    arrivals: ReadonlyArray<Arrival>
  ) => Effect.Effect<ReadonlyArray<ArrivalState>, RailUnavailable>
  /** The number of the next withdrawal. Refuses where none is free for certain, and an operator has to look, or it has to wait. */
  readonly nextSequence: (used: UsedSequences) => Effect.Effect<number, RailUnavailable | SigningRefused>
  /** What has a lower number has to be signed before anything behind it can come. */
  readonly isOrdered: boolean
  /**
   * Refuses what could not be signed now, before a number is the withdrawal's own; the one in the order is not looked at. What
   * others are promised and has not left is not there for this one. A cancel is not refused for what keeps the withdrawal from
   * being paid.
   */
  readonly check: <E>(
    order: PaymentOrder,
    promised: Promised<E>
  ) => Effect.Effect<void, RailUnavailable | SigningRefused | E>
  /**
   * Signs, and sends nothing. Whoever holds the keys remembers the number of the withdrawal from then on, and signs it under
   * no other: so the number is stored as the withdrawal's before this is called, and stays its own when nothing comes of it.
   */
  readonly sign: (order: PaymentOrder) => Effect.Effect<Payment, RailUnavailable | SigningRefused>
  /** What is there already is sent again without harm. */
  readonly send: (payment: Payment) => Effect.Effect<void, RailUnavailable>
  /** Of all attempts of one withdrawal, the oldest first. */
  readonly outcome: (payments: ReadonlyArray<Payment>) => Effect.Effect<Outcome, RailUnavailable>
  /**
   * What the venue holds there, as it was at one moment. None where it moved while it was asked, or where not all that came in
   * by then has been read: it is asked again.
   */
  readonly holdings: (question: HoldingsQuestion) => Effect.Effect<Option.Option<Holdings>, RailUnavailable>
  /** Absent where there is nothing to bring together, or somebody does it by hand. */
  readonly sweeper?: Sweeper
  /** The reason for an alarm where the rail answers and what it says is final stands still; undefined as a rule. */
  readonly stalled?: Effect.Effect<RailOutage | undefined>
  /** The account that pays, as addresses are written to users, where a cursor has it: a process without a wallet knows it by that. */
  readonly payingAccountIn?: (cursor: string) => string | undefined
}

/** The rails that this venue is connected to. */
export class RailProviders extends Context.Service<RailProviders, ReadonlyMap<RailName, RailProvider>>()(
  "@venue/providers/RailProviders"
) {}
