import { type NewOAuthClient, OAuthClients } from "@venue/storage/access/OAuthClients"
import { hashOf } from "@venue/postgres/SecretHash"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const newClient = (clientId: string, changes: Partial<NewOAuthClient> = {}): NewOAuthClient => ({
  clientId,
  name: "Example App",
  type: "confidential",
  redirectUris: ["https://rp.example/cb", "https://rp.example/cb?x=1"],
  logoUri: null,
  clientUri: "https://rp.example/",
  grantTypes: ["authorization_code", "refresh_token"],
  ...changes
})

const find = (clientId: string) =>
  Effect.flatMap(OAuthClients, (clients) => Effect.map(clients.find(clientId), Option.getOrThrow))

const [first, second, third] = ["first", "second", "third"].map((text) => Redacted.make(text)) as [
  Redacted.Redacted,
  Redacted.Redacted,
  Redacted.Redacted
]

const suite = (name: string, services: Layer.Layer<OAuthClients, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("returns an application as registered, with the hash of its secret", () =>
      Effect.gen(function* () {
        const clients = yield* OAuthClients
        yield* TestClock.setTime(5_000)
        const registered = yield* clients.register(newClient("kept"), first)
        assert.deepStrictEqual(registered, {
          ...newClient("kept"),
          secretHashes: [hashOf(first)],
          createdAtMillis: 5_000,
          disabledAtMillis: null
        })
        assert.deepStrictEqual(yield* find("kept"), registered)
        assert.notInclude(JSON.stringify(registered), Redacted.value(first))
      })
    )

    it.effect("keeps only the first of several applications registered under one id", () =>
      Effect.gen(function* () {
        const clients = yield* OAuthClients
        const attempts = yield* Effect.all(
          [first, second, third].map((secret) => Effect.result(clients.register(newClient("once"), secret))),
          { concurrency: "unbounded" }
        )
        const [made, ...more] = attempts.filter(Result.isSuccess)
        assert.lengthOf(more, 0)
        assert.deepStrictEqual(yield* find("once"), made!.success)
        for (const { failure } of attempts.filter(Result.isFailure)) {
          assert.deepInclude(failure, { _tag: "OAuthClientExists", clientId: "once" })
        }
        yield* clients.disable("once")
        assert.strictEqual((yield* Effect.flip(clients.register(newClient("once"), second)))._tag, "OAuthClientExists")
      })
    )

    it.effect("accepts an application's two newest secrets during a rotation, and only the newest one afterwards", () =>
      Effect.gen(function* () {
        const clients = yield* OAuthClients
        yield* clients.register(newClient("rotating"), first)
        assert.isFalse(yield* clients.dropOlderSecret("rotating"))
        assert.isTrue(yield* clients.addSecret("rotating", second))
        assert.deepStrictEqual((yield* find("rotating")).secretHashes, [hashOf(second), hashOf(first)])
        assert.isTrue(yield* clients.addSecret("rotating", third))
        assert.deepStrictEqual((yield* find("rotating")).secretHashes, [hashOf(third), hashOf(second)])
        assert.isTrue(yield* clients.dropOlderSecret("rotating"))
        assert.deepStrictEqual((yield* find("rotating")).secretHashes, [hashOf(third)])
      })
    )

    it.effect("refuses to add a secret to a public, disabled or unknown application", () =>
      Effect.gen(function* () {
        const clients = yield* OAuthClients
        yield* clients.register(newClient("open", { type: "public" }), null)
        yield* clients.register(newClient("shut"), first)
        yield* TestClock.setTime(7_000)
        assert.isTrue(yield* clients.disable("shut"))
        assert.isFalse(yield* clients.disable("shut"))
        for (const clientId of ["open", "shut", "nobody"]) {
          assert.isFalse(yield* clients.addSecret(clientId, second), clientId)
        }
        assert.deepStrictEqual((yield* find("open")).secretHashes, [])
        const shut = yield* find("shut")
        assert.deepStrictEqual(shut.secretHashes, [hashOf(first)])
        assert.strictEqual(shut.disabledAtMillis, 7_000)
      })
    )

    it.effect("lists applications, newest first", () =>
      Effect.gen(function* () {
        const clients = yield* OAuthClients
        yield* TestClock.setTime(1_000_000)
        yield* clients.register(newClient("older"), first)
        yield* TestClock.setTime(2_000_000)
        yield* clients.register(newClient("newer"), first)
        const listed = (yield* clients.list).map(({ clientId }) => clientId)
        assert.deepStrictEqual(listed.slice(0, 2), ["newer", "older"])
      })
    )

    it.effect("I50: treats application ids with any characters as unknown", () =>
      Effect.gen(function* () {
        const clients = yield* OAuthClients
        for (const id of ["", "\0", "'; drop table oauth_client", "空", "\ud800", "x".repeat(10_000)]) {
          assert.isTrue(Option.isNone(yield* clients.find(id)))
        }
      })
    )
  })

suite("OAuthClients in memory", OAuthClients.layerMemory)
suite("OAuthClients on Postgres", Layer.provide(OAuthClients.layer, postgresLayer))
