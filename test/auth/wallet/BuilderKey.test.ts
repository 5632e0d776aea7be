import { type IssuedKey } from "@venue/auth/wallet/BuilderRegistration"
import { Hmac } from "@venue/auth/access/Hmac"
import { eligibility, UserEligibility } from "@venue/auth/access/Eligibility"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Identities } from "@venue/storage/access/Identities"
import { LegalAcceptances } from "@venue/storage/access/LegalAcceptances"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { WithdrawalAddresses } from "@venue/storage/access/WithdrawalAddresses"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { createHash, createHmac, randomBytes } from "node:crypto"
import {
  inMemory,
  message,
  onPostgres,
  refused,
  register,
  registered,
  registration,
  scene,
  type Stored,
  terms
} from "./BuilderScene.ts"

/** Returns the user of a request signed with the key, or the reason for the rejection. */
const outcome = Effect.fnUntraced(function* ({ publicKey, secretKey }: IssuedKey) {
  const { verify } = yield* Hmac
  const nonce = randomBytes(8).toString("hex")
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const signature = createHmac("sha256", Redacted.value(secretKey)).update(`${nonce}:${timestamp}`).digest("hex")
  return yield* verify({ publicKey, nonce, timestamp, signature }, "").pipe(
    Effect.map(({ userId }) => userId),
    Effect.catchTag("Unauthenticated", ({ reason }) => Effect.succeed(reason))
  )
})

