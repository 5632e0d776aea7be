import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const suite = (name: string, users: Layer.Layer<Users, unknown>) =>
  layer(users, { timeout: "30 seconds" })(name, (it) => {
    it.effect("a user is created once, with a primary account of the same id", () =>
      Effect.gen(function* () {
        const users = yield* Users
        yield* TestClock.setTime(5_000)
        yield* users.create({ userId: "alice", name: "Alice" })
        yield* TestClock.setTime(6_000)
        yield* users.create({ userId: "alice", name: "Alicia" })
        const alice = Option.getOrThrow(yield* users.find("alice"))
        assert.deepStrictEqual(alice, { userId: "alice", name: "Alice", createdAtMillis: 5_000 })
        assert.deepStrictEqual(yield* users.accounts("alice"), [
          { accountId: "alice", userId: "alice", openedAtMillis: 5_000 }
        ])
      })
    )

    it.effect("accounts are listed as they were opened, and a repeat opens none", () =>
      Effect.gen(function* () {
        const users = yield* Users
        yield* TestClock.setTime(1_000)
        yield* users.create({ userId: "bob", name: "Bob" })
        yield* TestClock.setTime(2_000)
        yield* users.openAccount({ accountId: "z-bob", userId: "bob" })
        yield* TestClock.setTime(3_000)
        yield* users.openAccount({ accountId: "a-bob", userId: "bob" })
        yield* users.openAccount({ accountId: "z-bob", userId: "bob" })
        const accounts = yield* users.accounts("bob")
        assert.deepStrictEqual(
          accounts.map(({ accountId }) => accountId),
          ["bob", "z-bob", "a-bob"]
        )
        assert.deepStrictEqual(yield* users.ownerOf("z-bob"), Option.some("bob"))
      })
    )

    it.effect("I39: an account belongs to one user and never changes hands", () =>
      Effect.gen(function* () {
        const users = yield* Users
        yield* users.create({ userId: "carol", name: "Carol" })
        yield* users.create({ userId: "dave", name: "Dave" })
        yield* users.openAccount({ accountId: "carol-2", userId: "carol" })
        const taken = yield* Effect.flip(users.openAccount({ accountId: "carol-2", userId: "dave" }))
        const unknown = yield* Effect.flip(users.openAccount({ accountId: "new", userId: "nobody" }))
        assert.strictEqual(taken._tag, "AccountTaken")
        assert.strictEqual(unknown._tag, "UnknownUser")
        assert.deepStrictEqual(yield* users.ownerOf("carol-2"), Option.some("carol"))
      })
    )

    it.effect("I50: ids of any text are unknown, not a fault", () =>
      Effect.gen(function* () {
        const users = yield* Users
        for (const id of ["", "\0", "'; drop table account", "空", "\ud800", "x".repeat(10_000)]) {
          assert.deepStrictEqual(yield* users.ownerOf(id), Option.none())
          assert.deepStrictEqual(yield* users.find(id), Option.none())
          assert.deepStrictEqual(yield* users.accounts(id), [])
        }
      })
    )
  })

suite("Users in memory", Users.layerMemory)
suite("Users on Postgres", Layer.provide(Users.layer, postgresLayer))

it.live(
  "a locked user keeps out another lock until the end of the transaction, and nobody who refers to them",
  () =>
    Effect.gen(function* () {
      const users = yield* Users
      const { run } = yield* Transaction
      yield* users.create({ userId: "erin", name: "Erin" })
      const told: Array<string> = []
      const [locked, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* users.lock("erin").pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(end)),
        Effect.tap(() => Effect.sync(() => told.push("first"))),
        run,
        Effect.forkChild
      )
      yield* Deferred.await(locked)
      const second = yield* users.lock("erin").pipe(
        Effect.tap(() => Effect.sync(() => told.push("second"))),
        run,
        Effect.forkChild
      )
      yield* Effect.timeout(users.openAccount({ accountId: "erin-2", userId: "erin" }), "5 seconds")
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(told, ["first", "second"])
    }).pipe(Effect.provide(Layer.merge(Users.layer, Transaction.layer).pipe(Layer.provide(postgresLayer)))),
  30_000
)
