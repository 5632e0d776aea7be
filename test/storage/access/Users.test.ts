import { AccountId } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, it, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"
import { claimed, openAccount, recordAccount } from "./OpenedAccount.ts"

const suite = (name: string, users: Layer.Layer<Users | Journal, unknown>) =>
  layer(users, { timeout: "2 minutes" })(name, (it) => {
    it.effect("creates a user once, with a primary account of the same id", () =>
      Effect.gen(function* () {
        const users = yield* Users
        yield* TestClock.setTime(5_000)
        yield* users.create({ userId: UserId.make("alice"), name: "Alice" })
        yield* TestClock.setTime(6_000)
        yield* users.create({ userId: UserId.make("alice"), name: "Alicia" })
        const alice = Option.getOrThrow(yield* users.find(UserId.make("alice")))
        assert.deepStrictEqual(alice, { userId: "alice", name: "Alice", createdAtMillis: 5_000 })
        assert.deepStrictEqual(yield* users.accounts(UserId.make("alice")), [
          { accountId: AccountId.make("alice"), userId: UserId.make("alice"), openedAtMillis: 5_000 }
        ])
      })
    )

    it.effect("finds users by their exact name, the oldest first", () =>
      Effect.gen(function* () {
        const users = yield* Users
        for (const [seconds, id] of [
          [7, "twin-b"],
          [6, "twin-a"]
        ] as const) {
          yield* TestClock.setTime(seconds * 1_000)
          yield* users.create({ userId: UserId.make(id), name: "Twin" })
        }
        const named = (name: string) => Effect.map(users.named(name), (found) => found.map(({ userId }) => userId))
        assert.deepStrictEqual(yield* named("Twin"), [UserId.make("twin-a"), UserId.make("twin-b")])
        for (const name of ["twin", "Twi", "", "a\0b"]) assert.deepStrictEqual(yield* named(name), [])
      })
    )

    it.effect("lists accounts in the order in which they were opened, and opens each account once", () =>
      Effect.gen(function* () {
        const users = yield* Users
        yield* TestClock.setTime(1_000)
        yield* users.create({ userId: UserId.make("bob"), name: "Bob" })
        yield* TestClock.setTime(2_000)
        yield* openAccount(UserId.make("bob"), AccountId.make("z-bob"))
        yield* TestClock.setTime(3_000)
        yield* openAccount(UserId.make("bob"), AccountId.make("a-bob"))
        yield* openAccount(UserId.make("bob"), AccountId.make("z-bob"))
        const accounts = yield* users.accounts(UserId.make("bob"))
        assert.deepStrictEqual(
          accounts.map(({ accountId }) => accountId),
          ["bob", "z-bob", "a-bob"]
        )
        assert.deepStrictEqual(yield* users.ownerOf(AccountId.make("z-bob")), Option.some("bob"))
      })
    )

    it.effect("I39: never changes the owner of an account", () =>
      Effect.gen(function* () {
        const users = yield* Users
        yield* users.create({ userId: UserId.make("carol"), name: "Carol" })
        yield* users.create({ userId: UserId.make("dave"), name: "Dave" })
        yield* openAccount(UserId.make("carol"), AccountId.make("carol-2"))
        yield* openAccount(UserId.make("dave"), AccountId.make("carol-2"))
        assert.deepStrictEqual(yield* users.ownerOf(AccountId.make("carol-2")), Option.some("carol"))
        assert.strictEqual((yield* users.accounts(UserId.make("dave"))).length, 1)
      })
    )

    it.effect("I4: writes no account if its journal row is fenced", () =>
      Effect.gen(function* () {
        const users = yield* Users
        const journal = yield* Journal
        yield* users.create({ userId: UserId.make("frank"), name: "Frank" })
        const former = yield* claimed(UserId.make("frank"))
        yield* claimed(UserId.make("frank"))
        const lost = yield* Effect.exit(recordAccount(former, UserId.make("frank"), AccountId.make("frank-2")))
        assert.isTrue(Exit.isFailure(lost))
        assert.deepStrictEqual(yield* users.ownerOf(AccountId.make("frank-2")), Option.none())
        assert.lengthOf(yield* journal.read("trader/frank", 0, 10), 2)
      })
    )

    it.effect("I50: treats user ids with any characters as unknown", () =>
      Effect.gen(function* () {
        const users = yield* Users
        for (const id of ["", "\0", "'; drop table account", "空", "\ud800", "x".repeat(10_000)]) {
          assert.deepStrictEqual(yield* users.ownerOf(AccountId.make(id)), Option.none())
          assert.deepStrictEqual(yield* users.find(UserId.make(id)), Option.none())
          assert.deepStrictEqual(yield* users.accounts(UserId.make(id)), [])
        }
      })
    )
  })

suite("Users in memory", Layer.merge(Users.layerMemory, Journal.layerMemory))
suite("Users on Postgres", Layer.merge(Users.layer, Journal.layer).pipe(Layer.provide(postgresLayer)))

it.live(
  "while a transaction holds a user's lock, another transaction can write rows that refer to the user, but not lock it",
  () =>
    Effect.gen(function* () {
      const users = yield* Users
      const { run } = yield* Transaction
      yield* users.create({ userId: UserId.make("erin"), name: "Erin" })
      const order: Array<string> = []
      const [locked, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* users.lock(UserId.make("erin")).pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(end)),
        Effect.tap(() => Effect.sync(() => order.push("first"))),
        run,
        Effect.forkChild
      )
      yield* Deferred.await(locked)
      const second = yield* users.lock(UserId.make("erin")).pipe(
        Effect.tap(() => Effect.sync(() => order.push("second"))),
        run,
        Effect.forkChild
      )
      yield* Effect.timeout(openAccount(UserId.make("erin"), AccountId.make("erin-2")), "1 minute")
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(order, ["first", "second"])
    }).pipe(
      Effect.provide(Layer.mergeAll(Users.layer, Transaction.layer, Journal.layer).pipe(Layer.provide(postgresLayer)))
    ),
  900_000
)
