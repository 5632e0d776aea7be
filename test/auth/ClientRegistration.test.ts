import { ClientRegistration, type Registration } from "@venue/auth/ClientRegistration"
import { Audit } from "@venue/storage/Audit"
import { OAuthClients } from "@venue/storage/OAuthClients"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as OAuth from "./OAuthServices.ts"

const refusal = (changes: Partial<Registration>) =>
  Effect.gen(function* () {
    const before = yield* (yield* OAuthClients).list
    const error = yield* Effect.flip(OAuth.register(changes))
    assert.deepStrictEqual(yield* (yield* OAuthClients).list, before)
    assert.strictEqual(error._tag, "RegistrationRefused")
    return error._tag === "RegistrationRefused" ? `${error.field} ${error.fault}` : error._tag
  })

layer(OAuth.memory)("ClientRegistration", (it) => {
  it.effect("a confidential application gets a secret, shown once, and a public one gets none", () =>
    Effect.gen(function* () {
      const { client, secret } = yield* OAuth.register()
      assert.match(Redacted.value(secret!), /^[\w-]{43}$/)
      assert.match(client.clientId, /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(client.grantTypes, ["authorization_code", "refresh_token"])
      assert.notInclude(JSON.stringify(yield* (yield* OAuthClients).list), Redacted.value(secret!))
      const open = yield* OAuth.register({ type: "public" })
      assert.isNull(open.secret)
      assert.deepStrictEqual(open.client.secretHashes, [])
    })
  )

  it.effect("what an operator did is recorded with who and why, and without the secret", () =>
    Effect.gen(function* () {
      const registration = yield* ClientRegistration
      const { client, secret } = yield* OAuth.register()
      const { clientId } = client
      const second = yield* registration.rotate(clientId, OAuth.operator)
      yield* registration.finishRotation(clientId, OAuth.operator)
      yield* registration.disable(clientId, OAuth.operator)
      const deeds = yield* (yield* Audit).ofUser(clientId)
      assert.deepStrictEqual(
        deeds.map(({ action }) => action),
        ["client_disabled", "client_secret_dropped", "client_secret_added", "client_registered"]
      )
      for (const { actor, facts } of deeds) {
        assert.strictEqual(actor, "operator")
        assert.deepStrictEqual(facts, { clientId, reason: "a test" })
      }
      for (const text of [secret!, second]) assert.notInclude(JSON.stringify(deeds), Redacted.value(text))
    })
  )

  it.effect("redirect URIs are one to ten different https addresses", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 11 }, (_, n) => `https://rp.example/${n}`)
      yield* OAuth.register({ redirectUris: many.slice(1) })
      assert.strictEqual(yield* refusal({ redirectUris: [] }), "redirectUris count")
      assert.strictEqual(yield* refusal({ redirectUris: many }), "redirectUris count")
      assert.strictEqual(yield* refusal({ redirectUris: [many[0]!, many[0]!] }), "redirectUris repeated")
      assert.strictEqual(yield* refusal({ redirectUris: [many[0]!, "http://rp.example/"] }), "redirectUris scheme")
      assert.strictEqual(yield* refusal({ logoUri: "javascript:alert(1)" }), "logoUri scheme")
      assert.strictEqual(yield* refusal({ clientUri: "http://rp.example/" }), "clientUri scheme")
      assert.strictEqual(yield* refusal({ grantTypes: ["refresh_token"] }), "grantTypes authorization_code")
    })
  )

  it.effect("redirects to the user's own machine are for public applications, when the operator says so", () =>
    Effect.gen(function* () {
      const redirectUris = ["http://localhost:57423/callback"]
      yield* OAuth.register({ redirectUris, type: "public", allowLoopback: true })
      assert.strictEqual(yield* refusal({ redirectUris, type: "public" }), "redirectUris scheme")
      assert.strictEqual(yield* refusal({ redirectUris, allowLoopback: true }), "redirectUris scheme")
    })
  )

  it.effect("a name shows what it is", () =>
    Effect.gen(function* () {
      for (const name of ["Café №1", "取引所", "n".repeat(100)]) yield* OAuth.register({ name })
      const hidden = ["", " ", " App", "App ", "A\np", "A\u202ep", "A\u200bp", "A\0p", "n".repeat(101)]
      for (const name of hidden) assert.strictEqual(yield* refusal({ name }), "name form", JSON.stringify(name))
    })
  )

  it.effect("only what is there can be changed", () =>
    Effect.gen(function* () {
      const registration = yield* ClientRegistration
      const { client: open } = yield* OAuth.register({ type: "public" })
      const { client } = yield* OAuth.register()
      yield* registration.disable(client.clientId, OAuth.operator)
      for (const refused of [
        registration.rotate("nobody", OAuth.operator),
        registration.rotate(open.clientId, OAuth.operator),
        registration.rotate(client.clientId, OAuth.operator),
        registration.finishRotation(client.clientId, OAuth.operator),
        registration.disable(client.clientId, OAuth.operator)
      ]) {
        assert.strictEqual((yield* Effect.flip(refused))._tag, "NoSuchClient")
      }
      assert.strictEqual((yield* (yield* Audit).ofUser(client.clientId)).length, 2)
    })
  )
})
