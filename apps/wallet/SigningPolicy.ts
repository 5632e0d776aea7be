/** What the wallet signs: each withdrawal once, on one chain, to one destination, within the limits of the settings. */
import { dayOf } from "@venue/domain/Day"
import type {
  ArbitrumCancel,
  ArbitrumOrder,
  ArbitrumPayment,
  SigningOrder,
  TronPayment
} from "@venue/providers/rails/SigningOrder"
import { Result, Schema } from "effect"
import * as TronPolicy from "./TronPolicy.ts"

export interface Limits {
  /** Undefined where there are no keys for Arbitrum One. */
  readonly chainId: number | undefined
  readonly token: string
  /** Both count 1e-6 USD. */
  readonly maxPayment: bigint
  readonly maxPaidPerDay: bigint
  /** In wei of gas. */
  readonly maxFeePerGas: bigint
  /** Where there is a key for TRON. */
  readonly tron?: TronPolicy.TronLimits | undefined
}

/** What is remembered for ever, before anything is signed. */
export const SigningEvent = Schema.Union([
  Schema.TaggedStruct("PaymentAllowed", {
    withdrawalId: Schema.String,
    nonce: Schema.Int,
    destination: Schema.String,
    amount: Schema.BigIntFromString,
    /** Days since 1970 in UTC. */
    day: Schema.Int
  }),
  /** From now on the withdrawal is not paid any more. */
  Schema.TaggedStruct("CancelAllowed", { withdrawalId: Schema.String, nonce: Schema.Int }),
  Schema.TaggedStruct("TronPaymentAllowed", {
    withdrawalId: Schema.String,
    destination: Schema.String,
    amount: Schema.BigIntFromString,
    expirationMillis: Schema.Int,
    transaction: Schema.String,
    day: Schema.Int
  })
])
export type SigningEvent = typeof SigningEvent.Type

interface Withdrawal {
  readonly nonce: number
  readonly destination: string | null
  readonly amount: bigint
  readonly isCancelled: boolean
}

export interface SigningPolicy {
  readonly withdrawals: Map<string, Withdrawal>
  /** Whose a nonce is. */
  readonly nonces: Map<number, string>
  readonly tron: Map<string, TronPolicy.TronAttempt>
  day: number
  paidOfDay: bigint
}

export const empty = (): SigningPolicy => ({
  withdrawals: new Map(),
  nonces: new Map(),
  tron: new Map(),
  day: 0,
  paidOfDay: 0n
})

/** Undefined where all that matters is remembered already. A failure says why it is not signed. */
export const decide = (
  policy: SigningPolicy,
  limits: Limits,
  order: SigningOrder,
  nowMillis: number
): Result.Result<SigningEvent | undefined, string> => {
  if (order._tag === "TronPayment") return decideTron(policy, limits, order, nowMillis)
  const fault = sendingFault(limits, order)
  if (fault !== undefined) return Result.fail(fault)
  switch (order._tag) {
    // It can only go to the hot account, so there is nothing that a second one could do.
    case "ArbitrumSweep":
      return Result.succeed(undefined)
    case "ArbitrumCancel":
      return decideCancel(policy, order)
    case "ArbitrumPayment":
      return decidePayment(policy, limits, order, dayOf(nowMillis))
  }
}

export const apply = (policy: SigningPolicy, event: SigningEvent): void => {
  if (event._tag === "TronPaymentAllowed") {
    const { amount, day, destination, expirationMillis, transaction, withdrawalId } = event
    policy.tron.set(withdrawalId, { destination, amount, expirationMillis, transaction })
    return count(policy, day, amount)
  }
  const { nonce, withdrawalId } = event
  const known = policy.withdrawals.get(withdrawalId)
  policy.nonces.set(nonce, withdrawalId)
  if (event._tag === "CancelAllowed") {
    const { amount = 0n, destination = null } = known ?? {}
    policy.withdrawals.set(withdrawalId, { nonce, destination, amount, isCancelled: true })
    return
  }
  const { amount, day, destination } = event
  policy.withdrawals.set(withdrawalId, { nonce, destination, amount, isCancelled: false })
  count(policy, day, amount)
}

