import type { BuilderTerms } from "@venue/auth/wallet/BuilderMessage"
import { BuilderRegistration } from "@venue/auth/wallet/BuilderRegistration"
import { UserId } from "@venue/domain/UserId"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { LegalAcceptances } from "@venue/storage/access/LegalAcceptances"
import { Profiles } from "@venue/storage/access/Profiles"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  inMemory,
  message,
  onPostgres,
  refused,
  register,
  registration,
  scene,
  type Stored,
  terms,
  unchanged
} from "./BuilderScene.ts"
import { signInMessage, wallet } from "./Wallets.ts"

const suite = (name: string, services: Layer.Layer<Stored, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    it.effect("B1: writes a different message on each call, for any address and builder code", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const first = yield* message(builder, owner.address.toLowerCase())
        const second = yield* message(builder, owner.address)
        assert.notStrictEqual(first, second)
        assert.strictEqual(first.split("\n")[1], owner.address)
        const service = yield* BuilderRegistration
        const unknown = "0B9F0F5E-58F4-4E0B-9A53-7C1F6B6A1D20"
        assert.include(yield* service.message(owner.address, unknown), unknown.toLowerCase())
      })
    )

    it.effect("B1: rejects an invalid address or builder code, and states which of them is invalid", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const service = yield* BuilderRegistration
        for (const address of ["", "0x", owner.address.slice(2), `${owner.address}0`, `0x${"0".repeat(40)}`]) {
          assert.strictEqual((yield* Effect.flip(service.message(address, builder.builderCode))).member, "address")
        }
        for (const code of ["", "carol", builder.builderCode.slice(1), `${builder.builderCode}\n`]) {
          assert.strictEqual((yield* Effect.flip(service.message(owner.address, code))).member, "builder_code")
        }
      })
    )

    it.effect("B3: accepts a builder only with a username and an active builder code", () =>
      Effect.gen(function* () {
        const { builder } = yield* scene
        const service = yield* BuilderRegistration
        assert.deepStrictEqual(yield* service.builder(builder.userId), builder)
        yield* (yield* BuilderCodes).setActive(builder.builderCode, false)
        assert.strictEqual((yield* Effect.flip(service.builder(builder.userId)))._tag, "NoActiveBuilderCode")
        assert.strictEqual((yield* Effect.flip(service.builder(UserId.make("nobody"))))._tag, "NoActiveBuilderCode")
        yield* (yield* BuilderCodes).setActive(builder.builderCode, true)
        yield* (yield* Profiles).change(builder.userId, { username: null })
        assert.strictEqual((yield* Effect.flip(service.builder(builder.userId)))._tag, "BuilderUnnamed")
      })
    )

    it.effect("B5: accepts a message once, even under ten concurrent requests", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const text = yield* message(builder, owner.address)
        const signature = owner.sign(text)
        const answers = yield* Effect.forEach(
          Array.from({ length: 10 }),
          () => Effect.result(register(builder, text, signature)),
          { concurrency: "unbounded" }
        )
        const won = answers.filter(Result.isSuccess)
        assert.lengthOf(won, 1)
        for (const lost of answers.filter(Result.isFailure)) {
          assert.strictEqual(lost.failure._tag, "WalletAuthenticationFailed")
        }
        // A v of 0 or 1 encodes the same signature as a v of 27 or 28.
        const reencoded = signature.slice(0, -2) + (signature.endsWith("1b") ? "00" : "01")
        assert.strictEqual(yield* refused(builder, text, reencoded), "WalletAuthenticationFailed")
        const { userId } = won[0]!.success
        assert.lengthOf(yield* (yield* LegalAcceptances).ofUser(userId), 1)
      })
    )

    it.effect(
      "B5: accepts a message for ten minutes, and rejects a message that is dated more than five seconds ahead",
      () =>
        Effect.gen(function* () {
          const { builder, owner } = yield* scene
          const issued = yield* Clock.currentTimeMillis
          const late = yield* message(builder, owner.address)
          const last = yield* message(builder, owner.address)
          yield* TestClock.setTime(issued + 599_999)
          yield* register(builder, last, owner.sign(last))
          yield* TestClock.setTime(issued + 600_000)
          assert.strictEqual(yield* refused(builder, late, owner.sign(late)), "WalletAuthenticationFailed")
          yield* TestClock.setTime(issued + 1_000_000)
          const ahead = yield* message(builder, owner.address)
          yield* TestClock.setTime(issued + 1_000_000 - 5_001)
          assert.strictEqual(yield* refused(builder, ahead, owner.sign(ahead)), "WalletAuthenticationFailed")
          yield* TestClock.setTime(issued + 1_000_000 - 5_000)
          yield* register(builder, ahead, owner.sign(ahead))
        })
    )

    it.effect(
      "B5, B11: accepts a message in another process with the same settings, but not with other terms or another key",
      () =>
        Effect.gen(function* () {
          const { builder, owner } = yield* scene
          const text = yield* message(builder, owner.address)
          const elsewhere = (changes: Partial<BuilderTerms>) =>
            register(builder, text, owner.sign(text)).pipe(
              Effect.provide(registration(changes)),
              Effect.result,
              Effect.map((answer) => (Result.isSuccess(answer) ? "issued" : answer.failure._tag))
            )
          const otherKey = { macKey: Redacted.make("mac-key-of-the-builder-messages-2") }
          const otherSite = { uri: "https://app.pre.example/login" }
          assert.strictEqual(yield* elsewhere(otherKey), "WalletAuthenticationFailed")
          assert.strictEqual(yield* elsewhere(otherSite), "WalletAuthenticationFailed")
          assert.strictEqual(yield* elsewhere({ ...otherSite, ...otherKey }), "WalletAuthenticationFailed")
          assert.strictEqual(yield* elsewhere({}), "issued")
        })
    )

    it.effect("B3, B4: rejects an altered message that the wallet signed, and changes nothing", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const text = yield* message(builder, owner.address)
        const { builderCode } = builder
        const altered: ReadonlyArray<readonly [text: string, tag: string]> = [
          [text.replace(builderCode, builderCode.replace(/.$/, "f")), "MalformedBuilderMessage"],
          [text.replace(builderCode, "carol"), "MalformedBuilderMessage"],
          [text.replace("Chain ID: 1", "Chain ID: 10"), "MalformedBuilderMessage"],
          [text.replace(terms.agreementUrl, "https://venue.example/legal/other"), "MalformedBuilderMessage"],
          [
            text.replace(", and I accept the Client Agreement", ", and I read the Client Agreement"),
            "MalformedBuilderMessage"
          ],
          [text.replace(/\nExpiration Time: .*$/, ""), "MalformedBuilderMessage"],
          [`${text}\nRequest ID: 1`, "MalformedBuilderMessage"],
          [`${text}\n`, "MalformedBuilderMessage"],
          [signInMessage({ address: owner.address }), "MalformedBuilderMessage"],
          [text.replace("app.venue.example wants", "app.other.example wants"), "WalletAuthenticationFailed"],
          [text.replace(`URI: ${terms.uri}`, "URI: https://app.other.example/login"), "WalletAuthenticationFailed"],
          [
            text.replace(/Nonce: ./, (nonce) => `${nonce.slice(0, -1)}${nonce.endsWith("0") ? "1" : "0"}`),
            "WalletAuthenticationFailed"
          ],
          [text.replace(/Nonce: \w+/, `Nonce: ${"ab".repeat(32)}`), "WalletAuthenticationFailed"],
          [text.replace(/Expiration Time: \d{4}/, "Expiration Time: 2099"), "WalletAuthenticationFailed"]
        ]
        for (const [other, tag] of altered) {
          assert.notStrictEqual(other, text)
          assert.strictEqual(yield* refused(builder, other, owner.sign(other)), tag, other)
        }
        yield* unchanged(builder, owner, text)
      })
    )

    it.effect(
      "B9: rejects a signature by another wallet, of another text or in another form, and changes nothing",
      () =>
        Effect.gen(function* () {
          const { builder, owner } = yield* scene
          const text = yield* message(builder, owner.address)
          const good = owner.sign(text)
          const forged = [
            wallet(250).sign(text),
            owner.sign(`${text} `),
            good.replace(/.$/, "d"),
            `0x${"0".repeat(130)}`,
            `0x${"f".repeat(130)}`,
            good.slice(0, -2),
            good.slice(2),
            ""
          ]
          for (const signature of forged) {
            assert.strictEqual(yield* refused(builder, text, signature), "WalletAuthenticationFailed")
          }
          yield* unchanged(builder, owner, text)
        })
    )

    it.effect("B3: rejects a message for another builder", () =>
      Effect.gen(function* () {
        const { builder, owner } = yield* scene
        const { builder: other } = yield* scene
        const text = yield* message(builder, owner.address)
        assert.strictEqual(yield* refused(other, text, owner.sign(text)), "MalformedBuilderMessage")
        yield* unchanged(builder, owner, text)
      })
    )
  })

suite("builder registration in memory", inMemory)
suite("builder registration on Postgres", onPostgres)
