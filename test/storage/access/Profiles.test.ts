import { UserId } from "@venue/domain/UserId"
import { Profiles } from "@venue/storage/access/Profiles"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"

const suite = (name: string, services: Layer.Layer<Profiles | Transaction | Users, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    const user = (userId: UserId) => Effect.andThen(Users, (users) => users.create({ userId, name: userId }))
    const empty = { username: null, avatarUrl: null, isPublic: false, firstName: null, lastName: null }

    it.effect("keeps the profile fields that a change omits", () =>
      Effect.gen(function* () {
        const profiles = yield* Profiles
        yield* user(UserId.make("amy"))
        assert.deepStrictEqual(yield* profiles.find(UserId.make("amy")), empty)
        assert.deepStrictEqual(yield* profiles.change(UserId.make("amy"), {}), empty)
        yield* profiles.change(UserId.make("amy"), { username: "amy-1", isPublic: true, firstName: "Amy\0" })
        yield* profiles.change(UserId.make("amy"), { avatarUrl: "https://venue.example/a.png" })
        yield* profiles.change(UserId.make("amy"), { avatarUrl: null, lastName: "Example" })
        assert.deepInclude(yield* profiles.find(UserId.make("amy")), {
          username: "amy-1",
          avatarUrl: null,
          isPublic: true,
          lastName: "Example"
        })
        assert.deepStrictEqual(yield* profiles.find(UserId.make("\0")), empty)
        yield* user(UserId.make("abe"))
        yield* profiles.change(UserId.make("abe"), { username: "abe-1" })
        const amy = { userId: UserId.make("amy"), username: "amy-1", avatarUrl: null }
        assert.deepStrictEqual(yield* profiles.shown({ limit: 10 }), [amy])
        yield* profiles.change(UserId.make("abe"), { isPublic: true })
        const abe = { userId: UserId.make("abe"), username: "abe-1", avatarUrl: null }
        assert.deepStrictEqual(yield* profiles.shown({ limit: 10 }), [abe, amy])
        assert.deepStrictEqual(yield* profiles.shown({ limit: 1 }), [abe])
        assert.deepStrictEqual(yield* profiles.shown({ after: abe.userId, limit: 1 }), [amy])
        assert.deepStrictEqual(yield* profiles.shown({ after: amy.userId, limit: 1 }), [])
        assert.deepStrictEqual(yield* profiles.shownOf([amy.userId, abe.userId, UserId.make("nobody")]), [abe, amy])
        assert.deepStrictEqual(yield* profiles.shownOf([]), [])
        yield* profiles.change(UserId.make("abe"), { isPublic: false })
        assert.deepStrictEqual(yield* profiles.shownOf([abe.userId]), [])
        assert.deepStrictEqual(yield* profiles.shown({ limit: 10 }), [amy])
      })
    )

    it.effect(
      "assigns a username to one user under concurrent requests, and frees it when that user changes username",
      () =>
        Effect.gen(function* () {
          const profiles = yield* Profiles
          const everybody = Array.from({ length: 8 }, (_, index) => UserId.make(`user-${index}`))
          yield* Effect.forEach(everybody, user)
          const got = yield* Effect.filter(
            everybody,
            (userId) => Effect.isSuccess(profiles.change(userId, { username: "wanted" })),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(got, 1)
          const [winner] = got
          const loser = everybody.find((userId) => userId !== winner)!
          const refused = yield* Effect.flip(
            profiles.change(UserId.make(loser), { username: "wanted", isPublic: true })
          )
          assert.strictEqual(refused._tag, "UsernameTaken")
          assert.deepStrictEqual(yield* profiles.find(UserId.make(loser)), empty)
          yield* profiles.change(UserId.make(winner!), { username: "wanted" })
          yield* profiles.change(UserId.make(winner!), { username: "other" })
          assert.strictEqual((yield* profiles.change(UserId.make(loser), { username: "wanted" })).username, "wanted")
        })
    )

    it.effect("keeps a transaction's other changes when the requested username is taken", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const profiles = yield* Profiles
        yield* user(UserId.make("cat"))
        yield* user(UserId.make("dan"))
        yield* profiles.change(UserId.make("cat"), { username: "only-one" })
        yield* run(
          Effect.gen(function* () {
            yield* Effect.flip(profiles.change(UserId.make("dan"), { username: "only-one" }))
            yield* profiles.change(UserId.make("dan"), { username: "another" })
          })
        )
        assert.strictEqual((yield* profiles.find(UserId.make("dan"))).username, "another")
      })
    )
  })

suite("profiles in memory", Layer.mergeAll(Profiles.layerMemory, Transaction.layerMemory, Users.layerMemory))
suite(
  "profiles on Postgres",
  Layer.mergeAll(Profiles.layer, Transaction.layer, Users.layer).pipe(Layer.provide(postgresLayer))
)
