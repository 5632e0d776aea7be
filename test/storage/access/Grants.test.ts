import { UserId } from "@venue/domain/UserId"
import { Grants } from "@venue/storage/access/Grants"
import { OAuthClients } from "@venue/storage/access/OAuthClients"
import { Users } from "@venue/storage/access/Users"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const begin = (userId: UserId, ...clientIds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* (yield* Users).create({ userId, name: userId })
    const clients = yield* OAuthClients
    for (const clientId of clientIds) {
      yield* clients.register(
        {
          clientId,
          name: clientId,
          type: "public",
          redirectUris: ["https://rp.example/cb"],
          logoUri: null,
          clientUri: null,
          grantTypes: ["authorization_code"]
        },
        null
      )
    }
    return yield* Grants
  })

const suite = (name: string, services: Layer.Layer<Grants | OAuthClients | Users, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("adds newly granted scopes to the scopes granted before, each scope once", () =>
      Effect.gen(function* () {
        const grants = yield* begin(UserId.make("amy"), "amy-app")
        yield* TestClock.setTime(1_000)
        yield* grants.give({ userId: UserId.make("amy"), clientId: "amy-app", scopes: ["profile", "openid"] })
        yield* TestClock.setTime(2_000)
        yield* grants.give({ userId: UserId.make("amy"), clientId: "amy-app", scopes: ["email", "openid"] })
        assert.deepStrictEqual(Option.getOrThrow(yield* grants.find(UserId.make("amy"), "amy-app")), {
          userId: UserId.make("amy"),
          clientId: "amy-app",
          scopes: ["email", "openid", "profile"],
          grantedAtMillis: 2_000
        })
      })
    )

    it.effect("keeps the scopes of all concurrent grants", () =>
      Effect.gen(function* () {
        const grants = yield* begin(UserId.make("ben"), "ben-app")
        const scopes = ["email", "openid", "phone", "profile"]
        yield* Effect.forEach(
          scopes,
          (scope) => grants.give({ userId: UserId.make("ben"), clientId: "ben-app", scopes: [scope] }),
          {
            concurrency: "unbounded"
          }
        )
        assert.deepStrictEqual(Option.getOrThrow(yield* grants.find(UserId.make("ben"), "ben-app")).scopes, scopes)
      })
    )

    it.effect("removes a grant once, and keeps other grants", () =>
      Effect.gen(function* () {
        const grants = yield* begin(UserId.make("cat"), "cat-app", "cat-other")
        yield* begin(UserId.make("dan"))
        yield* TestClock.setTime(1_000)
        yield* grants.give({ userId: UserId.make("cat"), clientId: "cat-app", scopes: ["email"] })
        yield* grants.give({ userId: UserId.make("dan"), clientId: "cat-app", scopes: ["email"] })
        yield* TestClock.setTime(2_000)
        yield* grants.give({ userId: UserId.make("cat"), clientId: "cat-other", scopes: ["email"] })
        const listed = Effect.map(grants.ofUser(UserId.make("cat")), (all) => all.map(({ clientId }) => clientId))
        assert.deepStrictEqual(yield* listed, ["cat-other", "cat-app"])
        assert.isTrue(yield* grants.remove(UserId.make("cat"), "cat-app"))
        assert.isFalse(yield* grants.remove(UserId.make("cat"), "cat-app"))
        assert.deepStrictEqual(yield* listed, ["cat-other"])
        assert.isTrue(Option.isSome(yield* grants.find(UserId.make("dan"), "cat-app")))
      })
    )
  })

suite("Grants in memory", Layer.mergeAll(Grants.layerMemory, OAuthClients.layerMemory, Users.layerMemory))
suite(
  "Grants on Postgres",
  Layer.mergeAll(Grants.layer, OAuthClients.layer, Users.layer).pipe(Layer.provide(postgresLayer))
)
