import { ClientAuthentication, type Presented } from "@venue/auth/oauth/ClientAuthentication"
import { ClientRegistration } from "@venue/auth/oauth/ClientRegistration"
import { OAuthClients } from "@venue/storage/access/OAuthClients"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as crypto from "node:crypto"
import { vi } from "vitest"
import * as OAuth from "./OAuthServices.ts"

vi.mock("node:crypto", { spy: true })

const authenticate = (presented: Partial<Presented>) =>
  Effect.flatMap(ClientAuthentication, (clients) => clients.authenticate({ basic: undefined, form: {}, ...presented }))

/** Returns the name of the authenticated application, or the reason for its rejection. */
const outcome = (presented: Partial<Presented>) =>
  authenticate(presented).pipe(
    Effect.map(({ name }) => name),
    Effect.catchTags({
      InvalidClient: ({ reason }) => Effect.succeed(reason),
      ClientMismatch: () => Effect.succeed("mismatch")
    })
  )

const basic = (clientId: string, secret: string) => `Basic ${btoa(`${clientId}:${secret}`)}`
const escaped = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`).join("")

const registered = Effect.gen(function* () {
  const { client, secret } = yield* OAuth.register()
  const { client: open } = yield* OAuth.register({ name: "Open App", type: "public" })
  return { clientId: client.clientId, secret: Redacted.value(secret!), openId: open.clientId }
})

layer(OAuth.memory)("ClientAuthentication", (it) => {
  it.effect(
    "T3: authenticates a confidential application by HTTP Basic, whether its credentials are raw or percent-encoded",
    () =>
      Effect.gen(function* () {
        const { clientId, secret } = yield* registered
        for (const header of [
          basic(clientId, secret),
          basic(escaped(clientId), escaped(secret)),
          basic(clientId.replaceAll("-", "%2D"), secret.replaceAll("-", "%2d").replaceAll("_", "%5F")),
          basic(clientId, secret).replace("Basic ", "basic  "),
          basic(clientId, secret).replaceAll("=", "")
        ]) {
          assert.strictEqual(yield* outcome({ basic: header }), "Example App", header)
        }
        assert.strictEqual(
          yield* outcome({ basic: basic(clientId, secret), form: { client_id: clientId } }),
          "Example App"
        )
      })
  )

  it.effect("T3: accepts a public application by its id, and rejects it if it sends a secret", () =>
    Effect.gen(function* () {
      const { openId } = yield* registered
      assert.strictEqual(yield* outcome({ form: { client_id: openId } }), "Open App")
      assert.strictEqual(yield* outcome({ form: { client_id: openId, client_secret: "x" } }), "secret_in_body")
      assert.strictEqual(yield* outcome({ form: { client_id: openId, client_secret: "" } }), "secret_in_body")
      assert.strictEqual(yield* outcome({ basic: basic(openId, "x") }), "method")
    })
  )

  it.effect("T3: rejects a confidential application that sends no secret or sends it in the body", () =>
    Effect.gen(function* () {
      const { clientId, openId, secret } = yield* registered
      assert.strictEqual(yield* outcome({ form: { client_id: clientId } }), "method")
      assert.strictEqual(yield* outcome({ form: { client_id: clientId, client_secret: secret } }), "secret_in_body")
      const both = { basic: basic(clientId, secret), form: { client_id: clientId, client_secret: secret } }
      assert.strictEqual(yield* outcome(both), "secret_in_body")
      const other = { basic: basic(clientId, secret), form: { client_id: openId } }
      assert.strictEqual(yield* outcome(other), "mismatch")
      assert.strictEqual(yield* outcome({ basic: basic(clientId, `${secret}x`) }), "secret")
      assert.strictEqual(yield* outcome({ basic: basic(clientId, secret.toLowerCase()) }), "secret")
      assert.strictEqual(yield* outcome({ basic: basic("nobody", secret) }), "unknown")
      assert.strictEqual(yield* outcome({ basic: basic("x".repeat(200), secret) }), "unknown")
      assert.strictEqual(yield* outcome({ form: { client_id: "\0" } }), "unknown")
      assert.strictEqual(yield* outcome({}), "malformed")
    })
  )

  it.effect("T3, I50: rejects an Authorization header that is not a Basic credential", () =>
    Effect.gen(function* () {
      const { clientId, openId, secret } = yield* registered
      for (const header of [
        "",
        "Basic",
        "Basic ",
        "Basic !!!",
        `Basic ${btoa(clientId)}`,
        basic(clientId, ""),
        basic("", secret),
        basic(clientId, `${secret}:`),
        basic(clientId, `${secret}%zz`),
        basic(clientId, `${secret}%`),
        basic(clientId, `${secret}+`),
        basic(clientId, `${secret}\u00e9`),
        basic(clientId, `${secret}%00`).slice(0, -6),
        `Bearer ${secret}`,
        `${basic(clientId, secret)}, Basic x`,
        `Basic ${btoa(`${clientId}:${secret}`)}\n`
      ]) {
        assert.include(["malformed", "secret"], yield* outcome({ basic: header }), JSON.stringify(header))
        const withPublic = yield* outcome({ basic: header, form: { client_id: openId } })
        assert.include(["malformed", "mismatch"], withPublic, JSON.stringify(header))
      }
    })
  )

  it.effect("accepts an application's old and new secret while the secret is being replaced", () =>
    Effect.gen(function* () {
      const { clientId, secret } = yield* registered
      const registration = yield* ClientRegistration
      const second = Redacted.value(yield* registration.rotate(clientId, OAuth.operator))
      for (const good of [secret, second]) {
        assert.strictEqual(yield* outcome({ basic: basic(clientId, good) }), "Example App")
      }
      yield* registration.finishRotation(clientId, OAuth.operator)
      assert.strictEqual(yield* outcome({ basic: basic(clientId, secret) }), "secret")
      assert.strictEqual(yield* outcome({ basic: basic(clientId, second) }), "Example App")
    })
  )

  it.effect("rejects a disabled application", () =>
    Effect.gen(function* () {
      const { clientId, openId, secret } = yield* registered
      const registration = yield* ClientRegistration
      yield* registration.disable(clientId, OAuth.operator)
      yield* registration.disable(openId, OAuth.operator)
      assert.strictEqual(yield* outcome({ basic: basic(clientId, secret) }), "disabled")
      assert.strictEqual(yield* outcome({ basic: basic(clientId, "wrong") }), "secret")
      assert.strictEqual(yield* outcome({ form: { client_id: openId } }), "disabled")
    })
  )

  it.effect(
    "does the same hash and the same two comparisons for an unknown or disabled application as for a wrong secret",
    () =>
      Effect.gen(function* () {
        const { clientId, openId, secret } = yield* registered
        const work = Effect.fnUntraced(function* (presented: Partial<Presented>) {
          vi.mocked(crypto.createHash).mockClear()
          vi.mocked(crypto.timingSafeEqual).mockClear()
          const reason = yield* outcome(presented)
          const counts = [crypto.createHash, crypto.timingSafeEqual].map((spied) => vi.mocked(spied).mock.calls.length)
          return [reason, ...counts]
        })
        assert.deepStrictEqual(yield* work({ basic: basic(clientId, secret) }), ["Example App", 1, 2])
        assert.deepStrictEqual(yield* work({ basic: basic(clientId, "wrong") }), ["secret", 1, 2])
        assert.deepStrictEqual(yield* work({ basic: basic("nobody", secret) }), ["unknown", 1, 2])
        assert.deepStrictEqual(yield* work({ form: { client_id: openId } }), ["Open App", 1, 2])
        yield* (yield* OAuthClients).disable(clientId)
        assert.deepStrictEqual(yield* work({ basic: basic(clientId, secret) }), ["disabled", 1, 2])
      })
  )
})
