/** HTTP server of the simulated bank: the contract under `/`, its controls under `/simulator`. */
import { Clock, Effect, Queue, Redacted, Schedule, Schema, type Scope } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import {
  HttpClient,
  HttpClientRequest,
  HttpClientResponse,
  HttpRouter,
  type HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { whyOf } from "@venue/providers/HttpAnswer"
import * as StandardWebhook from "@venue/providers/StandardWebhook"
import * as Contract from "@venue/providers/rails/bank/BankContract"
import { type BankRefusal, BankSimulator, Behaviour, type Failure, type SimulatedPayout } from "./BankSimulator.ts"

export interface BankSimulatorServerOptions {
  readonly key: Redacted.Redacted
  readonly webhook: Webhook | undefined
}

/** Receiver of notifications and the signing secret. */
export interface Webhook {
  readonly url: string
  readonly secret: Redacted.Redacted
}

export const layer = (options: BankSimulatorServerOptions) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const bank = yield* BankSimulator
      const notify = yield* notifying(options.webhook)
      const scope = yield* Effect.scope
      const guarded = (isContract: boolean, answer: Answer) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
          if (headers["authorization"] !== `Bearer ${Redacted.value(options.key)}`)
            return Effect.succeed(problem(401, "the key is not one that this bank issued"))
          return isContract ? failing(bank.behaviour, refusing(answer)) : refusing(answer)
        })
      for (const { answer, method, path } of contractRoutes(bank, notify, scope))
        yield* router.add(method, path, guarded(true, answer))
      for (const { answer, method, path } of controlRoutes(bank, notify))
        yield* router.add(method, path, guarded(false, answer))
    })
  )

type Bank = BankSimulator["Service"]
type Notify = (what: "credits" | "payouts") => Effect.Effect<void>
type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  BankRefusal | Schema.SchemaError | HttpServerError.HttpServerError,
  HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext
>
interface BankRoute {
  readonly method: "GET" | "POST" | "PUT"
  readonly path: `/${string}`
  readonly answer: Answer
}

const contractRoutes = (bank: Bank, notify: Notify, scope: Scope.Scope): ReadonlyArray<BankRoute> => [
  {
    method: "POST",
    path: "/payouts",
    answer: Effect.gen(function* () {
      const { "idempotency-key": id } = yield* HttpServerRequest.schemaHeaders(IdempotencyKey)
      const payout = yield* bank.takePayout(id, yield* HttpServerRequest.schemaBodyJson(Contract.PayoutRequest))
      yield* Effect.forkIn(notifyOfEnd(payout, notify), scope)
      return payoutAnswer(payout, 201)
    })
  },
  {
    method: "GET",
    path: "/payouts/:id",
    answer: Effect.map(Effect.flatMap(pathId, bank.payout), (payout) => payoutAnswer(payout))
  },
  {
    method: "GET",
    path: "/credits",
    answer: Effect.gen(function* () {
      const { after, limit } = yield* HttpServerRequest.schemaSearchParams(CreditsQuery)
      return json(encodeCredits(yield* bank.creditsAfter(after, limit)))
    })
  },
  {
    method: "GET",
    path: "/balance",
    answer: Effect.map(bank.balance, (balance) => json(encodeHoldings({ balance })))
  }
]

const controlRoutes = (bank: Bank, notify: Notify): ReadonlyArray<BankRoute> => [
  {
    method: "POST",
    path: "/simulator/credits",
    answer: Effect.gen(function* () {
      const credit = yield* bank.credit(yield* HttpServerRequest.schemaBodyJson(NewCredit))
      yield* notify("credits")
      return json(encodeEntry(credit), 201)
    })
  },
  {
    method: "POST",
    path: "/simulator/returns",
    answer: Effect.gen(function* () {
      const { reference } = yield* HttpServerRequest.schemaBodyJson(NewReturn)
      const entry = yield* bank.takeBack(reference)
      yield* notify("credits")
      return json(encodeEntry(entry), 201)
    })
  },
  {
    method: "POST",
    path: "/simulator/payouts/:id",
    answer: Effect.gen(function* () {
      const { reason = null, status } = yield* HttpServerRequest.schemaBodyJson(PayoutEnd)
      const payout = yield* bank.end(yield* pathId, status, reason)
      yield* notify("payouts")
      return payoutAnswer(payout)
    })
  },
  {
    method: "GET",
    path: "/simulator/payouts",
    answer: Effect.map(bank.payouts, (payouts) => json(payouts.slice(-Contract.pageLimit).map(shown)))
  },
  {
    method: "PUT",
    path: "/simulator/behaviour",
    answer: Effect.gen(function* () {
      yield* bank.behave(yield* HttpServerRequest.schemaBodyJson(Behaviour))
      return HttpServerResponse.empty()
    })
  }
]

