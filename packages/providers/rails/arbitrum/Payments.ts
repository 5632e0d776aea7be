/** Payments on Arbitrum: all attempts at a withdrawal share one nonce, so at most one attempt executes. */
import type { PaymentObstacle } from "@venue/domain/TreasuryReason"
import { Clock, Effect, Redacted, Result } from "effect"
import { getAddress, isAddress, zeroAddress } from "viem"
import {
  type Payment,
  type PaymentOrder,
  type Promised,
  type RailUnavailable,
  SigningRefused
} from "../RailProvider.ts"
import type { Signer, SignerRefused, SignerUnavailable } from "../Signer.ts"
import type { ArbitrumOrder } from "../SigningOrder.ts"
import * as Chain from "./Chain.ts"
import * as Fees from "./Fees.ts"
import * as Holdings from "./Holdings.ts"
import * as Nonces from "./Nonces.ts"
import type { RpcFault } from "./RpcFault.ts"
import { type ChainView, rail, type RpcEndpoints, unavailable } from "./RpcEndpoints.ts"
import * as SignerAccounts from "./SignerAccounts.ts"
import * as Token from "./Token.ts"
import * as Transactions from "./Transactions.ts"

export interface PaymentOptions {
  readonly endpoints: RpcEndpoints
  readonly signer: Signer["Service"]
  readonly chainId: number
  /** In lower case. */
  readonly token: string
  /** Maximum fee in wei per unit of gas. Above this fee, a transaction waits until the chain is cheaper. */
  readonly maxFeePerGas: bigint
}

/** Returns the transaction that would be signed now. */
const prepared = Effect.fnUntraced(function* <E>(options: PaymentOptions, order: PaymentOrder, promised: Promised<E>) {
  const { hot } = yield* SignerAccounts.of(options.signer)
  const view = yield* options.endpoints.look
  const previous = yield* lastOf(order.previous)
  // Under another account's nonce, this attempt and the previous one could both execute, and a cancel would cancel
  // nothing.
  if (previous !== undefined && previous.from !== hot)
    return yield* refused({ _tag: "SignerChanged", signedBy: previous.from, account: hot })
  const fees = yield* feesOf(options, view, previous)
  const call =
    order.purpose === "pay" ? yield* transferOf(options, view, hot, order, promised) : { to: hot, data: "0x" }
  const gas = yield* gasOf(view, { from: hot, ...call }, previous)
  yield* canPay(view, hot, gas * fees.maxFeePerGas)
  return { hot, call, gas, fees }
})

export const check = (options: PaymentOptions) =>
  Effect.fn("Arbitrum.check")(<E>(order: PaymentOrder, promised: Promised<E>) =>
    Effect.asVoid(prepared(options, order, promised))
  )

export const sign = (options: PaymentOptions) =>
  Effect.fn("Arbitrum.sign")(function* (
    order: PaymentOrder
  ): Effect.fn.Return<Payment, RailUnavailable | SigningRefused> {
    const { call, fees, gas, hot } = yield* prepared(options, order, () => Effect.succeed(0n))
    const sending = { chainId: options.chainId, token: options.token, nonce: order.sequence, gas, ...fees }
    const { amount, destination, withdrawalId } = order
    const bytes = yield* signed(
      options.signer,
      order.purpose === "pay"
        ? { _tag: "ArbitrumPayment", ...sending, withdrawalId, destination: Redacted.value(destination), amount }
        : { _tag: "ArbitrumCancel", ...sending, withdrawalId }
    )
    const parsed = yield* Transactions.read(Redacted.value(bytes))
    const isOrdered =
      parsed?.from === hot &&
      parsed.nonce === order.sequence &&
      parsed.chainId === options.chainId &&
      parsed.value === 0n &&
      parsed.to === getAddress(call.to) &&
      parsed.data === call.data
    if (!isOrdered) return yield* refused({ _tag: "SignedOtherPayment" })
    return {
      attempt: order.previous.length + 1,
      purpose: order.purpose,
      reference: parsed.hash,
      bytes,
      expiresAtMillis: null,
      signedAtMillis: yield* Clock.currentTimeMillis
    }
  })

/**
 * Sends a payment. A transaction that is already known and a nonce that is already used are not errors, because the
 * outcome is read separately.
 */
export const send = ({ endpoints }: Pick<PaymentOptions, "endpoints">) =>
  Effect.fn("Arbitrum.send")(function* ({ bytes, reference }: Pick<Payment, "bytes" | "reference">) {
    const parsed = yield* Transactions.read(Redacted.value(bytes))
    if (parsed === undefined) return yield* unavailable("the stored payment is not a transaction")
    const view = yield* endpoints.look
    const sent = yield* view.each((endpoint) =>
      Effect.result(endpoint.ask([Chain.sendTransaction(Redacted.value(bytes))]))
    )
    const faults = sent.filter(Result.isFailure).map(({ failure }) => failure)
    if (sent.some(Result.isSuccess) || faults.some(({ reason }) => isThere.test(reason))) return
    const known = yield* view.each((endpoint) =>
      endpoint.ask([Chain.transaction(reference), Chain.transactionCount(parsed.from, "latest")])
    )
    if (known.some(([transaction, count]) => transaction !== null || count > parsed.nonce)) return
    if (faults.some(({ reason }) => offersTooLittle.test(reason))) return
    return yield* unavailable(faults[0])
  })

