import * as Scope from "@venue/auth/oauth/Scope"
import { assert, describe, it } from "@effect/vitest"

describe("Scope", () => {
  it("returns each requested scope once and in order, or only `email` if the request names no scope", () => {
    assert.deepStrictEqual(Scope.read("profile openid profile"), ["profile", "openid"])
    assert.deepStrictEqual(Scope.read(Scope.scopes.join(" ")), [...Scope.scopes])
    assert.deepStrictEqual(Scope.read(undefined), ["email"])
  })

  it("rejects an unknown scope", () => {
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

  it("allows an application to request its granted scopes or a subset of them, and no other scope", () => {
    assert.isTrue(Scope.covers(["email", "openid"], ["openid"]))
    assert.isTrue(Scope.covers(["email", "openid"], Scope.list(Scope.print(["openid", "email"]))))
    assert.isFalse(Scope.covers(["email", "openid"], ["openid", "profile"]))
    assert.isFalse(Scope.covers([], ["openid"]))
  })
})
