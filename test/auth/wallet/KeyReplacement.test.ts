/** Test of a builder key that is replaced repeatedly, checked on two nodes. */
import { Hmac } from "@venue/auth/access/Hmac"
import { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Nonces } from "@venue/storage/access/Nonces"
import { Revocations } from "@venue/storage/access/Revocations"
import { Seal } from "@venue/postgres/Seal"
import { Users } from "@venue/storage/access/Users"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { freshDatabase } from "../../Postgres.ts"

const node = (url: Effect.Success<typeof freshDatabase>) =>
  Layer.build(
    Hmac.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(ApiKeys.layer, Nonces.layer)),
      Layer.provideMerge(Layer.mergeAll(Users.layer, Revocations.layer)),
      Layer.provide(Seal.layer(Redacted.make("a secret key for tests, and for nothing else"))),
      Layer.provide(PgClient.layer({ url, maxConnections: 4 })),
      Layer.fresh
    )
  )

const isGood = Effect.fnUntraced(function* ({ verify }: Hmac["Service"], publicKey: string) {
  const nonce = randomBytes(8).toString("hex")
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const signature = createHmac("sha256", `secret of ${publicKey}`).update(`${nonce}:${timestamp}`).digest("hex")
  return yield* Effect.isSuccess(verify({ publicKey, nonce, timestamp, signature }, ""))
})

it.live(
  "I40: after each replacement, both nodes accept the new key immediately and reject the old key within a second",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const here = yield* node(url)
      const there = yield* node(url)
      const [hmac, other] = [Context.get(here, Hmac), Context.get(there, Hmac)]
      const keys = Context.get(here, ApiKeys)
      for (const userId of ["client", "builder"])
        yield* Context.get(here, Users).create({ userId: UserId.make(userId), name: userId })
      for (let round = 0; round < 10; round++) {
        const publicKey = `svc_test_pub_${String(round).padStart(32, "0")}`
        const secret = Redacted.make(`secret of ${publicKey}`)
        const key = {
          publicKey,
          secret,
          userId: UserId.make("client"),
          label: "builder-acme",
          builderUserId: UserId.make("builder")
        }
        const replaced = yield* keys.replaceBuilderKey(key)
        assert.isTrue(yield* isGood(hmac, publicKey))
        assert.isTrue(yield* isGood(other, publicKey))
        assert.strictEqual(Option.isSome(replaced), round > 0)
        if (Option.isNone(replaced)) continue
        hmac.forget(replaced.value)
        assert.isFalse(yield* isGood(hmac, replaced.value))
        yield* Effect.timeout(Effect.repeat(isGood(other, replaced.value), { while: (good) => good }), "1 minute")
      }
    }).pipe(Effect.scoped),
  900_000
)
