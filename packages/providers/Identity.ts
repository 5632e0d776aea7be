/**
 * Identity verification by an external provider. Users visit the provider's pages, and the provider reports its
 * findings by callback.
 */
import { Clock, Context, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Buffer } from "node:buffer"
import { createHmac, timingSafeEqual } from "node:crypto"
import { hiding, refusalOf, statusReason, textOf, whyOf } from "./HttpAnswer.ts"

export interface Begun {
  /** The provider's id for the verification. */
  readonly reference: string
  readonly verificationUrl: string
  /** Finding that the provider returns at once; usually null. */
  readonly finding: Finding | null
}

export interface Finding {
  readonly reference: string
  readonly outcome: "pending" | "verified" | "refused"
  /** Country of the document, as two capital letters (ISO 3166). */
  readonly country: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly foundAtMillis: number
}

export class IdentityUnavailable extends Schema.TaggedError<IdentityUnavailable>()("IdentityUnavailable", {
  cause: Schema.Defect()
}) {}

/** The callback is not accepted. `reason` is for logs. */
export class CallbackRefused extends Schema.TaggedError<CallbackRefused>()("CallbackRefused", {
  reason: Schema.Literals(["signature", "stale", "body"])
}) {}

export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    readonly begin: (userId: string) => Effect.Effect<Begun, IdentityUnavailable>
    /**
     * Verifies and reads a callback. The signature is `t=<Unix seconds>,v1=<hex>`, the HMAC-SHA256 of
     * `<seconds>.<body>`, valid for five minutes. Findings might arrive repeatedly or late; the newest one counts.
     */
    readonly read: (body: string, signature: string) => Effect.Effect<Finding, CallbackRefused>
  }
>()("@venue/providers/IdentityProvider") {
  /** Calls `POST <url>/verifications` with a bearer key. */
  static readonly layer = (options: {
    readonly url: string
    /** Returns the key in force. */
    readonly key: () => Redacted.Redacted
    readonly callbackKey: () => Redacted.Redacted
  }): Layer.Layer<IdentityProvider, never, HttpClient.HttpClient> =>
    Layer.effect(
      IdentityProvider,
      Effect.map(HttpClient.HttpClient, (client) => {
        return IdentityProvider.of({
          begin: Effect.fn("IdentityProvider.begin")(function* (userId: string) {
            const key = options.key()
            const hide = hiding(options.url, Redacted.value(key))
            const request = HttpClientRequest.post(`${options.url}/verifications`).pipe(
              HttpClientRequest.bearerToken(key),
              HttpClientRequest.bodyJsonUnsafe({ subject: userId })
            )
            const { reference, verification_url } = yield* client.execute(request).pipe(
              Effect.flatMap((response) =>
                Effect.map(textOf(response, maxBytes), (text) => ({ status: response.status, text }))
              ),
              Effect.timeout(deadline),
              Effect.mapError((error) => new IdentityUnavailable({ cause: hide(whyOf(error)) })),
              Effect.flatMap(({ status, text }) =>
                status >= 200 && status < 300
                  ? Effect.mapError(
                      decodeAnswer(text),
                      (error) => new IdentityUnavailable({ cause: hide(whyOf(error)) })
                    )
                  : Effect.fail(new IdentityUnavailable({ cause: statusReason(status, refusalOf(text, hide)) }))
              )
            )
            return { reference, verificationUrl: verification_url, finding: null }
          }),
          read: Effect.fn("IdentityProvider.read")((body: string, signature: string) =>
            readSigned(options.callbackKey(), body, signature)
          )
        })
      })
    )

  /** Verification without a provider. The holder of the callback key reports findings. */
  static readonly layerLocal = (options: {
    /** Page that continues the verification; the reference is added as a query. */
    readonly pageUrl: string
    readonly callbackKey: Redacted.Redacted
    readonly verifiesAtOnce?: boolean
  }): Layer.Layer<IdentityProvider, never, SecureRandom.SecureRandom> =>
    Layer.effect(
      IdentityProvider,
      Effect.map(SecureRandom.SecureRandom, (random) =>
        IdentityProvider.of({
          begin: Effect.fn("IdentityProvider.begin")(function* () {
            const reference = yield* random.uuidV4()
            const verificationUrl = `${options.pageUrl}?reference=${reference}`
            const foundAtMillis = yield* Clock.currentTimeMillis
            const nobody = { country: null, firstName: null, lastName: null }
            const finding = { reference, outcome: "verified" as const, ...nobody, foundAtMillis }
            return { reference, verificationUrl, finding: options.verifiesAtOnce === true ? finding : null }
          }),
          read: Effect.fn("IdentityProvider.read")((body: string, signature: string) =>
            readSigned(options.callbackKey, body, signature)
          )
        })
      )
    )
}

const Answer = Schema.Struct({ reference: Schema.NonEmptyString, verification_url: Schema.String })
const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))
const maxBytes = 65_536

const Callback = Schema.fromJsonString(
  Schema.Struct({
    reference: Schema.NonEmptyString,
    outcome: Schema.Literals(["pending", "verified", "refused"]),
    country: Schema.NullOr(Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/))),
    first_name: Schema.optionalKey(Schema.String),
    last_name: Schema.optionalKey(Schema.String),
    /** Unix milliseconds. */
    found_at: Schema.Int
  })
)
const decode = Schema.decodeUnknownEffect(Callback)

const readSigned = Effect.fnUntraced(function* (callbackKey: Redacted.Redacted, body: string, signature: string) {
  const [, seconds, mac] = signaturePattern.exec(signature) ?? []
  if (seconds === undefined || mac === undefined) return yield* new CallbackRefused({ reason: "signature" })
  const expected = macOf(callbackKey, Number(seconds), body)
  if (!timingSafeEqual(expected, Buffer.from(mac, "hex"))) return yield* new CallbackRefused({ reason: "signature" })
  const now = yield* Clock.currentTimeMillis
  if (Math.abs(now - Number(seconds) * 1_000) > goodFor) return yield* new CallbackRefused({ reason: "stale" })
  const finding = yield* Effect.mapError(decode(body), () => new CallbackRefused({ reason: "body" }))
  return {
    reference: finding.reference,
    outcome: finding.outcome,
    country: finding.country,
    firstName: finding.first_name ?? null,
    lastName: finding.last_name ?? null,
    foundAtMillis: finding.found_at
  }
})

/** Returns the header `x-signature` of a callback, as a provider sends it. */
export const signatureOf = (callbackKey: Redacted.Redacted, body: string, atMillis: number): string => {
  const seconds = Math.floor(atMillis / 1_000)
  return `t=${seconds},v1=${macOf(callbackKey, seconds, body).toString("hex")}`
}

const macOf = (callbackKey: Redacted.Redacted, seconds: number, body: string): Buffer =>
  createHmac("sha256", Redacted.value(callbackKey)).update(`${seconds}.${body}`).digest()

/** Seconds without leading zeros, below 2^53. */
const signaturePattern = /^t=([1-9][0-9]{0,14}),v1=([0-9a-f]{64})$/
const goodFor = Duration.toMillis("5 minutes")
const deadline = "10 seconds"
