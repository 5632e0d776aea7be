import * as CaptchaRule from "@venue/auth/wallet/CaptchaRule"
import { SignInAttempts } from "@venue/storage/access/SignInAttempts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

layer(SignInAttempts.layerMemory)("CaptchaRule", (it) => {
  it.effect("always asks and never asks, whatever happened", () =>
    Effect.gen(function* () {
      for (const [setting, asked] of [
        ["always", true],
        ["never", false]
      ] as const) {
        const rule = yield* CaptchaRule.make(setting)
        assert.strictEqual(yield* rule.begin("a"), asked)
        yield* Effect.replicateEffect(rule.fail("a"), 20)
        assert.strictEqual(yield* rule.begin("a"), asked)
      }
    })
  )

  it.effect("at risk, a network is asked after its third failure at whatever node, and no other network is", () =>
    Effect.gen(function* () {
      const nodes = [yield* CaptchaRule.make("risk"), yield* CaptchaRule.make("risk")]
      const asked = yield* Effect.forEach([0, 1, 0, 1], (node) =>
        Effect.tap(nodes[node]!.begin("b"), () => nodes[node]!.fail("b"))
      )
      assert.deepStrictEqual(asked, [false, false, false, true])
      assert.isFalse(yield* nodes[0]!.begin("c"))
    })
  )

  it.effect("at risk, a network is asked from its eleventh sign-in, though none of them is over yet", () =>
    Effect.gen(function* () {
      const rule = yield* CaptchaRule.make("risk")
      const asked = yield* Effect.replicateEffect(rule.begin("d"), 11)
      assert.deepStrictEqual(asked, [...Array.from({ length: 10 }, () => false), true])
    })
  )

  it.effect("fifteen minutes after its first a network starts anew, not a moment earlier", () =>
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