/** Nodes' messages for a known transaction and for a used nonce. */
const isThere = /already (known|imported|exists)|known transaction|nonce (is )?too low/i

/**
 * Nodes' messages if a better-paying attempt is pending or if the chain has become more expensive. The outcome then
 * shows that a replacement is due.
 */
const offersTooLittle = /underpriced|less than block base fee/i

/** Returns the last attempt, whatever its purpose, because each new attempt must offer higher fees. */
export const lastOf = Effect.fnUntraced(function* (previous: ReadonlyArray<Payment>) {
  const last = previous.at(-1)
  if (last === undefined) return undefined
  const attempt = yield* Transactions.read(Redacted.value(last.bytes))
  return attempt ?? (yield* refused({ _tag: "UnreadableAttempt", attempt: last.attempt }))
})

export const feesOf = Effect.fnUntraced(function* (
  { maxFeePerGas }: PaymentOptions,
  { baseFeePerGas }: ChainView,
  previous: Fees.Fees | undefined
) {
  const fees = previous === undefined ? Fees.first(baseFeePerGas) : Fees.next(previous, baseFeePerGas)
  if (fees.maxFeePerGas <= maxFeePerGas) return fees
  const reason = `the fee of ${fees.maxFeePerGas} wei per gas exceeds the configured maximum of ${maxFeePerGas} wei`
  return yield* unavailable(reason)
})

const transferOf = Effect.fnUntraced(function* <E>(
  { token }: PaymentOptions,
  view: ChainView,
  hot: string,
  order: PaymentOrder,
  promised: Promised<E>
) {
  const destination = Redacted.value(order.destination)
  if (!isAddress(destination)) return yield* refused({ _tag: "InvalidDestination" })
  const own = [token, hot.toLowerCase(), zeroAddress]
  if (own.includes(destination.toLowerCase())) return yield* refused({ _tag: "UnpayableDestination" })
  const [held = 0n] = yield* Holdings.balancesAt(view, token, [hot], view.head.number)
  // Withdrawals whose nonce is used up in this block have already left the balance.
  const others = yield* promised(yield* Nonces.usedAt(view, hot, view.head.number))
  if (held < order.amount + others)
    return yield* refused({
      _tag: "TokenBalanceTooLow",
      account: hot,
      held: String(held),
      amount: String(order.amount),
      promised: String(others)
    })
  return { to: token, data: Token.transferData(destination, order.amount) }
})

/** Returns 1.5 times the current gas estimate, because the price of data can rise before execution. */
export const gasOf = Effect.fnUntraced(function* (
  view: ChainView,
  message: Parameters<typeof Chain.gas>[0],
  previous: Pick<Transactions.Signed, "gas"> | undefined
) {
  const estimates = yield* view.each((endpoint) =>
    Effect.map(endpoint.ask([Chain.gas(message)]), ([gas]) => gas).pipe(
      Effect.catch((fault) => (fault.kind === "refusal" ? Effect.succeed(fault) : Effect.fail(fault)))
    )
  )
  const most = estimates.filter((gas) => typeof gas === "bigint").reduce((a, b) => (a > b ? a : b), 0n)
  if (most > 0n) return previous === undefined || (most * 3n) / 2n > previous.gas ? (most * 3n) / 2n : previous.gas
  const { reason } = estimates[0] as RpcFault
  return yield* refused({ _tag: "ChainRejects", text: reason })
})

export const canPay = Effect.fnUntraced(function* (view: ChainView, account: string, cost: bigint) {
  const wei = yield* view.agreed((endpoint) =>
    Effect.map(endpoint.ask([Chain.balance(account, view.head.number)]), ([balance]) => balance)
  )
  if (wei < cost)
    return yield* refused({ _tag: "GasBalanceTooLow", account, heldWei: String(wei), neededWei: String(cost) })
})

export const signed = (
  signer: Signer["Service"],
  order: ArbitrumOrder
): Effect.Effect<Redacted.Redacted, RailUnavailable | SigningRefused> =>
  signer
    .sign(order)
    .pipe(
      Effect.mapError((error: SignerRefused | SignerUnavailable) =>
        error._tag === "SignerRefused" ? refusal({ _tag: "WalletRefuses", text: error.reason }) : unavailable(error)
      )
    )

const refusal = (obstacle: PaymentObstacle) => new SigningRefused({ rail, obstacle })
const refused = (obstacle: PaymentObstacle) => Effect.fail(refusal(obstacle))
