import { UserId } from "@venue/domain/UserId"
import { Users } from "@venue/storage/access/Users"
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { postgresLayer } from "../../Postgres.ts"

const suite = (name: string, services: Layer.Layer<Users | DepositMessages, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("creates one unique deposit message per user and payment rail, even under concurrent requests", () =>
      Effect.gen(function* () {
        const messages = yield* DepositMessages
        const [amy, ben] = [UserId.make("amy"), UserId.make("ben")]
        for (const userId of [amy, ben]) yield* (yield* Users).create({ userId, name: userId })
        const provided = yield* Effect.forEach(
          Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? amy : ben)),
          (userId) => messages.provide(userId, "wire"),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(provided.map(({ message }) => message)).size, 2)
        const others = [yield* messages.provide(amy, "ach_push"), yield* messages.provide(amy, "fednow")]
        const all = [...provided, ...others]
        assert.strictEqual(new Set(all.map(({ message }) => message)).size, 4)
        for (const row of all) {
          assert.match(row.message, /^[0-9A-Z]{12}$/)
          assert.deepStrictEqual(yield* messages.find(row.message), Option.some(row))
          assert.deepStrictEqual(yield* messages.find(row.message.toLowerCase() + " "), Option.none())
        }
      })
    )
  })

suite(
  "deposit messages in memory",
  Layer.merge(DepositMessages.layerMemory, Users.layerMemory).pipe(Layer.provide(SecureRandom.layerWebCrypto))
)
suite(
  "deposit messages on Postgres",
  Layer.merge(DepositMessages.layer, Users.layer).pipe(Layer.provide([postgresLayer, SecureRandom.layerWebCrypto]))
)
