/** Tests of signed messages, compared with the published webhook library, on the test clock. */
import * as StandardWebhook from "@venue/providers/StandardWebhook"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"

const text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const secret = Redacted.make(text)
const body = '{"type":"credits.changed"}'
const now = Date.UTC(2026, 2, 1)

const verify = (headers: Readonly<Record<string, string | undefined>>, said = body) =>
  Effect.andThen(TestClock.setTime(now), StandardWebhook.verify(secret, headers, said))
const refusal = (headers: Readonly<Record<string, string | undefined>>, said = body) =>
  Effect.map(Effect.flip(verify(headers, said)), ({ reason }) => reason)

const signed = (secretText: string, atMillis: number) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(atMillis / 1_000),
  "webhook-signature": new Webhook(secretText).sign("msg_1", new Date(atMillis), body)
})

it.effect("verifies messages signed by the library, and signs messages that the library verifies", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* verify(signed(text, now)), "msg_1")
    const atMillis = Math.floor(Date.now() / 1_000) * 1_000
    const headers = { ...StandardWebhook.sign(secret, "msg_1", body, atMillis) }
    assert.deepStrictEqual(new Webhook(text).verify(body, headers), JSON.parse(body))
  })
)

it.effect("reproduces the signature of the reference library's test vector", () =>
  Effect.sync(() => {
    const headers = StandardWebhook.sign(
      secret,
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      '{"test": 2432232314}',
      1_614_265_330_000
    )
    assert.deepStrictEqual(headers, {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    })
  })
)

it.effect("accepts a message if one of its signatures is valid, as during a secret rotation", () =>
  Effect.gen(function* () {
    const good = signed(text, now)
    const both = { ...good, "webhook-signature": `v1,AAAA v1a,BBBB ${good["webhook-signature"]}` }
    assert.strictEqual(yield* verify(both), "msg_1")
  })
)

it.effect("accepts a message up to five minutes before or after its timestamp", () =>
  Effect.gen(function* () {
    for (const seconds of [-300, 0, 300])
      assert.strictEqual(yield* verify(signed(text, now + seconds * 1_000)), "msg_1")
    for (const seconds of [-301, 301]) assert.strictEqual(yield* refusal(signed(text, now + seconds * 1_000)), "stale")
  })
)

it.effect("refuses a changed signature, id, timestamp or body", () =>
  Effect.gen(function* () {
    const good = signed(text, now)
    const signature = good["webhook-signature"]
    const forged = [
      signed("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", now),
      { ...good, "webhook-id": "msg_2" },
      { ...good, "webhook-timestamp": String(now / 1_000 + 1) },
      { ...good, "webhook-signature": signature.replace("v1,", "v1a,") },
      { ...good, "webhook-signature": signature.slice(0, -1) },
      { ...good, "webhook-signature": `${signature.slice(0, -1)}é` },
      { ...good, "webhook-signature": "" }
    ]
    for (const headers of forged) assert.strictEqual(yield* refusal(headers), "signature")
    assert.strictEqual(yield* refusal(good, `${body} `), "signature")
  })
)

it.effect("I50: refuses missing and malformed headers", () =>
  Effect.gen(function* () {
    const good = signed(text, now)
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"])
      assert.strictEqual(yield* refusal({ ...good, [name]: undefined }), "headers")
    for (const timestamp of ["", "0", "1e9", "-5", "+5", "99999999999999", `0${now / 1_000}`])
      assert.strictEqual(yield* refusal({ ...good, "webhook-timestamp": timestamp }), "headers")
    for (const id of ["", "a b", "x".repeat(129), "a.b"])
      assert.strictEqual(yield* refusal({ ...good, "webhook-id": id }), "headers")
    assert.strictEqual(yield* refusal({ ...good, "webhook-signature": "v1,a ".repeat(1_000) }), "headers")
  })
)

it.effect("accepts only secrets with the whsec_ prefix and 24 to 64 bytes", () =>
  Effect.sync(() => {
    const ofBytes = (count: number) => `whsec_${Buffer.alloc(count, 7).toString("base64")}`
    const isSecret = (value: string) => StandardWebhook.isSecret(Redacted.make(value))
    assert.isTrue([text, ofBytes(24), ofBytes(64)].every(isSecret))
    for (const bad of ["", "whsec_", text.slice(6), `${text}!`, `${text}A`, ofBytes(23), ofBytes(65)])
      assert.isFalse(isSecret(bad), bad)
  })
)
