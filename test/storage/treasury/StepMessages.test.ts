import { BankDetails } from "@venue/domain/BankAccount"
import { depositIdOf } from "@venue/domain/Deposit"
import { UserId } from "@venue/domain/UserId"
import { WebhookEvent, type WebhookMessage } from "@venue/domain/Webhook"
import { Seal } from "@venue/postgres/Seal"
import { Users } from "@venue/storage/access/Users"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { Webhooks } from "@venue/storage/treasury/Webhooks"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as World from "./TreasuryWorld.ts"
import * as Changes from "./Changes.ts"

const details = Schema.decodeUnknownSync(BankDetails)({
  first_name: "Canary",
  last_name: "Lastname",
  routing_number: "021000021",
  bank_name: "Canary Bank",
  account_number: "900000012345",
  type: "checking",
  street_line_1: "1 Canary Street",
  country: "USA",
  state: "NY",
  city: "Canary City",
  postal_code: "10001"
})

const subscriber = Effect.fnUntraced(function* (
  name: string,
  events: ReadonlyArray<WebhookEvent> = WebhookEvent.literals
) {
  const userId = UserId.make(name)
  yield* (yield* Users).create({ userId, name })
  const secret = Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
  yield* (yield* Webhooks).add({ webhookId: `webhook of ${name}`, userId, url: "https://example.com", events, secret })
  return userId
})

/** Takes all of the user's messages, one after the other. */
const messagesOf = Effect.fnUntraced(function* (userId: UserId) {
  const { finish, take } = yield* Webhooks
  const messages: Array<WebhookMessage> = []
  yield* TestClock.setTime(100_000)
  while (true) {
    const taken = (yield* take(100)).filter(({ message }) => message.userId === userId)
    if (taken.length === 0) return messages
    for (const attempt of taken) {
      messages.push(attempt.message)
      yield* finish(attempt, { status: 200, fault: null }, null)
    }
  }
})

