import * as CaptchaRule from "@venue/auth/wallet/CaptchaRule"
import { assert, describe, it } from "@effect/vitest"

const windowMillis = 15 * 60 * 1000

const times = <A>(count: number, make: (at: number) => A) => Array.from({ length: count }, (_, at) => make(at))

describe("CaptchaRule", () => {
  it("always asks and never asks, whatever happened", () => {
    for (const [setting, asked] of [
      ["always", true],
      ["never", false]
    ] as const) {
      const rule = CaptchaRule.make(setting)
      assert.strictEqual(rule.begin("a", 0), asked)
      for (const at of times(20, (at) => at)) rule.fail("a", at)
      assert.strictEqual(rule.begin("a", 20), asked)
    }
  })

  it("at risk, an address is asked after its third failure, and no other address is", () => {
    const rule = CaptchaRule.make("risk")
    const asked = times(4, (at) => {
      const isAsked = rule.begin("a", at)
      rule.fail("a", at)
      return isAsked
    })
    assert.deepStrictEqual(asked, [false, false, false, true])
    assert.isFalse(rule.begin("b", 4))
  })

  it("at risk, an address is asked from its eleventh sign-in, though none of them is over yet", () => {
    const rule = CaptchaRule.make("risk")
    const asked = times(11, () => rule.begin("a", 0))
    assert.deepStrictEqual(asked, [...times(10, () => false), true])
  })

  it("fifteen minutes after its first an address starts anew, not a moment earlier", () => {
    const rule = CaptchaRule.make("risk")
    for (const at of [1, 2, windowMillis - 2]) rule.fail("a", at)
    assert.isTrue(rule.begin("a", windowMillis))
    assert.isFalse(rule.begin("a", windowMillis + 1))
  })

  it("it remembers 20,000 addresses, and forgets those it saw longest ago", () => {
    const rule = CaptchaRule.make("risk")
    const failed = (address: string) => times(3, () => rule.fail(address, 0))
    failed("old")
    failed("seen again")
    for (const other of times(19_998, String)) rule.begin(other, 1)
    assert.isTrue(rule.begin("seen again", 2))
    rule.begin("one more", 3)
    assert.isTrue(rule.begin("seen again", 4))
    assert.isFalse(rule.begin("old", 5))
  })
})
