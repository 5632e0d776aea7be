/**
 * The wallet's signing policy. Each withdrawal is paid once, on one chain, to one destination, within the limits in
 * the settings.
 */
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
  /** Undefined without keys for Arbitrum One. */
  readonly chainId: number | undefined
  readonly token: string
  /** Maximum amount of one payment, and of all payments in a UTC day, in 1e-6 USD. */
  readonly maxPayment: bigint
  readonly maxPaidPerDay: bigint
  /** Maximum fee per gas, in wei. */
  readonly maxFeePerGas: bigint
  /** Undefined without a key for TRON. */
  readonly tron?: TronPolicy.TronLimits | undefined
}

/** Event in the signing record, stored permanently before anything is signed. */
export const SigningEvent = Schema.Union([
  Schema.TaggedStruct("PaymentAllowed", {
    withdrawalId: Schema.String,
    nonce: Schema.Int,
    destination: Schema.String,
    amount: Schema.BigIntFromString,
    /** Days since 1970-01-01 in UTC. */
    day: Schema.Int
  }),
  /** The withdrawal can no longer be paid. */
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
  /** Id of the withdrawal that uses each nonce. */
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

/** Returns the event to record, or undefined if it is already recorded. Fails with the reason for a refusal. */
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
    // A sweep pays only the hot account, so a second one does no harm.
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
  // A clock that was set back starts no new day.
  if (day > policy.day) {
    policy.day = day
    policy.paidOfDay = 0n
  }
  policy.paidOfDay += amount
}

const sendingFault = (limits: Limits, { chainId, gas, maxFeePerGas, token }: ArbitrumOrder): string | undefined => {
  if (limits.chainId === undefined) return "this wallet has no keys for Arbitrum One"
  if (chainId !== limits.chainId)
    return `the signing order is for chain ${chainId}; this wallet signs for chain ${limits.chainId}`
  if (token.toLowerCase() !== limits.token.toLowerCase())
    return `the signing order is for token ${token}; this wallet signs for token ${limits.token}`
  if (maxFeePerGas > limits.maxFeePerGas)
    return `the signing order offers ${maxFeePerGas} wei per gas; the maximum is ${limits.maxFeePerGas} wei`
  return gas > maxGas ? `the signing order allows ${gas} gas; the maximum is ${maxGas}` : undefined
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
      : Result.fail("the withdrawal was already signed, with another nonce, amount or destination")
  }
  if (policy.tron.has(withdrawalId)) return Result.fail("the withdrawal was already signed, on TRON")
  if (policy.nonces.has(nonce)) return Result.fail(`nonce ${nonce} belongs to another withdrawal`)
  const fault = amountFault(policy, limits, amount, day)
  if (fault !== undefined) return Result.fail(fault)
  return Result.succeed({ _tag: "PaymentAllowed", withdrawalId, nonce, destination, amount, day } as const)
}

/**
 * Decides a TRON payment. Each further transaction for a withdrawal counts towards the daily limit again, because the
 * earlier one might have been executed.
 */
const decideTron = (policy: SigningPolicy, limits: Limits, order: TronPayment, nowMillis: number) => {
  const { amount, destination, expirationMillis, withdrawalId } = order
  if (limits.tron === undefined) return Result.fail("this wallet has no key for TRON")
  if (policy.withdrawals.has(withdrawalId)) return Result.fail("the withdrawal was already signed, on another chain")
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
    return `the amount of the payment is ${amount}; the maximum is ${limits.maxPayment} (in 1e-6 USD)`
  const paid = (day > policy.day ? 0n : policy.paidOfDay) + amount
  return paid > limits.maxPaidPerDay
    ? `today's payments would total ${paid}; the maximum is ${limits.maxPaidPerDay} (in 1e-6 USD)`
    : undefined
}

const decideCancel = (policy: SigningPolicy, { nonce, withdrawalId }: ArbitrumCancel) => {
  const known = policy.withdrawals.get(withdrawalId)
  if (known !== undefined && known.nonce !== nonce)
    return Result.fail(`the withdrawal has nonce ${known.nonce}; only that nonce can be cancelled for it`)
  if (known === undefined && policy.nonces.has(nonce))
    return Result.fail(`nonce ${nonce} belongs to another withdrawal`)
  if (known?.isCancelled === true) return Result.succeed(undefined)
  return Result.succeed({ _tag: "CancelAllowed", withdrawalId, nonce } as const)
}

/** Maximum gas of one transaction; a transfer takes a tenth of it. */
const maxGas = 2_000_000n
