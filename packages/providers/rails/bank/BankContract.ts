/** The bank contract of `docs/operate/bank-contract.md` as schemas. Decoded amounts are in 1e-6 USD. */
import { BankDetails, payoutFaultsOf } from "@venue/domain/BankAccount"
import { PayoutRail } from "@venue/domain/Rail"
import { Schema, SchemaTransformation } from "effect"

const microsPerCent = 10_000n

export const isWholeCents = (micros: bigint): boolean => micros % microsPerCent === 0n

/** Amounts in USD with two decimals, such as `"1234.50"`, as in the bank's account. */
const cents = SchemaTransformation.transform({
  decode: (text: string) => BigInt(text.replace(".", "")) * microsPerCent,
  encode: (micros: bigint) => {
    const [sign, size] = micros < 0n ? ["-", -micros] : ["", micros]
    return `${sign}${size / 1_000_000n}.${String((size / microsPerCent) % 100n).padStart(2, "0")}`
  }
})
const centsText = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))

/** Can be negative, because a return can exceed the balance. */
const Balance = centsText(/^-?(0|[1-9]\d{0,12})\.\d{2}$/).pipe(Schema.decodeTo(Schema.BigInt, cents))
export const Amount = centsText(/^(0|[1-9]\d{0,12})\.\d{2}$/).pipe(
  Schema.decodeTo(Schema.BigInt.check(Schema.isGreaterThanBigInt(0n)), cents)
)

/** Payee of a payout: a bank account that the user linked. */
export const Payee = BankDetails.check(
  Schema.makeFilter((details) => payoutFaultsOf(details).length === 0, {
    expected: "bank account details"
  })
)

export const PayoutRequest = Schema.Struct({
  amount: Amount,
  currency: Schema.Literal("usd"),
  payment_rail: PayoutRail,
  payee: Payee
})

/** Payout id, which the venue chooses: the withdrawal's id. */
export const PayoutId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9-]{1,64}$/))

/** Failure reason in words without digits, so that it contains no account number. */
export const FailureReason = Schema.String.check(Schema.isPattern(/^[a-z]+(_[a-z]+){0,7}$/), Schema.isMaxLength(64))

export const Payout = Schema.Struct({
  id: PayoutId,
  status: Schema.Literals(["pending", "settled", "failed"]),
  reason: Schema.NullOr(FailureReason)
})
export type Payout = typeof Payout.Type

/** Permanent reference of a credit at the bank. */
export const CreditReference = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._:-]{1,64}$/))

export const Credit = Schema.Struct({
  kind: Schema.Literal("credit"),
  reference: CreditReference,
  amount: Amount,
  message: Schema.String.check(Schema.isMaxLength(256)),
  payment_rail: Schema.String.check(Schema.isPattern(/^[a-z_]{1,32}$/))
})

/** The credit with this reference was returned in full. */
export const Return = Schema.Struct({ kind: Schema.Literal("return"), reference: CreditReference })

export const Entry = Schema.Union([Credit, Return])
export type Entry = typeof Entry.Type

export const Cursor = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._:-]{1,64}$/))

/** Entries after the cursor in booking order, and the next cursor. */
export const Credits = Schema.Struct({
  data: Schema.Array(Entry).check(Schema.isMaxLength(500)),
  next: Cursor
})

/** Booked balance, including pending payouts. */
export const Holdings = Schema.Struct({ balance: Balance })

/** Size limit of a response, sufficient for a full list of credits. */
export const maxAnswerBytes = 1_048_576
export const pageLimit = 500
