import * as IdToken from "@venue/auth/oauth/IdToken"
import { UserId } from "@venue/domain/UserId"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"

const nobody = { avatarUrl: null, username: null }
const somebody = { avatarUrl: "https://rp.example/me.png", username: "amy" }

const signIn = {
  issuer: "https://auth.venue.example/auth/v1",
  clientId: "an application",
  user: { sub: "a user" },
  nonce: null,
  provenAtSeconds: 7,
  nowSeconds: 1_000,
  // Token and hash from OpenID Connect Core, appendix A.3.
  accessToken: Redacted.make("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
}

describe("IdToken", () => {
  it("T7: includes only the user's non-empty claims that the granted scopes allow", () => {
    assert.deepStrictEqual(IdToken.userClaims(UserId.make("a user"), somebody, ["openid", "email", "phone"]), {
      sub: UserId.make("a user")
    })
    assert.deepStrictEqual(IdToken.userClaims(UserId.make("a user"), nobody, ["openid", "profile"]), {
      sub: UserId.make("a user")
    })
    assert.deepStrictEqual(IdToken.userClaims(UserId.make("a user"), somebody, ["profile"]), {
      sub: UserId.make("a user"),
      name: "amy",
      preferred_username: "amy",
      picture: "https://rp.example/me.png"
    })
  })

  it("T6: issues an ID token that is valid for the application for one hour and bound to the access token", () => {
    assert.deepStrictEqual(IdToken.claims(signIn), {
      sub: "a user",
      iss: "https://auth.venue.example/auth/v1",
      aud: "an application",
      iat: 1_000,
      exp: 4_600,
      auth_time: 7,
      at_hash: "77QmUPtjPfzWtF2AnpK9RQ"
    })
  })

  it("T6: the ID token contains the request's nonce verbatim, or no nonce if the request had none", () => {
    assert.strictEqual(IdToken.claims({ ...signIn, nonce: ' a+b%20"\\' })["nonce"], ' a+b%20"\\')
    assert.notProperty(IdToken.claims(signIn), "nonce")
  })
})
