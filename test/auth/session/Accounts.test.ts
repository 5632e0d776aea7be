import { Accounts } from "@venue/auth/session/Accounts"
import { AccountId } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { Users } from "@venue/storage/access/Users"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { openAccount } from "../../storage/access/OpenedAccount.ts"

describe("Accounts", () => {
  it.effect("returns a newly opened account within half a second, even after a failed lookup", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const users = yield* Users
      yield* users.create({ userId: UserId.make("alice"), name: "Alice" })
      assert.deepStrictEqual(yield* accounts.ownerOf(AccountId.make("alice-2")), Option.none())
      yield* openAccount(UserId.make("alice"), AccountId.make("alice-2"))
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* accounts.ownerOf(AccountId.make("alice-2")), Option.some("alice"))
    }).pipe(
      Effect.provide(Accounts.layer.pipe(Layer.provideMerge(Layer.merge(Users.layerMemory, Journal.layerMemory))))
    )
  )

  it.effect("looks up an account's owner once, and never looks up an id that is too long", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* Effect.forEach(Array.from({ length: 5 }), () => accounts.ownerOf(AccountId.make("alice")), {
        concurrency: 2
      })
      assert.deepStrictEqual(yield* accounts.ownerOf(AccountId.make("x".repeat(129))), Option.none())
      assert.deepStrictEqual(lookups, ["alice"])
    }).pipe(Effect.provide(Accounts.layer.pipe(Layer.provide(counting))))
  )
})

const lookups: Array<string> = []
const counting = Layer.mock(Users, {
  ownerOf: (accountId) =>
    Effect.sync(() => Option.some(lookups.push(accountId) > 0 ? UserId.make("alice") : UserId.make("")))
})
