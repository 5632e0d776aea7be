/** The simulated identity provider, called by the venue's own client. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, it } from "@effect/vitest"
import { IdentityProvider } from "@venue/providers/Identity"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Identity from "../../../apps/identity/Identity.ts"

const key = Redacted.make("key of the provider")
const callbackKey = Redacted.make("key of the callbacks")

/** A venue that accepts callbacks after it has refused the first. */
const venue = Effect.gen(function* () {
  const callbacks: Array<{ readonly body: string; readonly signature: string }> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part: Buffer) => (body += part.toString()))
    request.on("end", () => {
      callbacks.push({ body, signature: String(request.headers["x-signature"]) })
      response.writeHead(callbacks.length === 1 ? 404 : 204).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))),
    () => Effect.promise(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  )
  return { callbacks, callbackUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/provider/identity` }
})

const scene = Effect.gen(function* () {
  const { callbackUrl, callbacks } = yield* venue
  const { url } = yield* Identity.open({ port: 0, key, callbackKey, callbackUrl })
  const clientWith = (sent: Redacted.Redacted) =>
    IdentityProvider.layer({ url, key: () => sent, callbackKey: () => callbackKey }).pipe(
      Layer.provide(NodeHttpClient.layerUndici),
      Layer.build,
      Effect.map((services) => Context.get(services, IdentityProvider))
    )
  return { callbacks, clientWith, url }
})

const submit = (url: string, form: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const answer = await fetch(url, { method: "POST", body: new URLSearchParams(form) })
    return { status: answer.status, text: await answer.text() }
  })

const form = { outcome: "verified", country: "DE", first_name: "Ann", last_name: "" }
const live = <A, E>(test: Effect.Effect<A, E, Scope.Scope>) => Effect.scoped(test)

it.live("begins a verification, and sends the chosen finding with a signature until the venue accepts it", () =>
  live(
    Effect.gen(function* () {
      const { callbacks, clientWith } = yield* scene
      const provider = yield* clientWith(key)
      const { finding, reference, verificationUrl } = yield* provider.begin("user-1")
      assert.isNull(finding)
      const page = yield* Effect.promise(() => fetch(verificationUrl))
      assert.strictEqual(page.status, 200)
      assert.include(yield* Effect.promise(() => page.text()), `action="/verify/${reference}"`)

      assert.deepStrictEqual(yield* submit(verificationUrl, form), {
        status: 200,
        text: "The venue answered the callback with status 204."
      })
      assert.lengthOf(callbacks, 2)
      const read = yield* provider.read(callbacks[1]!.body, callbacks[1]!.signature)
      const { foundAtMillis, ...rest } = read
      assert.isAbove(foundAtMillis, 0)
      assert.deepStrictEqual(rest, {
        reference,
        outcome: "verified",
        country: "DE",
        firstName: "Ann",
        lastName: null
      })
      const changed = callbacks[1]!.body.replace("DE", "FR")
      assert.strictEqual((yield* Effect.flip(provider.read(changed, callbacks[1]!.signature))).reason, "signature")
    })
  )
)

it.live("refuses another key, an unknown verification and an invalid finding", () =>
  live(
    Effect.gen(function* () {
      const { callbacks, clientWith, url } = yield* scene
      const stranger = yield* clientWith(Redacted.make("another key"))
      assert.strictEqual((yield* Effect.flip(stranger.begin("user-1")))._tag, "IdentityUnavailable")
      assert.strictEqual((yield* submit(`${url}/verify/none`, form)).status, 404)
      assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/verify/none`))).status, 404)
      const { verificationUrl } = yield* (yield* clientWith(key)).begin("user-1")
      assert.strictEqual((yield* submit(verificationUrl, { ...form, outcome: "perhaps" })).status, 422)
      assert.strictEqual((yield* submit(verificationUrl, { ...form, country: "Germany" })).status, 422)
      assert.deepStrictEqual(callbacks, [])
    })
  )
)
