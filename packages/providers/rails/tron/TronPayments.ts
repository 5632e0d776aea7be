/** Withdrawals on TRON. A new attempt is made only once no earlier attempt can be executed. */
import type { PaymentObstacle } from "@venue/domain/TreasuryReason"
import { Clock, Effect, Redacted } from "effect"
import {
  type Outcome,
  type Payment,
  type PaymentOrder,
  type Promised,
  type RailUnavailable,
  SigningRefused
} from "../RailProvider.ts"
import type { TronPayment } from "../SigningOrder.ts"
import * as TronAddress from "./TronAddress.ts"
import { rail, unavailable } from "./TronNode.ts"
import { headOf, type TronNodes } from "./TronNodes.ts"
import * as TronTransaction from "./TronTransaction.ts"

export interface TronPaymentOptions {
  readonly nodes: TronNodes
  readonly token: TronAddress.AddressHex
  readonly hot: Effect.Effect<TronAddress.AddressHex, RailUnavailable>
  readonly signed: (order: TronPayment) => Effect.Effect<Redacted.Redacted, RailUnavailable | SigningRefused>
  readonly outcome: (payments: ReadonlyArray<Payment>) => Effect.Effect<Outcome, RailUnavailable>
  /** In 1e-6 TRX. */
  readonly feeLimit: number
}

export const check = (options: Pick<TronPaymentOptions, "nodes" | "token" | "hot">) =>
  Effect.fn("Tron.check")(function* <E>(order: PaymentOrder, promised: Promised<E>) {
    if (order.purpose === "cancel") return
    // Promised funds are read before the balance. Funds that leave in between then count twice, which only delays
    // this payment. In the reverse order, promised funds could be missed.
    yield* endsOf(options, order, yield* promised(0))
  })

export const sign = (options: TronPaymentOptions) =>
  Effect.fn("Tron.sign")(function* (order: PaymentOrder): Effect.fn.Return<Payment, RailUnavailable | SigningRefused> {
    if (order.purpose === "cancel") return yield* cancelOf(order)
    if (order.previous.some(({ purpose }) => purpose === "cancel")) return yield* refused({ _tag: "PaymentCancelled" })
    if (order.previous.length > 0 && (yield* options.outcome(order.previous))._tag !== "Overdue")
      return yield* refused({ _tag: "EarlierAttemptOpen" })
    const { from, to } = yield* endsOf(options, order, 0n)
    // Expirations follow the chain's clock.
    const [head, solid] = yield* options.nodes.first((node) => Effect.all([headOf(node), node.solid]))
    const payment: TronPayment = {
      _tag: "TronPayment",
      withdrawalId: order.withdrawalId,
      token: TronAddress.ofHex(options.token),
      destination: TronAddress.ofHex(to),
      amount: order.amount,
      refBlockId: solid.id,
      expirationMillis: head.timestampMillis + validForMillis + (order.sequence % spreadMillis),
      timestampMillis: head.timestampMillis,
      feeLimit: options.feeLimit,
      solidMillis: solid.timestampMillis
    }
    const bytes = yield* options.signed(payment)
    const raw = TronTransaction.ordered(payment, TronAddress.ofHex(from))
    if (!TronTransaction.isSigned(Redacted.value(bytes), raw, from))
      return yield* refused({ _tag: "SignedOtherPayment" })
    return {
      attempt: order.previous.length + 1,
      purpose: "pay",
      reference: TronTransaction.idOf(raw),
      bytes,
      expiresAtMillis: payment.expirationMillis,
      signedAtMillis: yield* Clock.currentTimeMillis
    }
  })

/**
 * Sends a payment. A transaction that is already in the chain or has expired is not an error, because the outcome is
 * read separately. A cancel is never sent.
 */
export const send = ({ nodes }: Pick<TronPaymentOptions, "nodes">) =>
  Effect.fn("Tron.send")(function* ({ bytes, purpose }: Payment) {
    if (purpose === "cancel") return
    const answers = yield* nodes.answering((node) => node.broadcast(Redacted.value(bytes).slice(2)))
    if (answers.some((answer) => answer === undefined || isOver.has(answer.code))) return
    return yield* unavailable(`the nodes did not accept the transaction: ${answers[0]?.reason}`)
  })

const isOver: ReadonlySet<string> = new Set(["DUP_TRANSACTION_ERROR", "TRANSACTION_EXPIRATION_ERROR"])

/**
 * Returns a cancel, which is only a mark, because TRON transactions cannot replace each other. No further attempt is
 * made, and the withdrawal fails once the last attempt has expired unexecuted.
 */
const cancelOf = Effect.fnUntraced(function* ({ previous, withdrawalId }: PaymentOrder) {
  const signedAtMillis = yield* Clock.currentTimeMillis
  const bytes = Redacted.make("")
  const reference = `cancel ${withdrawalId}`
  const cancel = { purpose: "cancel" as const, reference, bytes, expiresAtMillis: null, signedAtMillis }
  return { attempt: previous.length + 1, ...cancel }
})

/** Returns payer and payee after checking both and the payer's balance. */
const endsOf = Effect.fnUntraced(function* (
  { hot, nodes, token }: Pick<TronPaymentOptions, "nodes" | "token" | "hot">,
  { amount, destination }: PaymentOrder,
  promised: bigint
) {
  const to = TronAddress.hexOf(Redacted.value(destination))
  if (to === undefined) return yield* refused({ _tag: "InvalidDestination" })
  const from = yield* hot
  if (to === token || to === from || !TronAddress.isAddress(Redacted.value(destination)))
    return yield* refused({ _tag: "UnpayableDestination" })
  // Uses the lowest balance, because a lagging node lacks recent payments.
  const balances = yield* nodes.answering((node) => node.balanceOf(token, from))
  const held = balances.reduce((least, balance) => (balance < least ? balance : least))
  if (held < amount + promised)
    return yield* refused({
      _tag: "TokenBalanceTooLow",
      account: TronAddress.ofHex(from),
      held: String(held),
      amount: String(amount),
      promised: String(promised)
    })
  return { from, to }
})

const refused = (obstacle: PaymentObstacle) => Effect.fail(new SigningRefused({ rail, obstacle }))

/** Lifetime of an attempt, in milliseconds. */
const validForMillis = 10 * 60_000
/**
 * Range over which a withdrawal's number varies the expiration. Otherwise, two payments of the same amount to the
 * same address would be the same transaction and execute only once.
 */
const spreadMillis = 60_000