const IdempotencyKey = Schema.Struct({ "idempotency-key": Contract.PayoutId })
const CreditsQuery = Schema.Struct({
  after: Schema.optionalKey(Contract.Cursor),
  limit: Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: Contract.pageLimit }))
})
const { amount, message, payment_rail, reference } = Contract.Credit.fields
const NewCredit = Schema.Struct({ amount, message, payment_rail, reference: Schema.optionalKey(reference) })
const NewReturn = Schema.Struct({ reference })
const PayoutEnd = Schema.Struct({
  status: Schema.Literals(["settled", "failed"]),
  reason: Schema.optionalKey(Contract.FailureReason)
})

const encodeCredits = Schema.encodeSync(Contract.Credits)
const encodeHoldings = Schema.encodeSync(Contract.Holdings)
const encodeEntry = Schema.encodeSync(Contract.Entry)
const encodeAmount = Schema.encodeSync(Contract.Amount)

const pathId = Effect.map(HttpRouter.params, ({ id = "" }) => id)

const json = (body: unknown, status = 200) => HttpServerResponse.jsonUnsafe(body, { status })
const payoutAnswer = ({ id, reason, status }: SimulatedPayout, code = 200) => json({ id, status, reason }, code)
/** Returns a payout without its payee. */
const shown = ({ id, reason, request, status }: SimulatedPayout) => ({
  id,
  amount: encodeAmount(request.amount),
  payment_rail: request.payment_rail,
  status,
  reason
})
const problem = (status: number, detail: string) =>
  HttpServerResponse.jsonUnsafe({ status, detail }, { status, contentType: "application/problem+json" })

const refusing = (answer: Answer) =>
  answer.pipe(
    Effect.catchTags({
      BankRefusal: ({ reason, status }) => Effect.succeed(problem(status, reason)),
      SchemaError: () => Effect.succeed(problem(422, "the request does not match the contract")),
      HttpServerError: () => Effect.succeed(problem(422, "the body cannot be read as JSON"))
    })
  )

/** Responds according to the current failure setting. */
const failing = <R>(
  behaviour: Effect.Effect<Behaviour>,
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
) => Effect.flatMap(behaviour, ({ failure }) => failures(answer)[failure])

const failures = <R>(
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
): Readonly<Record<Failure, Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>>> => ({
  none: answer,
  unavailable: Effect.succeed(problem(503, "the bank is closed")),
  silent: Effect.never,
  malformed: Effect.succeed(HttpServerResponse.html("<html>")),
  oversized: Effect.succeed(HttpServerResponse.text("x".repeat(Contract.maxAnswerBytes + 1))),
  lost_answer: Effect.as(answer, problem(502, "the response was lost"))
})

/** Sends a notification when a payout ends by itself. */
const notifyOfEnd = ({ endsAtMillis }: SimulatedPayout, notify: Notify) =>
  Effect.gen(function* () {
    if (endsAtMillis === null) return
    const now = yield* Clock.currentTimeMillis
    yield* Effect.sleep(Math.max(0, endsAtMillis - now))
    yield* notify("payouts")
  })

/** Sends notifications one by one with a few retries each; the oldest is dropped when the queue is full. */
const notifying = Effect.fnUntraced(function* (webhook: Webhook | undefined) {
  if (webhook === undefined) return () => Effect.void
  const client = yield* HttpClient.HttpClient
  const random = yield* SecureRandom.SecureRandom
  const waiting = yield* Queue.sliding<"credits" | "payouts">(1_000)
  const deliver = Effect.fnUntraced(function* (changed: "credits" | "payouts") {
    const id = `msg_${yield* random.uuidV4()}`
    const body = JSON.stringify({ type: `${changed}.changed` })
    const headers = StandardWebhook.sign(webhook.secret, id, body, yield* Clock.currentTimeMillis)
    const request = HttpClientRequest.post(webhook.url).pipe(
      HttpClientRequest.setHeaders({ ...headers }),
      HttpClientRequest.bodyText(body, "application/json")
    )
    yield* client.execute(request).pipe(
      Effect.flatMap(HttpClientResponse.filterStatusOk),
      Effect.timeout("5 seconds"),
      Effect.retry({ times: 3, schedule: Schedule.exponential("1 second") }),
      Effect.catch((error) => Effect.logWarning("a webhook was not accepted", whyOf(error)))
    )
  })
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(waiting), deliver)))
  return (changed: "credits" | "payouts") => Effect.asVoid(Queue.offer(waiting, changed))
})