const count = (policy: SigningPolicy, day: number, amount: bigint): void => {
  // A clock that was set back begins no new day.
  if (day > policy.day) {
    policy.day = day
    policy.paidOfDay = 0n
  }
  policy.paidOfDay += amount
}

const sendingFault = (limits: Limits, { chainId, gas, maxFeePerGas, token }: ArbitrumOrder): string | undefined => {
  if (limits.chainId === undefined) return "this wallet has no keys for Arbitrum One"
  if (chainId !== limits.chainId) return `it is for chain ${chainId}, and this wallet signs for ${limits.chainId}`
  if (token.toLowerCase() !== limits.token.toLowerCase()) return `it is about another token than ${limits.token}`
  if (maxFeePerGas > limits.maxFeePerGas)
    return `it offers ${maxFeePerGas} wei for gas, and at most ${limits.maxFeePerGas} are offered`
  return gas > maxGas ? `it takes ${gas} of gas, and at most ${maxGas} are taken` : undefined
}

const decidePayment = (policy: SigningPolicy, limits: Limits, order: ArbitrumPayment, day: number) => {
  const { amount, nonce, withdrawalId } = order
  const destination = order.destination.toLowerCase()
  const known = policy.withdrawals.get(withdrawalId)
  if (known !== undefined) {
    if (known.isCancelled) return Result.fail("the withdrawal was cancelled")
    const isSame = known.nonce === nonce && known.amount === amount && known.destination === destination
    return isSame
      ? Result.succeed(undefined)
      : Result.fail("the withdrawal was signed already, with another nonce, amount or destination")
  }
  if (policy.tron.has(withdrawalId)) return Result.fail("the withdrawal was signed already, on TRON")
  if (policy.nonces.has(nonce)) return Result.fail(`nonce ${nonce} is another withdrawal's`)
  const fault = amountFault(policy, limits, amount, day)
  if (fault !== undefined) return Result.fail(fault)
  return Result.succeed({ _tag: "PaymentAllowed", withdrawalId, nonce, destination, amount, day } as const)
}

/** Another transaction of a withdrawal counts again: whether the one before it has come is not known here. */
const decideTron = (policy: SigningPolicy, limits: Limits, order: TronPayment, nowMillis: number) => {
  const { amount, destination, expirationMillis, withdrawalId } = order
  if (limits.tron === undefined) return Result.fail("this wallet has no key for TRON")
  if (policy.withdrawals.has(withdrawalId)) return Result.fail("the withdrawal was signed already, on another chain")
  const decision = TronPolicy.decide(limits.tron, policy.tron.get(withdrawalId), order, nowMillis)
  if (decision === "again") return Result.succeed(undefined)
  if (decision !== "new") return Result.fail(decision.refused)
  const day = dayOf(nowMillis)
  const fault = amountFault(policy, limits, amount, day)
  if (fault !== undefined) return Result.fail(fault)
  const transaction = TronPolicy.transactionOf(limits.tron, order)
  return Result.succeed({
    _tag: "TronPaymentAllowed",
    withdrawalId,
    destination,
    amount,
    expirationMillis,
    transaction,
    day
  } as const)
}

const amountFault = (policy: SigningPolicy, limits: Limits, amount: bigint, day: number): string | undefined => {
  if (amount > limits.maxPayment)
    return `${amount} is above the ${limits.maxPayment} that one payment may be, in 1e-6 USD`
  const paid = (day > policy.day ? 0n : policy.paidOfDay) + amount
  return paid > limits.maxPaidPerDay
    ? `the payments of today would be ${paid}, above ${limits.maxPaidPerDay}, in 1e-6 USD`
    : undefined
}

const decideCancel = (policy: SigningPolicy, { nonce, withdrawalId }: ArbitrumCancel) => {
  const known = policy.withdrawals.get(withdrawalId)
  if (known !== undefined && known.nonce !== nonce)
    return Result.fail(`the withdrawal has nonce ${known.nonce}, and no other is cancelled for it`)
  if (known === undefined && policy.nonces.has(nonce)) return Result.fail(`nonce ${nonce} is another withdrawal's`)
  if (known?.isCancelled === true) return Result.succeed(undefined)
  return Result.succeed({ _tag: "CancelAllowed", withdrawalId, nonce } as const)
}

/** A transfer takes a tenth of it. */
const maxGas = 2_000_000n
