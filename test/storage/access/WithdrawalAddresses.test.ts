import { UserId } from "@venue/domain/UserId"
import { Users } from "@venue/storage/access/Users"
import { WithdrawalAddresses } from "@venue/storage/access/WithdrawalAddresses"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const suite = (name: string, services: Layer.Layer<Users | WithdrawalAddresses, unknown>) =>
  layer(services, { timeout: "30 seconds" })(name, (it) => {
    it.effect("B7: an address is there once for each network, whatever its letter case, and keeps its data", () =>
      Effect.gen(function* () {
        const addresses = yield* WithdrawalAddresses
        for (const userId of ["amy", "ben"]) yield* (yield* Users).create({ userId: UserId.make(userId), name: userId })
        const mine = {
          userId: UserId.make("amy"),
          network: "ARBITRUM_ONE",
          address: "0xAbCd",
          label: "my wallet"
        } as const
        yield* addresses.add(mine)
        yield* TestClock.adjust(1)
        yield* Effect.forEach(
          ["0xabcd", "0xABCD", "0xAbCd"],
          (address) => addresses.add({ ...mine, address, label: "" }),
          { concurrency: "unbounded" }
        )
        yield* addresses.add({ ...mine, userId: UserId.make("ben") })
        yield* addresses.add({ ...mine, network: "TRON" })
        const [first, second, ...others] = yield* addresses.ofUser(UserId.make("amy"))
        assert.deepStrictEqual(first, { ...mine, createdAtMillis: 0 })
        assert.strictEqual(second?.network, "TRON")
        assert.lengthOf(others, 0)
        assert.lengthOf(yield* addresses.ofUser(UserId.make("ben")), 1)
        assert.deepStrictEqual(yield* addresses.ofUser(UserId.make("\0")), [])
      })
    )
  })

suite("withdrawal addresses in memory", Layer.merge(WithdrawalAddresses.layerMemory, Users.layerMemory))
suite(
  "withdrawal addresses on Postgres",
  Layer.merge(WithdrawalAddresses.layer, Users.layer).pipe(Layer.provide(postgresLayer))
)
