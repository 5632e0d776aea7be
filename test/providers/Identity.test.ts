/** Tests that the real identity provider (against a stub server) and the local one meet the same contract. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { IdentityProvider } from "@venue/providers/Identity"
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { signatureOf } from "./SignedCallback.ts"

const callbackKey = Redacted.make("callback-key-of-this-test")
const apiKey = "api-key-of-this-test"

type Reply = (asked: {
  readonly authorization: string
  readonly body: string
}) => readonly [status: number, body: string]

/** Starts a stub of the provider's server and returns its URL. */
const standIn = (reply: Reply) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += chunk))
        request.on("end", () => {
          const isAsked = request.method === "POST" && request.url === "/v1/verifications"
          const authorization = request.headers.authorization ?? ""
          const [status, text] = isAsked ? reply({ authorization, body }) : [404, "{}"]
          response.writeHead(status, { "content-type": "application/json" }).end(text)
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`))

const real = (reply: Reply) =>
  Layer.unwrap(
    Effect.map(standIn(reply), (url) =>
      IdentityProvider.layer({ url, key: () => Redacted.make(apiKey), callbackKey: () => callbackKey })
    )
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))

let begun = 0
const honest: Reply = ({ authorization, body }) =>
  authorization === `Bearer ${apiKey}` && typeof JSON.parse(body).subject === "string"
    ? [201, JSON.stringify({ reference: `v-${++begun}`, verification_url: `https://id.example/v-${begun}` })]
    : [401, "{}"]

const found = {
  reference: "v-1",
  outcome: "verified",
  country: "NO",
  first_name: "Amy",
  last_name: "Example",
  found_at: 1_000
}

const contract = (name: string, provider: Layer.Layer<IdentityProvider, unknown>) =>
  layer(provider)(name, (it) => {
    const signed = (body: string, atMillis?: number) =>
      Effect.gen(function* () {
        const now = atMillis ?? (yield* Clock.currentTimeMillis)
        return yield* (yield* IdentityProvider).read(body, signatureOf(callbackKey, body, now))
      })

    it.effect("returns a new reference and a page URL for each verification", () =>
      Effect.gen(function* () {
        const provider = yield* IdentityProvider
        const first = yield* provider.begin("amy")
        const second = yield* provider.begin("amy")
        assert.notStrictEqual(first.reference, second.reference)
        assert.isTrue(URL.canParse(first.verificationUrl))
        assert.isNull(first.finding)
      })
    )

    it.effect("reads a signed callback with and without names", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 2, 1))
        assert.deepStrictEqual(yield* signed(JSON.stringify(found)), {
          reference: "v-1",
          outcome: "verified",
          country: "NO",
          firstName: "Amy",
          lastName: "Example",
          foundAtMillis: 1_000
        })
        const nameless = yield* signed(
          JSON.stringify({ reference: "v-1", outcome: "pending", country: null, found_at: 1_000 })
        )
        assert.deepInclude(nameless, { outcome: "pending", country: null, firstName: null, lastName: null })
      })
    )

    it.effect("accepts a callback up to five minutes before or after its timestamp", () =>
      Effect.gen(function* () {
        const now = Date.UTC(2026, 2, 1)
        yield* TestClock.setTime(now)
        const body = JSON.stringify(found)
        for (const seconds of [-300, -299, 0, 299, 300]) yield* signed(body, now + seconds * 1_000)
        for (const seconds of [-301, 301]) {
          assert.strictEqual((yield* Effect.flip(signed(body, now + seconds * 1_000))).reason, "stale")
        }
      })
    )

    it.effect("refuses a wrong signature, and a valid signature with a changed body or timestamp", () =>
      Effect.gen(function* () {
        const provider = yield* IdentityProvider
        yield* TestClock.setTime(Date.UTC(2026, 2, 1))
        const body = JSON.stringify(found)
        const now = yield* Clock.currentTimeMillis
        const good = signatureOf(callbackKey, body, now)
        const forged = [
          "",
          "t=,v1=",
          good.toUpperCase(),
          ` ${good}`,
          `${good}00`,
          good.slice(0, -1),
          good.replace("t=", "t=0"),
          good.replace(/t=\d+/, `t=${Math.floor(now / 1_000) + 1}`),
          good.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")),
          signatureOf(Redacted.make("another key"), body, now)
        ]
        for (const signature of forged) {
          assert.strictEqual((yield* Effect.flip(provider.read(body, signature))).reason, "signature")
        }
        assert.strictEqual((yield* Effect.flip(provider.read(`${body} `, good))).reason, "signature")
      })
    )

    it.effect("I50: refuses a signed body that does not match the schema", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 2, 1))
        const forms = [
          "",
          "null",
          "[]",
          "{",
          JSON.stringify({ ...found, outcome: "maybe" }),
          JSON.stringify({ ...found, country: "Norway" }),
          JSON.stringify({ ...found, reference: "" }),
          JSON.stringify({ ...found, found_at: "1000" })
        ]
        for (const body of forms) assert.strictEqual((yield* Effect.flip(signed(body))).reason, "body")
      })
    )
  })

contract("a provider over HTTP", real(honest))
contract(
  "the local provider",
  IdentityProvider.layerLocal({ pageUrl: "https://venue.example/verify", callbackKey }).pipe(
    Layer.provide(SecureRandom.layerWebCrypto)
  )
)

describe("failures of a provider over HTTP", () => {
  const failing: ReadonlyArray<readonly [string, Reply]> = [
    ["returns status 401", () => [401, "{}"]],
    ["returns status 500", () => [500, "oops"]],
    ["returns an invalid body", () => [201, `{"reference":"","verification_url":1}`]],
    ["returns no JSON", () => [201, "<html>"]]
  ]
  for (const [what, reply] of failing) {
    it.effect(`fails as unavailable, without the API key in the error, if the identity provider ${what}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip((yield* IdentityProvider).begin("amy"))
        assert.strictEqual(error._tag, "IdentityUnavailable")
        assert.notInclude(`${JSON.stringify(error)} ${String(error.cause)}`, apiKey)
      }).pipe(Effect.provide(real(reply)))
    )
  }
})

it.effect("includes the provider's message in the error, without the API key", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip((yield* IdentityProvider).begin("amy"))
    assert.strictEqual(error.cause, "the server returned status 422: no plan for …")
  }).pipe(Effect.provide(real(() => [422, JSON.stringify({ detail: `no plan for ${apiKey}` })])))
)

it.effect("the local provider verifies every user immediately if so configured", () =>
  Effect.gen(function* () {
    const { finding, reference } = yield* (yield* IdentityProvider).begin("amy")
    assert.deepInclude(finding, { reference, outcome: "verified", country: null })
  }).pipe(
    Effect.provide(
      IdentityProvider.layerLocal({ pageUrl: "https://venue.example/verify", callbackKey, verifiesAtOnce: true }).pipe(
        Layer.provide(SecureRandom.layerWebCrypto)
      )
    )
  )
)
