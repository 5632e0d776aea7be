import { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { postgresLayer } from "../Postgres.ts"

const suite = (name: string, services: Layer.Layer<Audit | Transaction | Users, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    const isThere = (userId: UserId) =>
      Effect.gen(function* () {
        return Option.isSome(yield* (yield* Users).find(userId))
      })
    const create = (userId: UserId) => Effect.flatMap(Users, (users) => users.create({ userId, name: userId }))
    const record = (userId: UserId) =>
      Effect.flatMap(Audit, (audit) =>
        audit.record({ action: "tried", actor: userId, subject: userId, facts: { n: 1 } })
      )

    it.effect("rolls back all changes of a failed transaction", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const refused = yield* Effect.flip(
          run(
            Effect.andThen(
              Effect.andThen(create(UserId.make("amy")), record(UserId.make("amy"))),
              Effect.fail("refused" as const)
            )
          )
        )
        assert.strictEqual(refused, "refused")
        assert.isFalse(yield* isThere(UserId.make("amy")))
        assert.deepStrictEqual(yield* (yield* Audit).about("amy"), [])
      })
    )

    it.effect("keeps all changes of a successful transaction", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        yield* run(Effect.andThen(create(UserId.make("ben")), record(UserId.make("ben"))))
        assert.isTrue(yield* isThere(UserId.make("ben")))
        const [deed] = yield* (yield* Audit).about("ben")
        assert.deepInclude(deed, { action: "tried", actor: "ben", subject: "ben", facts: { n: 1 } })
      })
    )

    it.effect(
      "if a nested transaction fails and its caller handles the failure, rolls back only the nested transaction",
      () =>
        Effect.gen(function* () {
          const { run } = yield* Transaction
          yield* run(
            Effect.gen(function* () {
              yield* create(UserId.make("cat"))
              yield* Effect.ignore(run(Effect.andThen(create(UserId.make("dan")), Effect.fail("no"))))
            })
          )
          assert.isTrue(yield* isThere(UserId.make("cat")))
          assert.isFalse(yield* isThere(UserId.make("dan")))
        })
    )

    it.effect("rolls back a transaction on a defect and on an interruption", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        yield* Effect.exit(run(Effect.andThen(create(UserId.make("eve")), Effect.die("bug"))))
        yield* Effect.exit(run(Effect.andThen(create(UserId.make("fay")), Effect.interrupt)))
        assert.isFalse(yield* isThere(UserId.make("eve")))
        assert.isFalse(yield* isThere(UserId.make("fay")))
      })
    )

    it.effect("allows only one transaction at a time to lock a user", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const users = yield* Users
        yield* create(UserId.make("gus"))
        const order: Array<string> = []
        const turn = (name: string) =>
          run(
            Effect.gen(function* () {
              yield* users.lock(UserId.make("gus"))
              order.push(`${name} in`)
              yield* users.find(UserId.make("gus"))
              order.push(`${name} out`)
            })
          )
        yield* Effect.all([turn("a"), turn("b"), turn("c")], { concurrency: "unbounded" })
        assert.strictEqual(order.length, 6)
        for (let at = 0; at < 6; at += 2) {
          assert.strictEqual(order[at]!.replace("in", "out"), order[at + 1])
        }
        const unknown = yield* Effect.flip(users.lock(UserId.make("nobody")))
        assert.strictEqual(unknown._tag, "UnknownUser")
      })
    )
  })

suite("transactions in memory", Layer.mergeAll(Audit.layerMemory, Transaction.layerMemory, Users.layerMemory))
suite(
  "transactions on Postgres",
  Layer.mergeAll(Audit.layer, Transaction.layer, Users.layer).pipe(Layer.provide(postgresLayer))
)