const suite = (name: string, services: Layer.Layer<Stored, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    it.effect("B2: creates a user, an account, a key for that account and a withdrawal address for a new wallet", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const text = yield* message(builder, owner.address)
        const { publicKey, secretKey, userId } = yield* register(builder, text, owner.sign(text))
        assert.match(publicKey, /^svc_test_pub_[0-9a-f]{32}$/)
        assert.match(Redacted.value(secretKey), /^svc_test_secret_[0-9a-f]{64}$/)
        const key = Option.getOrThrow(yield* (yield* ApiKeys).find(publicKey))
        assert.deepInclude(
          { ...key, secret: Redacted.value(key.secret), permissions: [...key.permissions].sort() },
          {
            userId,
            label: `builder-${builder.username}`,
            builderUserId: builder.userId,
            scope: userId,
            secret: Redacted.value(secretKey),
            permissions: ["execute_orders", "view_balance", "view_orders", "view_positions", "withdraw_registered"]
          }
        )
        assert.deepStrictEqual(yield* (yield* Users).ownerOf(primaryAccountOf(userId)), Option.some(userId))
        const [address, ...others] = yield* (yield* WithdrawalAddresses).ofUser(userId)
        assert.deepInclude(address, { network: "ARBITRUM_ONE", address: owner.address.toLowerCase() })
        assert.lengthOf(others, 0)
        assert.strictEqual((yield* (yield* UserStates).find(userId)).termsVersion, "2026-01")
      })
    )

    it.effect(
      "B8: records a legal acceptance with the message's hash for each issued key, and omits the key from listings",
      () =>
        Effect.gen(function* () {
          const { builder, owner } = yield* scene
          const text = yield* message(builder, owner.address)
          const { publicKey, userId } = yield* register(builder, text, owner.sign(text))
          const [acceptance] = yield* (yield* LegalAcceptances).ofUser(userId)
          assert.deepInclude(acceptance, {
            termsVersion: "2026-01",
            agreementUrl: terms.agreementUrl,
            builder: {
              builderCode: builder.builderCode,
              address: owner.address.toLowerCase(),
              messageHash: createHash("sha256").update(text).digest("hex")
            }
          })
          const [deed] = yield* (yield* Audit).about(userId)
          assert.deepInclude(deed, { action: "builder_key_issued", actor: builder.userId })
          assert.strictEqual(deed?.facts["publicKey"], publicKey)
          assert.deepStrictEqual(yield* (yield* ApiKeys).ofUser(userId), [])
        })
    )

    it.effect("B2: issuing a builder key records that the wallet's user has accepted the current terms", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const eligibilities = yield* UserEligibility
        const { userId } = yield* (yield* Identities).arrive({ address: owner.address.toLowerCase(), seen: null })
        assert.isNull((yield* eligibilities.of(userId)).termsVersion)
        yield* registered(builder, owner)
        assert.strictEqual((yield* eligibilities.of(userId)).termsVersion, eligibilities.requirements.termsVersion)
      })
    )

    it.effect("I47: if no verification is required, the user of a new builder key can trade immediately", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const eligibilities = yield* UserEligibility
        const { userId } = yield* registered(builder, owner)
        assert.deepStrictEqual(eligibility(yield* eligibilities.of(userId), eligibilities.requirements).missing, [])
      })
    )

    it.effect("B7: returns the same user for a known wallet, and registers its address once", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const address = owner.address.toLowerCase()
        const seen = { network: "1", domain: "app.venue.example", statement: "" }
        const { userId } = yield* (yield* Identities).arrive({ address, seen })
        const added = {
          addressId: "1",
          userId,
          network: "ARBITRUM_ONE",
          address: owner.address,
          label: "by hand"
        } as const
        yield* (yield* WithdrawalAddresses).add({ ...added, verified: false })
        assert.strictEqual((yield* registered(builder, owner)).userId, userId)
        assert.strictEqual((yield* registered(builder, owner)).userId, userId)
        const [first, ...others] = yield* (yield* WithdrawalAddresses).ofUser(userId)
        // The wallet has signed by now, so its address is verified.
        assert.deepInclude(first, { ...added, verified: true })
        assert.lengthOf(others, 0)
      })
    )

    it.effect("I40, B6: replaces the builder's own previous key for the user, and keeps other builders' keys", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { builder, owner } = yield* scene
        const { builder: other } = yield* scene
        const first = yield* registered(builder, owner)
        const others = yield* registered(other, owner)
        const second = yield* registered({ ...builder, username: "renamed" }, owner)
        assert.isTrue(Option.isNone(yield* keys.find(first.publicKey)))
        assert.isTrue(Option.isSome(yield* keys.find(others.publicKey)))
        assert.strictEqual(Option.getOrThrow(yield* keys.find(second.publicKey)).label, "builder-renamed")
      })
    )

    it.effect("B6, I40: rejects the previous key right after the response, before any announcement", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const { builder: other } = yield* scene
        const first = yield* registered(builder, owner)
        const others = yield* registered(other, owner)
        assert.deepStrictEqual([yield* outcome(first), yield* outcome(others)], [first.userId, first.userId])
        const second = yield* registered(builder, owner)
        assert.strictEqual(yield* outcome(first), "unknown_key")
        assert.deepStrictEqual([yield* outcome(second), yield* outcome(others)], [first.userId, first.userId])
      })
    )

    it.effect("I40, B12: after several messages are redeemed concurrently, exactly one key remains valid", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { builder, owner } = yield* scene
        const issued = yield* Effect.forEach(Array.from({ length: 6 }), () => registered(builder, owner), {
          concurrency: "unbounded"
        })
        const users = new Set(issued.map(({ userId }) => userId))
        assert.strictEqual(users.size, 1)
        const alive = yield* Effect.filter(issued, ({ publicKey }) => Effect.map(keys.find(publicKey), Option.isSome))
        const [latest] = yield* (yield* Audit).about([...users][0]!)
        assert.deepStrictEqual(
          alive.map(({ publicKey }) => publicKey),
          [latest?.facts["publicKey"]]
        )
      })
    )

    it.effect("B6: if the registration fails, the previous key still works and the message stays valid", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const audit = yield* Audit
        const { builder, owner } = yield* scene
        const before = yield* registered(builder, owner)
        const text = yield* message(builder, owner.address)
        const failing = Audit.of({ ...audit, record: () => Effect.fail(new DatabaseUnavailable({ cause: "a test" })) })
        const failed = yield* register(builder, text, owner.sign(text)).pipe(
          Effect.provide(registration()),
          Effect.provideService(Audit, failing),
          Effect.flip
        )
        assert.strictEqual(failed._tag, "DatabaseUnavailable")
        assert.isTrue(Option.isSome(yield* keys.find(before.publicKey)))
        assert.lengthOf(yield* (yield* LegalAcceptances).ofUser(before.userId), 1)
        const after = yield* register(builder, text, owner.sign(text))
        assert.isTrue(Option.isNone(yield* keys.find(before.publicKey)))
        assert.isTrue(Option.isSome(yield* keys.find(after.publicKey)))
      })
    )

    it.effect("B6: creates no user for a new wallet whose request is rejected", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const audit = yield* Audit
        const text = yield* message(builder, owner.address)
        const failing = Audit.of({ ...audit, record: () => Effect.fail(new DatabaseUnavailable({ cause: "a test" })) })
        yield* register(builder, text, owner.sign(text)).pipe(
          Effect.provide(registration()),
          Effect.provideService(Audit, failing),
          Effect.flip
        )
        const { isNew } = yield* (yield* Identities).arrive({ address: owner.address.toLowerCase(), seen: null })
        assert.isTrue(isNew)
      })
    )

    it.effect("rejects a frozen user with the same error as a wrong signature", () =>
      Effect.gen(function* () {
        const states = yield* UserStates
        const { builder, owner } = yield* scene
        const { publicKey, userId } = yield* registered(builder, owner)
        yield* states.freeze(userId)
        const text = yield* message(builder, owner.address)
        assert.strictEqual(yield* refused(builder, text, owner.sign(text)), "WalletAuthenticationFailed")
        assert.isTrue(Option.isSome(yield* (yield* ApiKeys).find(publicKey)))
        yield* states.unfreeze(userId)
        yield* register(builder, text, owner.sign(text))
      })
    )

    it.effect("B8: accepts the agreement that a message names even after the current terms have changed", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const before = "https://venue.example/legal/agreement-of-before"
        const previous = Layer.fresh(registration({ agreementUrl: before }))
        const text = yield* Effect.provide(message(builder, owner.address), previous)
        const statement = text
          .split("\n")[3]!
          .replace(builder.builderCode, "{builder_code}")
          .replace(terms.serviceName, "{service_name}")
          .replace(before, "{agreement_url}")
        const template = { version: "1", statement, serviceName: terms.serviceName, agreementUrl: before }
        const now = yield* Clock.currentTimeMillis
        const changed = registration({ otherTemplate: { ...template, untilMillis: now + 600_000 } })
        const { userId } = yield* Effect.provide(register(builder, text, owner.sign(text)), changed)
        const [acceptance] = yield* (yield* LegalAcceptances).ofUser(userId)
        assert.deepInclude(acceptance, { agreementUrl: before, termsVersion: null })
        assert.isNull((yield* (yield* UserStates).find(userId)).termsVersion)
      })
    )
  })

suite("builder keys in memory", inMemory)
suite("builder keys on Postgres", onPostgres)
