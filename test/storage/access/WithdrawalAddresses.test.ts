import { UserId } from "@venue/domain/UserId"
import { Users } from "@venue/storage/access/Users"
import {
  maxWithdrawalAddresses,
  type NewWithdrawalAddress,
  WithdrawalAddresses
} from "@venue/storage/access/WithdrawalAddresses"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

let made = 0

/** Creates a user, and returns a new address for that user. */
const addressOf = Effect.fnUntraced(function* (name: string): Effect.fn.Return<NewWithdrawalAddress, unknown, Users> {
  const userId = UserId.make(name)
  yield* (yield* Users).create({ userId, name })
  const addressId = `address ${++made}`
  return { addressId, userId, network: "ARBITRUM_ONE", address: "0xAbCd", label: "my wallet", verified: false }
})

const suite = (name: string, services: Layer.Layer<Users | WithdrawalAddresses, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("B7: stores an address once per network, regardless of letter case", () =>
      Effect.gen(function* () {
        const addresses = yield* WithdrawalAddresses
        const mine = yield* addressOf("amy")
        const { userId } = mine
        assert.deepStrictEqual(yield* addresses.add(mine), { address: { ...mine, createdAtMillis: 0 }, isNew: true })
        yield* TestClock.adjust(1)
        const again = yield* Effect.forEach(
          ["0xabcd", "0xABCD", "0xAbCd"],
          (address) => addresses.add({ ...mine, addressId: `other ${address}`, address, label: null }),
          { concurrency: "unbounded" }
        )
        for (const one of again) assert.deepStrictEqual(one, { address: { ...mine, createdAtMillis: 0 }, isNew: false })
        yield* addresses.add(yield* addressOf("ben"))
        yield* addresses.add({ ...mine, addressId: "on TRON", network: "TRON", label: null })
        const [first, second, ...others] = yield* addresses.ofUser(userId)
        assert.deepStrictEqual(first, { ...mine, createdAtMillis: 0 })
        assert.deepInclude(second, { network: "TRON", label: null })
        assert.lengthOf(others, 0)
        assert.lengthOf(yield* addresses.ofUser(UserId.make("ben")), 1)
        assert.deepStrictEqual(yield* addresses.ofUser(UserId.make("\0")), [])
      })
    )

    it.effect("an address that its wallet has verified stays verified when it is added again without a signature", () =>
      Effect.gen(function* () {
        const addresses = yield* WithdrawalAddresses
        const mine = yield* addressOf("cid")
        yield* addresses.add(mine)
        const verified = yield* addresses.add({ ...mine, addressId: "signed", verified: true })
        assert.deepInclude(verified.address, { addressId: mine.addressId, verified: true })
        assert.isTrue((yield* addresses.add(mine)).address.verified)
      })
    )

    it.effect("only the user who owns an address can remove it, and a removed address can be added again", () =>
      Effect.gen(function* () {
        const addresses = yield* WithdrawalAddresses
        const mine = yield* addressOf("dan")
        yield* addresses.add(mine)
        assert.isFalse(yield* addresses.remove(UserId.make("ben"), mine.addressId))
        assert.lengthOf(yield* addresses.ofUser(mine.userId), 1)
        assert.isTrue(yield* addresses.remove(mine.userId, mine.addressId))
        assert.isFalse(yield* addresses.remove(mine.userId, mine.addressId))
        assert.deepStrictEqual(yield* addresses.ofUser(mine.userId), [])
        assert.isTrue((yield* addresses.add({ ...mine, addressId: "anew" })).isNew)
      })
    )

    it.effect("limits the number of a user's addresses, but accepts a verified address beyond the limit", () =>
      Effect.gen(function* () {
        const addresses = yield* WithdrawalAddresses
        const mine = yield* addressOf("eve")
        const numbered = (at: number) => ({ ...mine, addressId: `${mine.addressId} ${at}`, address: `0x${at}` })
        const tried = yield* Effect.forEach(
          Array.from({ length: maxWithdrawalAddresses + 5 }, (_, at) => numbered(at)),
          (address) => Effect.result(addresses.add(address)),
          { concurrency: "unbounded" }
        )
        const refused = tried.filter(({ _tag }) => _tag === "Failure")
        assert.lengthOf(refused, 5)
        const [known] = yield* addresses.ofUser(mine.userId)
        assert.isFalse((yield* addresses.add({ ...known!, addressId: "again" })).isNew)
        yield* addresses.add({ ...mine, address: "0xsigned", verified: true })
        assert.lengthOf(yield* addresses.ofUser(mine.userId), maxWithdrawalAddresses + 1)
      })
    )
  })

suite("withdrawal addresses in memory", Layer.merge(WithdrawalAddresses.layerMemory, Users.layerMemory))
suite(
  "withdrawal addresses on Postgres",
  Layer.merge(WithdrawalAddresses.layer, Users.layer).pipe(Layer.provide(postgresLayer))
)
