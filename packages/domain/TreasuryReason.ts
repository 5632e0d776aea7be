/**
 * Reasons that the venue stores with deposits, withdrawals and rails: a tag and its fields. `api/treasury/ReasonText`
 * has the text for each reason. Readers also accept reasons stored by a newer release, because nodes of both releases
 * share the tables during a rolling restart and after a rollback.
 */
import { Schema, SchemaTransformation } from "effect"

/** Reason that a newer release stored, of which this release reads only the tag. */
const UnknownReason = Schema.TaggedStruct("Unknown", { tag: Schema.String })

const AnyReason = Schema.Struct({ _tag: Schema.String }).pipe(
  Schema.decodeTo(
    UnknownReason,
    SchemaTransformation.transform({
      decode: ({ _tag }) => ({ _tag: "Unknown" as const, tag: _tag }),
      encode: ({ tag }) => ({ _tag: tag })
    })
  )
)

/** Returns the schema of a stored reason. A reason that `reasons` cannot decode becomes `Unknown` with its tag. */
export const stored = <Reason>(reasons: Schema.Decoder<Reason>): Schema.Decoder<Reason | typeof UnknownReason.Type> =>
  Schema.Union([reasons, AnyReason])

/** Reason why a deposit is not credited, or was reversed. */
export const DepositReason = Schema.Literals([
  "below-minimum",
  /** The message of a bank transfer belongs to no user. */
  "unknown-message",
  /** The transfer went to the account that pays withdrawals. */
  "paying-account",
  /** An operator declared the deposit to be the venue's own money. */
  "venue-own",
  /** The chain contains a reversed deposit again, and an operator must decide. */
  "seen-again",
  "bank-return",
  "missing-on-chain"
])
export type DepositReason = typeof DepositReason.Type

/** Stored reason of a deposit: one of this release, or the text that a newer release stored. */
export const StoredDepositReason = Schema.Union([
  DepositReason,
  Schema.String.pipe(Schema.brand("UnknownDepositReason"))
])
export type StoredDepositReason = typeof StoredDepositReason.Type

/** Whole number of any size, in decimal digits. */
const Digits = Schema.String

/** Reason why a payment cannot be signed, or cannot arrive in its current form. Amounts are in 1e-6 USD. */
export const PaymentObstacle = Schema.Union([
  Schema.TaggedStruct("BankAccountUnlinked", {}),
  Schema.TaggedStruct("InvalidDestination", {}),
  /** The destination is the token's contract, the account that pays withdrawals, or the zero address. */
  Schema.TaggedStruct("UnpayableDestination", {}),
  /** `promised` is the sum of other in-flight withdrawals. */
  Schema.TaggedStruct("TokenBalanceTooLow", { account: Schema.String, held: Digits, amount: Digits, promised: Digits }),
  Schema.TaggedStruct("GasBalanceTooLow", { account: Schema.String, heldWei: Digits, neededWei: Digits }),
  /** `text` is the error of the chain's node. */
  Schema.TaggedStruct("ChainRejects", { text: Schema.String }),
  /** `text` is the wallet's response. */
  Schema.TaggedStruct("WalletRefuses", { text: Schema.String }),
  /** The signer signed something other than the requested payment. */
  Schema.TaggedStruct("SignedOtherPayment", {}),
  /** An account other than the current one signed an earlier attempt. */
  Schema.TaggedStruct("SignerChanged", { signedBy: Schema.String, account: Schema.String }),
  Schema.TaggedStruct("UnreadableAttempt", { attempt: Schema.Int }),
  /**
   * Earlier withdrawals used all nonces below `stored`, but fewer transactions were sent, so another key must have
   * signed them.
   */
  Schema.TaggedStruct("NoncesBehind", { account: Schema.String, sent: Schema.Int, stored: Schema.Int }),
  /** The account has sent a transaction that the venue does not know, and that is not final yet. */
  Schema.TaggedStruct("UnknownTransaction", { account: Schema.String }),
  /** A transaction that the venue does not know has used the nonce of the payment. */
  Schema.TaggedStruct("NonceUsed", { nonce: Schema.Int }),
  Schema.TaggedStruct("PaymentCancelled", {}),
  /** An earlier attempt can still arrive, or has already ended. */
  Schema.TaggedStruct("EarlierAttemptOpen", {}),
  Schema.TaggedStruct("PayoutStarted", { purpose: Schema.Literals(["pay", "cancel"]) }),
  Schema.TaggedStruct("InvalidPayout", { member: Schema.Literals(["id", "payment_rail", "amount", "payee"]) }),
  /** The extended key derives a different address for this index. */
  Schema.TaggedStruct("AddressNotDerived", { address: Schema.String, index: Schema.Int }),
  UnknownReason
])
export type PaymentObstacle = typeof PaymentObstacle.Type

const failures = [
  Schema.TaggedStruct("PaymentCancelled", {}),
  /** The payment was cancelled, and a transaction that the venue does not know has used its nonce. */
  Schema.TaggedStruct("CancelOvertaken", {}),
  Schema.TaggedStruct("TransferRejected", {}),
  /** `code` is the result in the chain's receipt, such as OUT_OF_ENERGY; null if the receipt contains no code. */
  Schema.TaggedStruct("TransactionFailed", { code: Schema.NullOr(Schema.String) }),
  /** `code` is the failure reason of the bank; null if it gave none. */
  Schema.TaggedStruct("PayoutFailed", { code: Schema.NullOr(Schema.String) }),
  Schema.TaggedStruct("SimulatedFailure", {})
] as const

/** Reason why a withdrawal can no longer be paid. */
export const PaymentFailure = Schema.Union(failures)
export type PaymentFailure = typeof PaymentFailure.Type

/** Reason why a withdrawal's gross amount is returned. */
export const EndReason = Schema.Union([
  ...failures,
  /** `text` is the operator's reason. */
  Schema.TaggedStruct("Rejected", { text: Schema.String }),
  UnknownReason
])
export type EndReason = typeof EndReason.Type

/** Reason why a rail is unavailable. */
export const RailOutage = Schema.Union([
  /** `text` is the original error message. */
  Schema.TaggedStruct("Unreachable", { text: Schema.String }),
  /** The final block does not advance although the head of the chain does. */
  Schema.TaggedStruct("FinalityStalled", {
    finalBlock: Schema.Int,
    minutes: Schema.Int,
    fromHead: Schema.Int,
    toHead: Schema.Int
  }),
  UnknownReason
])
export type RailOutage = typeof RailOutage.Type
