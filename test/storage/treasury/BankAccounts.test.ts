import { maxBankAccounts } from "@venue/domain/BankAccount"
import { UserId } from "@venue/domain/UserId"
import { Seal } from "@venue/postgres/Seal"
import { Users } from "@venue/storage/access/Users"
import { BankAccounts, type NewBankAccount } from "@venue/storage/treasury/BankAccounts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { dump, postgresLayer } from "../../Postgres.ts"

const details = {
  first_name: "Canary Firstname",
  last_name: "Canary Lastname",
  routing_number: "021000021",
  bank_name: "Canary Bank",
  account_number: "900000012345",
  type: "checking",
  street_line_1: "1 Canary Street",
  country: "USA",
  state: "NY",
  city: "Canary City",
  postal_code: "10001"
}

let made = 0
const accountOf = Effect.fnUntraced(function* (name: string): Effect.fn.Return<NewBankAccount, unknown, Users> {
  const userId = UserId.make(name)
  yield* (yield* Users).create({ userId, name })
  return { accountId: `account ${++made}`, userId, holderKnown: true, details: Redacted.make(details) }
})

const suite = (name: string, services: Layer.Layer<Users | BankAccounts, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("returns a linked bank account only to its user, with a masked number", () =>
      Effect.gen(function* () {
        const accounts = yield* BankAccounts
        const { accountId, ...mine } = yield* accountOf("amy")
        const linked = yield* accounts.link({ accountId, ...mine })
        const { holderKnown, userId } = mine
        const shown = { accountId, userId, masked: "****2345", holderKnown, createdAtMillis: 0, removedAtMillis: null }
        assert.deepStrictEqual(linked, shown)
        assert.deepStrictEqual(yield* accounts.find(userId, accountId), Option.some(shown))
        assert.deepStrictEqual(yield* accounts.find(UserId.make("ben"), accountId), Option.none())
        const opened = Option.getOrThrow(yield* accounts.details(accountId))
        assert.deepStrictEqual(JSON.parse(Redacted.value(opened)), details)
        assert.notInclude(JSON.stringify([opened, linked]), "Canary")
      })
    )

    it.effect("hides a removed bank account and its details, and keeps its masked number for earlier withdrawals", () =>
      Effect.gen(function* () {
        const accounts = yield* BankAccounts
        const mine = yield* accountOf("cid")
        yield* accounts.link(mine)
        assert.isFalse(yield* accounts.remove(UserId.make("amy"), mine.accountId))
        assert.isTrue(yield* accounts.remove(mine.userId, mine.accountId))
        assert.isFalse(yield* accounts.remove(mine.userId, mine.accountId))
        assert.deepStrictEqual(yield* accounts.find(mine.userId, mine.accountId), Option.none())
        assert.deepStrictEqual(yield* accounts.details(mine.accountId), Option.none())
        const named = yield* accounts.named([mine.accountId, "nothing"])
        assert.deepStrictEqual(
          named.map(({ accountId, masked }) => [accountId, masked]),
          [[mine.accountId, "****2345"]]
        )
        assert.deepStrictEqual(yield* accounts.named([]), [])
        assert.deepStrictEqual(yield* accounts.details("nothing"), Option.none())
      })
    )

    it.effect(
      "limits a user's bank accounts under concurrent requests, and allows another account after a removal",
      () =>
        Effect.gen(function* () {
          const accounts = yield* BankAccounts
          const mine = yield* accountOf("dan")
          const tried = yield* Effect.forEach(
            Array.from({ length: maxBankAccounts + 3 }, (_, at) => ({ ...mine, accountId: `${mine.accountId} ${at}` })),
            (account) => Effect.result(accounts.link(account)),
            { concurrency: "unbounded" }
          )
          const linked = tried.flatMap((result) => (result._tag === "Success" ? [result.success.accountId] : []))
          assert.lengthOf(linked, maxBankAccounts)
          yield* accounts.remove(mine.userId, linked[0]!)
          yield* accounts.link(mine)
          assert.strictEqual(
            (yield* Effect.flip(accounts.link({ ...mine, accountId: "more" })))._tag,
            "TooManyBankAccounts"
          )
        })
    )
  })

suite("bank accounts in memory", Layer.merge(BankAccounts.layerMemory, Users.layerMemory))

const sealed = Layer.merge(BankAccounts.layer, Users.layer).pipe(
  Layer.provide(Seal.layer(Redacted.make("the secret key of this test, of any characters"))),
  Layer.provideMerge(postgresLayer)
)
suite("bank accounts on Postgres", sealed)

layer(sealed, { timeout: "2 minutes" })("the database", (it) => {
  it.effect("I46: stores bank details sealed, and opens them only under their own bank account", () =>
    Effect.gen(function* () {
      const accounts = yield* BankAccounts
      const sql = yield* SqlClient.SqlClient
      const [mine, other] = [yield* accountOf("amy"), yield* accountOf("ben")]
      yield* accounts.link(mine)
      yield* accounts.link(other)
      const stored = yield* dump
      assert.include(stored, mine.accountId)
      for (const text of ["Canary", details.account_number, details.routing_number]) {
        for (const form of [text, Buffer.from(text).toString("hex")]) assert.notInclude(stored, form)
      }
      yield* sql`
        update bank_account set sealed_details = (
          select sealed_details from bank_account where account_id = ${other.accountId}
        ) where account_id = ${mine.accountId}`
      assert.strictEqual((yield* Effect.exit(accounts.details(mine.accountId)))._tag, "Failure")
    })
  )
})
