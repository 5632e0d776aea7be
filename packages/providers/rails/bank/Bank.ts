/** Client of a bank that implements the contract in `docs/operate/bank-contract.md`. */
import { PayoutRail } from "@venue/domain/Rail"
import type { PaymentObstacle } from "@venue/domain/TreasuryReason"
import { Clock, Effect, Equal, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { hiding, refusalOf, statusReason, textOf, whyOf } from "../../HttpAnswer.ts"
import {
  type Arrival,
  type HoldingsQuestion,
  type Payment,
  type RailProvider,
  RailUnavailable,
  SigningRefused
} from "../RailProvider.ts"
import * as Contract from "./BankContract.ts"

export interface BankOptions {
  /** Base URL of the paths, such as `https://bank.example/v1`. */
  readonly url: string
  readonly key: Redacted.Redacted
}

export const make = Effect.fn("Bank.make")(function* (
  options: BankOptions
): Effect.fn.Return<RailProvider, never, HttpClient.HttpClient> {
  const exchange = exchanging(yield* HttpClient.HttpClient, options)

  const entriesAfter = (cursor: string | null, limit: number) => {
    const after = cursor === null ? {} : { after: cursor }
    const request = HttpClientRequest.get("/credits").pipe(
      HttpClientRequest.setUrlParams({ limit: String(limit), ...after })
    )
    return Effect.flatMap(exchange(request), readCredits)
  }

  const scan = Effect.fn("Bank.scan")(function* (cursor: string | null) {
    const { data, next } = yield* entriesAfter(cursor, Contract.pageLimit)
    return {
      arrivals: data.flatMap((entry) => (entry.kind === "credit" ? [arrivalOf(entry)] : [])),
      returned: data.flatMap(({ kind, reference }) => (kind === "return" ? [{ txHash: reference, logIndex: 0 }] : [])),
      cursor: next
    }
  })

  const send = Effect.fn("Bank.send")(function* ({ bytes, purpose, reference }: Payment) {
    if (purpose === "cancel") return
    const request = HttpClientRequest.post("/payouts").pipe(
      HttpClientRequest.setHeader("idempotency-key", reference),
      HttpClientRequest.bodyText(Redacted.value(bytes), "application/json")
    )
    const { id } = yield* Effect.flatMap(exchange(request, valuesOf(Redacted.value(bytes))), readPayout)
    if (id !== reference) return yield* unavailable(`the bank responded to payout ${reference} with payout ${id}`)
  })

  const outcome = Effect.fn("Bank.outcome")(function* (payments: ReadonlyArray<Payment>) {
    const [payment] = payments
    if (payment === undefined) return pending
    const { purpose, reference } = payment
    if (purpose === "cancel")
      return { _tag: "Failed" as const, reference: null, reason: { _tag: "PaymentCancelled" as const } }
    const answer = yield* exchange(HttpClientRequest.get(`/payouts/${reference}`))
    // The payout might still be in transit, so "not found" is not a failure.
    if (answer.status === 404) return pending
    const { id, reason, status } = yield* readPayout(answer)
    if (id !== reference) return yield* unavailable(`the bank returned payout ${id} for payout ${reference}`)
    if (status === "pending") return pending
    return status === "settled"
      ? { _tag: "Settled" as const, reference }
      : { _tag: "Failed" as const, reference, reason: { _tag: "PayoutFailed" as const, code: reason } }
  })

  /**
   * Returns the bank's current balance, which includes pending payouts. Returns Option.none if a credit is unbooked
   * or a payout ends meanwhile.
   */
  const holdings = Effect.fn("Bank.holdings")(function* ({ cursor, sent }: HoldingsQuestion) {
    const hasNews = Effect.map(entriesAfter(cursor, 1), ({ data }) => data.length > 0)
    const outcomes = Effect.forEach(
      sent,
      (payments) => Effect.map(outcome(payments), ({ _tag }) => _tag === "Settled"),
      { concurrency: 4 }
    )
    const hasLeft = yield* outcomes
    const { balance } = yield* Effect.flatMap(exchange(HttpClientRequest.get("/balance")), readHoldings)
    if ((yield* hasNews) || !Equal.equals(hasLeft, yield* outcomes)) return Option.none()
    return Option.some({ amount: balance, position: `entry ${cursor}`, block: null, hasLeft })
  })

  return {
    rail: "BANK",
    addressAt: undefined,
    scan,
    // Listed credits are already booked. A later return is a separate entry.
    arrivalStates: (arrivals) =>
      Effect.succeed(arrivals.map(() => ({ _tag: "Present", confirmations: 1, isFinal: true }))),
    // Banks have no payment numbers. A withdrawal is one payout, identified by its id.
    nextSequence: ({ next }) => Effect.succeed(next),
    isOrdered: false,
    check: (order) => Effect.asVoid(sign(order)),
    sign,
    send,
    outcome,
    holdings
  }
})

const pending = { _tag: "Pending" as const }

const arrivalOf = ({ amount, message, payment_rail, reference }: typeof Contract.Credit.Type): Arrival => ({
  txHash: reference,
  logIndex: 0,
  to: message,
  amount,
  block: null,
  paymentRail: payment_rail
})

/** Values in a payout's body that are long enough to identify a person. */
const valuesOf = (body: string): ReadonlyArray<string> =>
  [...body.matchAll(/:"([^"]{3,})"/g)].map(([, value]) => value!)

const decodePayee = Schema.decodeUnknownEffect(Schema.fromJsonString(Contract.Payee))
const isPayoutId = Schema.is(Contract.PayoutId)
const isPayoutRail = Schema.is(PayoutRail)
const encodeRequest = Schema.encodeSync(Schema.fromJsonString(Contract.PayoutRequest))

/**
 * Builds the payout request. It has no cryptographic signature and is sent with the key. A cancel is a mere mark, and
 * is possible only before the first payout request.
 */
const sign: RailProvider["sign"] = Effect.fn("Bank.sign")(function* (order) {
  const { amount, destination, paymentRail, previous, purpose, withdrawalId } = order
  const signedAtMillis = yield* Clock.currentTimeMillis
  const made = { attempt: previous.length + 1, purpose, expiresAtMillis: null, signedAtMillis }
  if (purpose === "cancel" && previous.length === 0)
    return { ...made, reference: `cancel ${withdrawalId}`, bytes: Redacted.make("") }
  // After a payout request was sent, only the bank can settle or fail the payout.
  if (purpose === "cancel" || previous.length > 0) return yield* refused({ _tag: "PayoutStarted", purpose })
  if (!isPayoutId(withdrawalId)) return yield* refused({ _tag: "InvalidPayout", member: "id" })
  if (!isPayoutRail(paymentRail)) return yield* refused({ _tag: "InvalidPayout", member: "payment_rail" })
  if (amount <= 0n || !Contract.isWholeCents(amount)) return yield* refused({ _tag: "InvalidPayout", member: "amount" })
  const payee = yield* Effect.mapError(decodePayee(Redacted.value(destination)), () =>
    refused({ _tag: "InvalidPayout", member: "payee" })
  )
  const body = encodeRequest({ amount, currency: "usd", payment_rail: paymentRail, payee })
  return { ...made, reference: withdrawalId, bytes: Redacted.make(body, { label: "payout" }) }
})

const rail = "BANK"
const refused = (obstacle: PaymentObstacle) => new SigningRefused({ rail, obstacle })
const unavailable = (cause: unknown) => new RailUnavailable({ rail, cause })

interface Exchanged {
  readonly status: number
  readonly text: string
  /** Replaces the key and the payee's details in a sentence from the bank. */
  readonly hide: (text: string) => string
}

/** Sends one request within its deadline. Errors contain the request, so only one sentence from them is kept. */
const exchanging =
  (client: HttpClient.HttpClient, { key, url }: BankOptions) =>
  (
    request: HttpClientRequest.HttpClientRequest,
    sent: ReadonlyArray<string> = []
  ): Effect.Effect<Exchanged, RailUnavailable> => {
    const hide = hiding(url, Redacted.value(key))
    // Account numbers are hidden too, before `hide` cuts the text.
    const hideSent = (text: string) =>
      hide(sent.reduce((rest, value) => rest.replaceAll(value, "…"), text).replaceAll(/\d{4,}/g, "…"))
    return client.execute(request.pipe(HttpClientRequest.prependUrl(url), HttpClientRequest.bearerToken(key))).pipe(
      Effect.flatMap((response) =>
        Effect.map(textOf(response, Contract.maxAnswerBytes), (text) => ({
          status: response.status,
          text,
          hide: hideSent
        }))
      ),
      Effect.timeout(deadline),
      Effect.mapError((error) => unavailable(hide(whyOf(error))))
    )
  }

const read = <A, I>(answer: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(answer))
  return ({ hide, status, text }: Exchanged): Effect.Effect<A, RailUnavailable> =>
    status === 200 || status === 201
      ? Effect.mapError(decode(text), (error) => unavailable(whyOf(error)))
      : Effect.fail(unavailable(statusReason(status, refusalOf(text, hide))))
}
const readCredits = read(Contract.Credits)
const readPayout = read(Contract.Payout)
const readHoldings = read(Contract.Holdings)

const deadline = "10 seconds"
