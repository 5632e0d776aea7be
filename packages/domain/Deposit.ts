/** Deposits: minimums, ids, and the commands and events of a trader (rule 17). Money in 1e-6 USD. */
import { Schema } from "effect"
import { moneyScale } from "./Decimal.ts"
import { RailName } from "./Rail.ts"
import { DepositReason } from "./TreasuryReason.ts"

/** State of a deposit. Users never see a DROPPED deposit. */
export const DepositState = Schema.Literals(["DETECTED", "CONFIRMED", "CREDITED", "REVERSED", "DROPPED"])
export type DepositState = typeof DepositState.Type

/** Number of chain confirmations that a deposit needs. The deposit's own block is the first confirmation. */
export const confirmationsNeeded = 20

/** Smallest deposit that is credited, in 1e-6 USD. */
export const minimumDeposit: { readonly [Rail in RailName]: bigint } = {
  ARBITRUM_ONE: 5n * BigInt(moneyScale),
  TRON: 5n * BigInt(moneyScale),
  BANK: 10n * BigInt(moneyScale)
}

/** Returns the reason not to credit a confirmed deposit of this amount, or null. */
export const reasonAgainst = (rail: RailName, amount: bigint): DepositReason | null =>
  amount < minimumDeposit[rail] ? "below-minimum" : null

/** Returns a deposit's permanent id. One transaction can contain several transfers, so the log index is included. */
export const depositIdOf = (rail: RailName, txHash: string, logIndex: number): string => `${rail}/${txHash}/${logIndex}`

/** Returns a deposit id in the venue's spelling: a transaction hash in lower case, a bank reference unchanged. */
export const writtenDepositId = (text: string): string => {
  const [rail = "", ...rest] = text.split("/")
  const name = rail.toUpperCase()
  return [name, ...(name === "BANK" ? rest : rest.map((part) => part.toLowerCase()))].join("/")
}

const credit = { depositId: Schema.String, rail: RailName, amount: Schema.BigInt }

/** Credits a confirmed deposit to the user's primary account. Idempotent by `depositId`. */
export const Deposit = Schema.TaggedStruct("Deposit", credit)
export type Deposit = typeof Deposit.Type

/** Reverses a credited deposit that its rail no longer contains. Idempotent by `depositId`. */
export const ReverseDeposit = Schema.TaggedStruct("ReverseDeposit", {
  depositId: Schema.String,
  reason: DepositReason
})
export type ReverseDeposit = typeof ReverseDeposit.Type

/** The amount was credited to the user's primary account. */
export const Deposited = Schema.TaggedStruct("Deposited", { ...credit, atMillis: Schema.Number })
export type Deposited = typeof Deposited.Type

/** The whole amount was debited, which can make the balance negative. */
export const DepositReversed = Schema.TaggedStruct("DepositReversed", {
  ...credit,
  reason: DepositReason,
  atMillis: Schema.Number
})
export type DepositReversed = typeof DepositReversed.Type

/** The id is unknown, or belongs to a deposit that was not credited to the user. */
export class UnknownDeposit extends Schema.TaggedError<UnknownDeposit>()("UnknownDeposit", {
  depositId: Schema.String
}) {}
