/** HTTP interface of the wallet, for callers with its secret: its accounts, and signatures for orders. */
import { isSameText } from "@venue/gateway/http/SameText"
import * as WitnessLine from "@venue/journal/witness/WitnessLine"
import * as SignerContract from "@venue/providers/rails/Signer"
import { SigningOrder } from "@venue/providers/rails/SigningOrder"
import * as Money from "@venue/telemetry/catalogue/Money"
import * as Exposition from "@venue/telemetry/Exposition"
import * as Meter from "@venue/telemetry/Meter"
import { ByteSize, Clock, Deferred, Effect, Redacted, Result } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { WitnessFile } from "../process/witness/WitnessFile.ts"
import * as SigningPolicy from "./SigningPolicy.ts"
import type { RecordBroken, SigningRecord } from "./SigningRecord.ts"

export interface WalletServerOptions {
  readonly secret: Redacted.Redacted
  readonly limits: SigningPolicy.Limits
  readonly record: SigningRecord
  /** Fails when the record's contents are unknown, which makes the process exit. */
  readonly broken: Deferred.Deferred<never, RecordBroken>
  /** Witness that the wallet keeps for the runners, or undefined without one. */
  readonly witness: WitnessFile | undefined
}

export const routes = (options: WalletServerOptions) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const signer = yield* SignerContract.Signer
      // The wallet is ready as soon as it responds, because a broken record makes the process exit.
      for (const status of ["live", "ready"] as const)
        yield* router.add("GET", `/health/${status}`, HttpServerResponse.jsonUnsafe({ status }))
      const metrics = yield* Exposition.make
      const refused = yield* Meter.counter(Money.walletRefusals, {})
      yield* router.add(
        "GET",
        Exposition.path,
        Effect.sync(() => HttpServerResponse.text(metrics(), { contentType: Exposition.contentType }))
      )
      yield* router.add("GET", "/accounts", guarded(options, accounts(signer)))
      yield* router.add("POST", "/sign", guarded(options, sign(options, signer, refused)))
      const { witness } = options
      if (witness === undefined) return
      yield* router.add("GET", "/witness", guarded(options, shown(witness)))
      yield* router.add("POST", "/witness", guarded(options, witnessed(witness)))
    })
  )

type Signer = SignerContract.Signer["Service"]
type Answer<E> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest>

const guarded = <E>({ secret }: WalletServerOptions, answer: Answer<E>): Answer<E> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    isSameText(headers["authorization"] ?? "", `Bearer ${Redacted.value(secret)}`)
      ? Effect.map(answer, HttpServerResponse.setHeader("cache-control", "no-store"))
      : Effect.succeed(refusal(401, "the secret does not match this wallet's secret"))
  )

const accounts = (signer: Signer) =>
  Effect.map(signer.accounts, (known) => HttpServerResponse.jsonUnsafe(known)).pipe(Effect.orDie)

const sign = ({ broken, limits, record }: WalletServerOptions, signer: Signer, refused: () => void): Answer<never> =>
  Effect.gen(function* () {
    const read = yield* Effect.result(HttpServerRequest.schemaBodyJson(SigningOrder))
    if (Result.isFailure(read)) return refusal(422, "the body is not a signing order that this wallet supports")
    const order = read.success
    const now = yield* Clock.currentTimeMillis
    const allowed = yield* Effect.tapError(
      record.decide((policy) => SigningPolicy.decide(policy, limits, order, now)),
      (error) => Deferred.fail(broken, error)
    )
    if (Result.isFailure(allowed)) {
      refused()
      yield* Effect.logWarning(`refused to sign ${nameOf(order)}: ${allowed.failure}`)
      return refusal(409, allowed.failure)
    }
    const bytes = yield* signer.sign(order)
    return HttpServerResponse.jsonUnsafe({
      bytes: Redacted.value(bytes)
    } satisfies typeof SignerContract.SignedAnswer.Type)
  }).pipe(
    Effect.catch((error) => Effect.succeed(refusal(503, error.message))),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBodyBytes))
  )

const shown = (witness: WitnessFile): Answer<never> =>
  Effect.sync(() =>
    HttpServerResponse.text(
      witness
        .entries()
        .map((entry) => `${WitnessLine.encode(entry)}\n`)
        .join(""),
      { contentType: lines }
    )
  )

/** Stores the lines of a runner, and answers once they are on disk. Stores nothing if one line is damaged. */
const witnessed = (witness: WitnessFile): Answer<never> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const entries = (yield* request.text).split("\n").slice(0, -1).map(WitnessLine.read)
    const known = entries.filter((entry) => entry !== undefined)
    if (known.length < entries.length)
      return refusal(422, "the body is not lines of a witness that this wallet supports")
    yield* witness.append(known)
    return HttpServerResponse.text("", { contentType: lines })
  }).pipe(
    Effect.catch((error) => Effect.succeed(refusal(503, error.message))),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxWitnessBytes))
  )

const lines = "application/x-ndjson"
const maxWitnessBytes = 1024 * 1024

const nameOf = (order: SigningOrder): string =>
  order._tag === "ArbitrumSweep"
    ? `the sweep of deposit address ${order.index}`
    : `for withdrawal ${order.withdrawalId}`

const refusal = (status: number, reason: string) =>
  HttpServerResponse.jsonUnsafe({ reason } satisfies typeof SignerContract.RefusedAnswer.Type, { status })

const maxBodyBytes = 16_384
