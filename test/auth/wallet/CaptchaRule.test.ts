import * as CaptchaRule from "@venue/auth/wallet/CaptchaRule"
import { SignInAttempts } from "@venue/storage/access/SignInAttempts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

layer(SignInAttempts.layerMemory)("CaptchaRule", (it) => {
  it.effect("requires a CAPTCHA always or never as configured, whatever the counts", () =>
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
    "at risk: requires a CAPTCHA after a network's third failure on any node, but not from other networks",
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

  it.effect("at risk: requires a CAPTCHA from a network's eleventh concurrent sign-in onwards", () =>
    Effect.gen(function* () {
      const rule = yield* CaptchaRule.make("risk")
      const required = yield* Effect.replicateEffect(rule.begin("d"), 11)
      assert.deepStrictEqual(required, [...Array.from({ length: 10 }, () => false), true])
    })
  )

  it.effect("resets a network's counts exactly fifteen minutes after its first attempt", () =>
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
