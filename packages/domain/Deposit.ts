/** Money comes in: what may be asked, what is recorded, and the states of a deposit (rule 17). Money in 1e-6 USD. */
import { Schema } from "effect"
import { moneyScale } from "./Decimal.ts"
import { RailName } from "./Rail.ts"

/**
 *     DETECTED ⇄ CONFIRMED → CREDITED → REVERSED
 *         ⇅ ↙
 *      DROPPED                   before it is credited, a chain may lose it, and may find it again
 */
export const DepositState = Schema.Literals(["DETECTED", "CONFIRMED", "CREDITED", "REVERSED", "DROPPED"])
export type DepositState = typeof DepositState.Type

/** There are no others; it begins as DETECTED. */
export const depositEdges: ReadonlyArray<readonly [from: DepositState, to: DepositState]> = [
  ["DETECTED", "CONFIRMED"],
  ["CONFIRMED", "DETECTED"],
  ["CONFIRMED", "CREDITED"],
  ["CREDITED", "REVERSED"],
  ["DETECTED", "DROPPED"],
  ["CONFIRMED", "DROPPED"],
  ["DROPPED", "DETECTED"]
]

/** It is credited once so many blocks stand on a chain, its own among them. */
export const confirmationsNeeded = 20

/** Less stays uncredited. */
export const minimumDeposit: { readonly [Rail in RailName]: bigint } = {
  ARBITRUM_ONE: 5n * BigInt(moneyScale),
  TRON: 5n * BigInt(moneyScale),
  BANK: 10n * BigInt(moneyScale)
}

/** Why a confirmed deposit stays uncredited; null where nothing is against it. */
export const reasonAgainst = (rail: RailName, amount: bigint): string | null =>
  amount < minimumDeposit[rail] ? belowMinimum : null

export const belowMinimum = "it is below the minimum"

/** Its name for ever: a transaction may hold several transfers, so the hash alone is none. */
export const depositIdOf = (rail: RailName, txHash: string, logIndex: number): string => `${rail}/${txHash}/${logIndex}`

/**
 * Returns the id of a deposit as the venue writes it. Letter case is no part of a chain's transaction, and is one of a bank's reference.
 */
export const writtenDepositId = (text: string): string => {
  const [rail = "", ...rest] = text.split("/")
  const name = rail.toUpperCase()
  return [name, ...(name === "BANK" ? rest : rest.map((part) => part.toLowerCase()))].join("/")
}

const credit = { depositId: Schema.String, rail: RailName, amount: Schema.BigInt }

/** It is confirmed, and belongs to the user's primary account. A repeat of `depositId` changes nothing. */
export const Deposit = Schema.TaggedStruct("Deposit", credit)
export type Deposit = typeof Deposit.Type

/** It was credited, and is not there any more. A repeat changes nothing. */
export const ReverseDeposit = Schema.TaggedStruct("ReverseDeposit", {
  depositId: Schema.String,
  reason: Schema.String
})
export type ReverseDeposit = typeof ReverseDeposit.Type

export const Deposited = Schema.TaggedStruct("Deposited", { ...credit, atMillis: Schema.Number })
export type Deposited = typeof Deposited.Type

/** All of it is taken back, and the account may be below zero after that. */
export const DepositReversed = Schema.TaggedStruct("DepositReversed", {
  ...credit,
  reason: Schema.String,
  atMillis: Schema.Number
})
export type DepositReversed = typeof DepositReversed.Type

/** No such deposit was credited to this user. */
export class UnknownDeposit extends Schema.TaggedError<UnknownDeposit>()("UnknownDeposit", {
  depositId: Schema.String
}) {}
