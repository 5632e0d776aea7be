import * as Scope from "@venue/auth/oauth/Scope"
import { assert, describe, it } from "@effect/vitest"

describe("Scope", () => {
  it("what is asked for is read once each, in its order, and none at all means email", () => {
    assert.deepStrictEqual(Scope.read("profile openid profile"), ["profile", "openid"])
    assert.deepStrictEqual(Scope.read(Scope.scopes.join(" ")), [...Scope.scopes])
    assert.deepStrictEqual(Scope.read(undefined), ["email"])
  })

  it("an unknown scope is no scope", () => {
    for (const text of [
      "",
      "trade",
      "openid trade",
      "OPENID",
      "openid  email",
      " openid",
      "openid,email",
      "openid\t"
    ]) {
      assert.isUndefined(Scope.read(text), JSON.stringify(text))
    }
  })

  it("a grant covers its own scopes and fewer, and no others", () => {
    assert.isTrue(Scope.covers(["email", "openid"], ["openid"]))
    assert.isTrue(Scope.covers(["email", "openid"], Scope.list(Scope.print(["openid", "email"]))))
    assert.isFalse(Scope.covers(["email", "openid"], ["openid", "profile"]))
    assert.isFalse(Scope.covers([], ["openid"]))
  })
})
