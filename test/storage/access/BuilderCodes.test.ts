import { UserId } from "@venue/domain/UserId"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { Users } from "@venue/storage/access/Users"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const suite = (name: string, services: Layer.Layer<BuilderCodes | Users, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    const user = (userId: UserId) => Effect.andThen(Users, (users) => users.create({ userId, name: userId }))
    const share = { venueBps: 5_000, builderBps: 3_000, active: false }

    it.effect("finds a new builder code by its text and by its owner", () =>
      Effect.gen(function* () {
        const codes = yield* BuilderCodes
        yield* user(UserId.make("amy"))
        yield* TestClock.setTime(1_000)
        const code = yield* codes.create({ ...share, userId: UserId.make("amy"), builderCode: "code-1" })
        assert.deepStrictEqual(code, {
          ...share,
          builderCode: "code-1",
          userId: UserId.make("amy"),
          createdAtMillis: 1_000,
          updatedAtMillis: 1_000
        })
        assert.deepStrictEqual(yield* codes.find("code-1"), Option.some(code))
        assert.deepStrictEqual(yield* codes.ofUser(UserId.make("amy")), Option.some(code))
        for (const text of ["", "code-2", "\0"]) {
          assert.isTrue(Option.isNone(yield* codes.find(text)))
          assert.isTrue(Option.isNone(yield* codes.ofUser(UserId.make(text))))
        }
      })
    )

    it.effect("I41: creates one builder code per user under concurrent requests", () =>
      Effect.gen(function* () {
        const codes = yield* BuilderCodes
        yield* user(UserId.make("ben"))
        const made = yield* Effect.forEach(
          Array.from({ length: 10 }, (_, index) => `ben-${index}`),
          (builderCode) => Effect.option(codes.create({ ...share, userId: UserId.make("ben"), builderCode })),
          { concurrency: "unbounded" }
        )
        const first = made.filter(Option.isSome)
        assert.lengthOf(first, 1)
        assert.deepStrictEqual(yield* codes.ofUser(UserId.make("ben")), first[0])
      })
    )

    it.effect("creates an active builder code", () =>
      Effect.gen(function* () {
        const codes = yield* BuilderCodes
        yield* user(UserId.make("dan"))
        const made = yield* codes.create({ ...share, active: true, userId: UserId.make("dan"), builderCode: "code-5" })
        assert.isTrue(made.active)
        assert.deepStrictEqual(yield* codes.find("code-5"), Option.some(made))
      })
    )

    it.effect("activates and deactivates a builder code, and rejects an unknown code", () =>
      Effect.gen(function* () {
        const codes = yield* BuilderCodes
        yield* user(UserId.make("cat"))
        yield* codes.create({ ...share, userId: UserId.make("cat"), builderCode: "code-3" })
        yield* TestClock.setTime(5_000)
        assert.deepInclude(yield* codes.setActive("code-3", true), { active: true, updatedAtMillis: 5_000 })
        assert.deepInclude(Option.getOrThrow(yield* codes.find("code-3")), { active: true, userId: UserId.make("cat") })
        assert.isFalse((yield* codes.setActive("code-3", false)).active)
        assert.strictEqual((yield* Effect.flip(codes.setActive("code-4", true)))._tag, "UnknownBuilderCode")
      })
    )
  })

suite("builder codes in memory", Layer.merge(BuilderCodes.layerMemory, Users.layerMemory))
suite("builder codes on Postgres", Layer.merge(BuilderCodes.layer, Users.layer).pipe(Layer.provide(postgresLayer)))
