/**
 * Verifies signatures of Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` (Unix seconds) and
 * `webhook-signature` (`v1,<base64>`). While a secret is being replaced, the header has several signatures, separated
 * by spaces.
 */
import { Clock, Duration, Effect, Redacted, Schema } from "effect"
import { Buffer } from "node:buffer"
import { timingSafeEqual } from "node:crypto"
import { Webhook } from "standardwebhooks"

export interface SignedHeaders {
  readonly "webhook-id": string
  readonly "webhook-timestamp": string
  readonly "webhook-signature": string
}

/** The message is not accepted. `reason` is for logs. */
export class WebhookRefused extends Schema.TaggedError<WebhookRefused>()("WebhookRefused", {
  reason: Schema.Literals(["headers", "signature", "stale"])
}) {}

export const secretForm = "whsec_ followed by 24 to 64 bytes in base64"

/** Returns true if the secret is `whsec_` followed by 24 to 64 bytes in base64. */
export const isSecret = (secret: Redacted.Redacted): boolean => {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(Redacted.value(secret)) ?? []
  if (base64 === undefined || base64.length % 4 !== 0) return false
  const { length } = Buffer.from(base64, "base64")
  return length >= 24 && length <= 64
}

export const sign = (secret: Redacted.Redacted, id: string, body: string, atMillis: number): SignedHeaders => ({
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(atMillis / 1_000)),
  "webhook-signature": signatureOf(secret, id, Math.floor(atMillis / 1_000), body)
})

/**
 * Returns the id of a message whose signature is valid and whose time is within five minutes. Replaces the library's
 * own check, which reads the machine's clock.
 */
export const verify = Effect.fn("StandardWebhook.verify")(function* (
  secret: Redacted.Redacted,
  headers: Readonly<Record<string, string | undefined>>,
  body: string
) {
  const { "webhook-id": id, "webhook-signature": signatures, "webhook-timestamp": timestamp } = headers
  if (id === undefined || signatures === undefined || timestamp === undefined)
    return yield* new WebhookRefused({ reason: "headers" })
  if (!idPattern.test(id) || !secondsPattern.test(timestamp) || signatures.length > maxSignatures)
    return yield* new WebhookRefused({ reason: "headers" })
  const seconds = Number(timestamp)
  const expected = signatureOf(secret, id, seconds, body)
  if (!signatures.split(" ").some((signature) => isEqual(signature, expected)))
    return yield* new WebhookRefused({ reason: "signature" })
  const now = yield* Clock.currentTimeMillis
  if (Math.abs(now - seconds * 1_000) > goodForMillis) return yield* new WebhookRefused({ reason: "stale" })
  return id
})

export const goodForMillis = Duration.toMillis("5 minutes")

const idPattern = /^[A-Za-z0-9_-]{1,128}$/
/** Seconds without leading zeros, within the range of a date. */
const secondsPattern = /^[1-9][0-9]{0,11}$/
const maxSignatures = 1_000

const signatureOf = (secret: Redacted.Redacted, id: string, seconds: number, body: string): string =>
  new Webhook(Redacted.value(secret)).sign(id, new Date(seconds * 1_000), body)

const isEqual = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
