/** Orders that a signer accepts: descriptions of transactions, never raw bytes. */
import { Schema } from "effect"
import * as TronAddress from "./tron/TronAddress.ts"

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Address = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/))
const Positive = Schema.BigIntFromString.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 2n ** 63n - 1n }))

/** Chain parameters of a transaction. */
const Sending = {
  chainId: Count,
  token: Address,
  nonce: Count,
  gas: Positive,
  maxFeePerGas: Positive,
  maxPriorityFeePerGas: Positive
}

/** Pays a withdrawal from the hot account. */
export const ArbitrumPayment = Schema.TaggedStruct("ArbitrumPayment", {
  ...Sending,
  withdrawalId: Schema.NonEmptyString.check(Schema.isMaxLength(100)),
  destination: Address,
  amount: Positive
})
export type ArbitrumPayment = typeof ArbitrumPayment.Type

/**
 * Uses up the nonce of a withdrawal so that the withdrawal is never paid. The hot account sends a transfer of zero to
 * itself.
 */
export const ArbitrumCancel = Schema.TaggedStruct("ArbitrumCancel", {
  ...Sending,
  withdrawalId: Schema.NonEmptyString.check(Schema.isMaxLength(100))
})
export type ArbitrumCancel = typeof ArbitrumCancel.Type

/** Moves a deposit address's balance to the hot account; sent by the account that pays the gas for sweeps. */
export const ArbitrumSweep = Schema.TaggedStruct("ArbitrumSweep", {
  ...Sending,
  index: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x7fff_fffe })),
  amount: Positive,
  authorization: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/)),
  validBeforeSeconds: Count
})
export type ArbitrumSweep = typeof ArbitrumSweep.Type

export type ArbitrumOrder = ArbitrumPayment | ArbitrumCancel | ArbitrumSweep

const TronAccount = Schema.String.check(
  Schema.makeFilter((text) => TronAddress.isAddress(text), { expected: "a TRON address" })
)

/**
 * Pays a withdrawal on TRON from the hot account. TRON has no nonces, so one transaction can replace another only
 * after the other has expired.
 */
export const TronPayment = Schema.TaggedStruct("TronPayment", {
  withdrawalId: Schema.NonEmptyString.check(Schema.isMaxLength(100)),
  token: TronAccount,
  destination: TronAccount,
  amount: Positive,
  refBlockId: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  expirationMillis: Count,
  timestampMillis: Count,
  /** In 1e-6 TRX. */
  feeLimit: Count,
  /** Time of the newest final block. */
  solidMillis: Count
})
export type TronPayment = typeof TronPayment.Type

export const SigningOrder = Schema.Union([ArbitrumPayment, ArbitrumCancel, ArbitrumSweep, TronPayment])
export type SigningOrder = typeof SigningOrder.Type