type Services = Layer.Success<typeof World.inMemory> | Webhooks | BankAccounts

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    it.effect("sends one message for each state of a withdrawal, with the values at the time of that state", () =>
      Effect.gen(function* () {
        const { attempt, settle, submit } = yield* Changes.withdrawals
        const userId = yield* subscriber("ann")
        yield* World.recorded(userId, World.accepted("ann-1"))
        yield* World.recorded(userId, World.accepted("ann-1"))
        yield* TestClock.setTime(5_000)
        yield* submit(yield* World.withdrawal("ann-1"), 41)
        yield* attempt("ann-1", World.payment(1))
        yield* TestClock.setTime(6_000)
        const open = yield* World.withdrawal("ann-1")
        yield* settle(open, "0xpaid")
        yield* settle(open, "0xpaid")
        const all = (yield* messagesOf(userId)).toSorted(
          (a, b) => a.atMillis - b.atMillis || (a.event < b.event ? -1 : 1)
        )
        assert.deepStrictEqual(
          all.map(({ atMillis, event, txHash }) => [event, atMillis, txHash]),
          [
            ["withdrawal.accepted", 1_000, null],
            ["withdrawal.queued", 1_000, null],
            ["withdrawal.submitted", 5_000, null],
            ["withdrawal.settled", 6_000, "0xpaid"]
          ]
        )
        assert.deepStrictEqual(all[3], {
          userId,
          event: "withdrawal.settled",
          subjectId: "ann-1",
          method: "ARBITRUM_ONE",
          amount: 100_000_000n,
          fee: 1_000_000n,
          destination: "0xabc",
          txHash: "0xpaid",
          createdAtMillis: 1_000,
          creditedAtMillis: null,
          atMillis: 6_000
        })
      })
    )

    it.effect("messages about a bank withdrawal contain the masked account number but no transaction hash", () =>
      Effect.gen(function* () {
        const { end } = yield* Changes.withdrawals
        const userId = yield* subscriber("bea")
        const accountId = "account of bea"
        yield* (yield* BankAccounts).link({ accountId, userId, holderKnown: true, details: Redacted.make(details) })
        // Messages still show a removed account's masked number.
        yield* (yield* BankAccounts).remove(userId, accountId)
        const held = { method: "wire", destination: accountId, reasons: ["amount"] } as const
        yield* World.recorded(userId, World.accepted("bea-1", held))
        yield* end("bea-1", {
          ending: "REJECTED",
          by: "olga",
          reason: { _tag: "Rejected", text: "a stranger" },
          reference: "reference at the bank"
        })
        yield* World.recorded(userId, World.returned("bea-1", "REJECTED"))
        yield* World.withdrawal("bea-1")
        const all = yield* messagesOf(userId)
        assert.sameMembers(
          all.map(({ event }) => event),
          ["withdrawal.accepted", "withdrawal.held_for_review", "withdrawal.rejected"]
        )
        for (const { destination, txHash } of all) assert.deepStrictEqual([destination, txHash], ["****2345", null])
      })
    )

    it.effect("sends no message about a deposit before the deposit is credited", () =>
      Effect.gen(function* () {
        const { confirm, detect, offer } = yield* Changes.deposits
        const userId = yield* subscriber("cid")
        const depositId = depositIdOf("TRON", "0xcid", 0)
        yield* detect(World.seen("0xcid", { userId }))
        yield* confirm(depositId, null)
        yield* offer(depositId)
        assert.deepStrictEqual(yield* messagesOf(userId), [])
        yield* World.recorded(userId, World.deposited("0xcid"))
        const { detectedAtMillis } = yield* World.deposit("0xcid")
        const credited: WebhookMessage = {
          userId,
          event: "deposit.credited",
          subjectId: depositId,
          method: "TRON",
          amount: 50_000_000n,
          fee: null,
          destination: null,
          txHash: "0xcid",
          createdAtMillis: detectedAtMillis,
          creditedAtMillis: 8_000,
          atMillis: 8_000
        }
        assert.deepStrictEqual(yield* messagesOf(userId), [credited])
        yield* World.recorded(userId, World.reversed("0xcid"))
        yield* World.deposit("0xcid")
        assert.deepStrictEqual(yield* messagesOf(userId), [{ ...credited, event: "deposit.reversed", atMillis: 9_000 }])
      })
    )

    it.effect("sends only the events to which the endpoint is subscribed", () =>
      Effect.gen(function* () {
        const userId = yield* subscriber("dan", ["deposit.credited", "withdrawal.settled"])
        yield* World.recorded(userId, World.accepted("dan-1"))
        yield* World.withdrawal("dan-1")
        assert.deepStrictEqual(yield* messagesOf(userId), [])
      })
    )
  })

const seal = Seal.layer(Redacted.make("a key of the treasury's tests, 32 and more"))
suite(
  "messages in memory",
  Layer.mergeAll(Webhooks.layerMemory, BankAccounts.layerMemory).pipe(Layer.provideMerge(World.inMemory))
)
const onPostgres = Layer.mergeAll(Webhooks.layer, BankAccounts.layer).pipe(
  Layer.provide(seal),
  Layer.provideMerge(World.onPostgres)
)
suite("messages on Postgres", onPostgres)

layer(onPostgres, { timeout: "60 seconds" })("the database", (it) => {
  it.effect("sends no message for a step that was rolled back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { submit } = yield* Changes.withdrawals
      const userId = yield* subscriber("eve", ["withdrawal.submitted"])
      yield* World.recorded(userId, World.accepted("eve-1"))
      const open = yield* World.withdrawal("eve-1")
      const cut = Effect.andThen(submit(open, 7), Effect.fail("cut"))
      assert.strictEqual(yield* Effect.flip(sql.withTransaction(cut)), "cut")
      assert.deepStrictEqual(yield* messagesOf(userId), [])
      assert.lengthOf(yield* sql`select 1 from webhook_message`, 0)
      assert.isTrue(yield* submit(open, 8))
      assert.lengthOf(yield* messagesOf(userId), 1)
    })
  )
})
