import * as CaptchaRule from "@venue/auth/wallet/CaptchaRule"
import { SignInAttempts } from "@venue/storage/access/SignInAttempts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

layer(SignInAttempts.layerMemory)("CaptchaRule", (it) => {
  it.effect(
    "in the modes always and never, the number of failed sign-ins does not affect whether a CAPTCHA is required",
    () =>
      Effect.gen(function* () {
        for (const [setting, isRequired] of [
          ["always", true],
          ["never", false]
        ] as const) {
          const rule = yield* CaptchaRule.make(setting)
          assert.strictEqual(yield* rule.begin("a"), isRequired)
          yield* Effect.replicateEffect(rule.fail("a"), 20)
          assert.strictEqual(yield* rule.begin("a"), isRequired)
        }
      })
  )

  it.effect(
    "in the mode risk, requires a CAPTCHA from a network that has failed three times, even on different nodes",
    () =>
      Effect.gen(function* () {
        const nodes = [yield* CaptchaRule.make("risk"), yield* CaptchaRule.make("risk")]
        const required = yield* Effect.forEach([0, 1, 0, 1], (node) =>
          Effect.tap(nodes[node]!.begin("b"), () => nodes[node]!.fail("b"))
        )
        assert.deepStrictEqual(required, [false, false, false, true])
        assert.isFalse(yield* nodes[0]!.begin("c"))
      })
  )

  it.effect("in the mode risk, requires a CAPTCHA for the eleventh of a network's concurrent sign-ins", () =>
    Effect.gen(function* () {
      const rule = yield* CaptchaRule.make("risk")
      const required = yield* Effect.replicateEffect(rule.begin("d"), 11)
      assert.deepStrictEqual(required, [...Array.from({ length: 10 }, () => false), true])
    })
  )

  it.effect("resets a network's sign-in counts exactly fifteen minutes after the network's first attempt", () =>
    Effect.gen(function* () {
      const rule = yield* CaptchaRule.make("risk")
      yield* rule.fail("e")
      yield* TestClock.adjust(1)
      yield* Effect.replicateEffect(rule.fail("e"), 2)
      yield* TestClock.adjust(15 * 60 * 1_000 - 2)
      assert.isTrue(yield* rule.begin("e"))
      yield* TestClock.adjust(1)
      assert.isFalse(yield* rule.begin("e"))
    })
  )
})
