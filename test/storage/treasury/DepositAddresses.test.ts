import { UserId } from "@venue/domain/UserId"
import { Users } from "@venue/storage/access/Users"
import { DepositAddresses, maxDepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const addressAt = (index: number) => `address ${index}`

const users = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const ids = names.map((name) => UserId.make(name))
  for (const userId of ids) yield* (yield* Users).create({ userId, name: userId })
  return ids as [UserId, UserId]
})

const suite = (name: string, services: Layer.Layer<DepositAddresses | Users, unknown>) => {
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("creates one deposit address per user under concurrent requests, with consecutive indexes", () =>
      Effect.gen(function* () {
        const addresses = yield* DepositAddresses
        const [amy, ben] = yield* users("amy", "ben")
        yield* TestClock.adjust(7)
        const provided = yield* Effect.forEach(
          Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? amy : ben)),
          (userId) => addresses.provide(userId, "ARBITRUM_ONE", addressAt),
          { concurrency: "unbounded" }
        )
        const made = yield* addresses.after("ARBITRUM_ONE", -1, 10)
        assert.deepStrictEqual(
          made.map(({ createdAtMillis, index }) => [index, createdAtMillis]),
          [
            [0, 7],
            [1, 7]
          ]
        )
        for (const row of provided) assert.deepInclude(made, row)
        assert.deepStrictEqual(new Set(provided.map(({ address }) => address)), new Set(["address 0", "address 1"]))
        assert.strictEqual((yield* addresses.provide(amy, "TRON", addressAt)).index, 0)
      })
    )

    it.effect(
      "returns the newest deposit address after a rotation, and still maps earlier addresses to their owner",
      () =>
        Effect.gen(function* () {
          const addresses = yield* DepositAddresses
          const [cid] = yield* users("cid")
          const first = yield* addresses.provide(cid, "TRON", addressAt)
          const rotated = yield* Effect.all(
            [addresses.rotate(cid, "TRON", addressAt), addresses.rotate(cid, "TRON", addressAt)],
            { concurrency: "unbounded" }
          )
          const shown = yield* addresses.provide(cid, "TRON", addressAt)
          assert.strictEqual(new Set([first, ...rotated].map(({ index }) => index)).size, 3)
          assert.strictEqual(shown.index, first.index + 2)
          const addressesOf = [first.address, "address 77", shown.address]
          assert.deepStrictEqual(yield* addresses.owned("TRON", addressesOf), [first, shown])
          assert.deepStrictEqual(yield* addresses.owned("TRON", []), [])
          assert.deepStrictEqual(
            (yield* addresses.after("TRON", first.index, 1)).map(({ index }) => index),
            [first.index + 1]
          )
        })
    )

    it.effect("refuses a new deposit address if the user has reached the limit for the network", () =>
      Effect.gen(function* () {
        const addresses = yield* DepositAddresses
        const [dan] = yield* users("dan")
        for (let made = 0; made < maxDepositAddresses; made++) yield* addresses.rotate(dan, "ARBITRUM_ONE", addressAt)
        const refused = yield* Effect.flip(addresses.rotate(dan, "ARBITRUM_ONE", addressAt))
        assert.strictEqual(refused._tag, "TooManyDepositAddresses")
        const last = yield* addresses.provide(dan, "ARBITRUM_ONE", addressAt)
        const [eve] = yield* users("eve")
        assert.strictEqual((yield* addresses.provide(eve, "ARBITRUM_ONE", addressAt)).index, last.index + 1)
      })
    )
  })
}

suite("deposit addresses in memory", Layer.merge(DepositAddresses.layerMemory, Users.layerMemory))
suite(
  "deposit addresses on Postgres",
  Layer.merge(DepositAddresses.layer, Users.layer).pipe(Layer.provide(postgresLayer))
)
