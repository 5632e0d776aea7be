/** Tests of user onboarding and of public profiles, over real sockets. */
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { Audit } from "@venue/storage/access/Audit"
import { LegalAcceptances } from "@venue/storage/access/LegalAcceptances"
import { Profiles } from "@venue/storage/access/Profiles"
import { UserStates } from "@venue/storage/access/UserStates"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { signatureOf } from "../../providers/SignedCallback.ts"
import { ask, call, layer, RestClient } from "./RestClient.ts"

const nobodysApplication = "6f6b7c1e-35a1-4c62-9a2b-0d7a4f1a2b3c"

/** Key of the identity provider in `TestAccess`. */
const callbackKey = Redacted.make("of a venue in memory, and worth nothing elsewhere")

it.layer(layer, { excludeTestServices: true })("onboarding", (it) => {
  /** Returns a user who has only signed in. */
  const arrived = Effect.fnUntraced(function* (name: string) {
    const venue = yield* TestVenue
    const states = yield* UserStates
    const user = yield* venue.user(name)
    yield* states.setIdentity(user.userId, "none")
    yield* states.acceptTerms(user.userId, "0")
    return { user, bearer: { authorization: `Bearer ${yield* venue.token(user)}` } }
  })
  const callback = Effect.fnUntraced(function* (finding: object, key = callbackKey) {
    const body = JSON.stringify(finding)
    const signature = signatureOf(key, body, yield* Clock.currentTimeMillis)
    return yield* ask("POST", "/provider/identity", { "x-signature": signature }, body)
  })
  const setLeverage = Effect.fnUntraced(function* (user: TestUser) {
    const { post, signed } = yield* RestClient
    const { status } = yield* post("/user/leverage", { symbol: "GOLD-USD", leverage: 5 }, yield* signed(user))
    return status
  })

  it.effect(
    "I47: lists each missing onboarding step, allows trading only after all steps, and allows reads before that",
    () =>
      Effect.gen(function* () {
        const { get, signed } = yield* RestClient
        const { bearer, user } = yield* arrived("newcomer")
        const onboarding = Effect.map(get("/user/onboarding", bearer), ({ body }) => body)
        const start = {
          $schema: expect.stringMatching(/OnboardingResponseBody\.json$/),
          identity: "none",
          terms_accepted: false,
          terms_version: "1",
          second_factor: "none",
          region_allowed: true,
          can_trade: false,
          can_fund: false,
          missing: ["identity", "terms"]
        }
        expect(yield* onboarding).toEqual(start)
        expect((yield* get("/user/onboarding", yield* signed(user))).status).toBe(200)
        expect(yield* setLeverage(user)).toBe(403)
        expect((yield* get("/user/positions", yield* signed(user))).status).toBe(200)

        expect((yield* ask("POST", "/user/terms", bearer, { terms_version: "1" })).status).toBe(204)
        expect(yield* onboarding).toMatchObject({ terms_accepted: true, can_trade: false, missing: ["identity"] })
        expect(yield* setLeverage(user)).toBe(403)

        const begun = yield* ask("POST", "/user/verification", bearer, {})
        expect(begun.status).toBe(201)
        expect(URL.canParse(begun.body.verification_url)).toBe(true)
        expect(yield* onboarding).toEqual({
          ...start,
          identity: "verified",
          terms_accepted: true,
          can_trade: true,
          can_fund: true,
          missing: []
        })
        expect(yield* setLeverage(user)).toBe(200)
        for (const body of [{}, undefined]) {
          expect((yield* ask("POST", "/user/verification", bearer, body)).status).toBe(409)
        }
      })
  )

  it.effect("refuses the acceptance of any version of the terms except the current one", () =>
    Effect.gen(function* () {
      const { bearer, user } = yield* arrived("reader")
      for (const terms_version of ["0", "2", "", "1 "]) {
        expect((yield* ask("POST", "/user/terms", bearer, { terms_version })).status).toBe(409)
      }
      for (const body of [{}, { terms_version: 1 }, { terms_version: "1", by: "me" }]) {
        expect((yield* ask("POST", "/user/terms", bearer, body)).status).toBe(422)
      }
      const acceptances = yield* LegalAcceptances
      expect(yield* acceptances.ofUser(user.userId)).toEqual([])
      yield* ask("POST", "/user/terms", bearer, { terms_version: "1" })
      expect(yield* acceptances.ofUser(user.userId)).toMatchObject([{ termsVersion: "1", builder: null }])
    })
  )

  it.effect("refuses onboarding steps that are requested with an API key", () =>
    Effect.gen(function* () {
      const { get, post, signed } = yield* RestClient
      const { user } = yield* arrived("program")
      expect((yield* post("/user/terms", { terms_version: "1" }, yield* signed(user))).status).toBe(403)
      expect((yield* post("/user/verification", {}, yield* signed(user))).status).toBe(403)
      expect((yield* get("/user/profile", yield* signed(user))).status).toBe(403)
      expect((yield* (yield* UserStates).find(user.userId)).termsVersion).toBe("0")
    })
  )

  it.effect("I47: refuses onboarding steps that an application requests for the user, whatever its scopes", () =>
    Effect.gen(function* () {
      const { get } = yield* RestClient
      const { bearer, user } = yield* arrived("principal")
      const { userId } = user
      const begun = { publicClient: true, scope: "openid", method: "oauth_provider/authorization_code" } as const
      const { accessToken } = yield* (yield* SessionTokens).begin({ userId, clientId: nobodysApplication, ...begun })
      const application = { authorization: `Bearer ${Redacted.value(accessToken)}` }
      const steps = [
        ["POST", "/user/terms", { terms_version: "1" }],
        ["POST", "/user/verification", {}],
        ["PATCH", "/user/profile", { username: "puppet" }]
      ] as const
      for (const [method, path, body] of steps) {
        const answer = yield* ask(method, path, application, body)
        expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
          path,
          403,
          "application/problem+json"
        ])
      }
      expect(yield* (yield* LegalAcceptances).ofUser(userId)).toEqual([])
      expect(yield* (yield* UserStates).find(userId)).toMatchObject({ identity: "none", termsVersion: "0" })
      for (const path of ["/user/onboarding", "/user/profile"]) {
        expect(yield* get(path, application)).toMatchObject({ status: 200 })
      }
      expect((yield* get("/user/profile", application)).body.username).toBeNull()
      const [method, path, body] = steps[0]
      expect((yield* ask(method, path, bearer, body)).status).toBe(204)
    })
  )

  it.effect("applies the identity provider's newest callback once, including the user's first and last name", () =>
    Effect.gen(function* () {
      const { user } = yield* arrived("subject")
      const { userId } = user
      const states = yield* UserStates
      yield* states.beginVerification(userId, "case-1")
      const finding = {
        reference: "case-1",
        outcome: "verified",
        country: "NO",
        first_name: "Sub",
        last_name: "Ject",
        found_at: 2_000
      }
      expect((yield* callback(finding)).status).toBe(204)
      expect(yield* states.find(userId)).toMatchObject({ identity: "verified", country: "NO" })
      expect(yield* (yield* Profiles).find(userId)).toMatchObject({ firstName: "Sub", lastName: "Ject" })
      expect((yield* callback(finding)).status).toBe(204)
      expect((yield* callback({ ...finding, outcome: "refused", found_at: 1_000 })).status).toBe(204)
      expect((yield* states.find(userId)).identity).toBe("verified")
      const judged = (yield* (yield* Audit).about(userId)).filter(({ action }) => action === "identity_judged")
      expect(judged).toHaveLength(1)
      expect((yield* callback({ ...finding, outcome: "refused", found_at: 3_000 })).status).toBe(204)
      expect((yield* states.find(userId)).identity).toBe("refused")
    })
  )

  it.effect("changes nothing on a callback with a wrong signature, unknown reference or invalid body", () =>
    Effect.gen(function* () {
      const { user } = yield* arrived("target")
      const states = yield* UserStates
      yield* states.beginVerification(user.userId, "case-2")
      const finding = { reference: "case-2", outcome: "verified", country: "NO", found_at: 2_000 }
      const forged = yield* callback(finding, Redacted.make("a key of somebody else, who guesses"))
      expect([forged.status, forged.headers.get("content-type")]).toEqual([401, "application/problem+json"])
      expect((yield* ask("POST", "/provider/identity", {}, finding)).status).toBe(401)
      const strange = yield* callback({ ...finding, reference: "case-3" })
      expect([strange.status, strange.body.type]).toEqual([404, expect.stringContaining("/unknown-verification")])
      expect((yield* callback({ ...finding, outcome: "yes" })).status).toBe(422)
      expect((yield* states.find(user.userId)).identity).toBe("pending")
      const { restUrl } = yield* RestClient
      expect((yield* call(`${restUrl}/provider/identity`)).status).toBe(405)
    })
  )

  it.effect("changes single members of a profile, and refuses a name that is in use", () =>
    Effect.gen(function* () {
      const { get } = yield* RestClient
      const { bearer } = yield* arrived("painter")
      const { bearer: other } = yield* arrived("copier")
      const empty = { username: null, avatar_url: null, is_public: false }
      expect((yield* get("/user/profile", bearer)).body).toMatchObject(empty)
      const changed = yield* ask("PATCH", "/user/profile", bearer, { username: "painter_1", is_public: true })
      expect([changed.status, changed.body]).toEqual([
        200,
        expect.objectContaining({ username: "painter_1", avatar_url: null, is_public: true })
      ])
      for (const avatar_url of ["https://venue.test", "https://cdn.venue.test:8443/a%20b.png?size=64"]) {
        expect((yield* ask("PATCH", "/user/profile", bearer, { avatar_url })).body).toMatchObject({ avatar_url })
      }
      const { body } = yield* ask("PATCH", "/user/profile", bearer, { avatar_url: null })
      expect(body).toMatchObject({ username: "painter_1", avatar_url: null, is_public: true })
      const taken = yield* ask("PATCH", "/user/profile", other, { username: "painter_1", is_public: true })
      expect(taken.status).toBe(409)
      expect((yield* get("/user/profile", other)).body).toMatchObject(empty)
    })
  )

  it.effect("refuses invalid and reserved names, and avatars that are not https URLs", () =>
    Effect.gen(function* () {
      const { get } = yield* RestClient
      const { bearer } = yield* arrived("namer")
      const names = ["ab", "a".repeat(25), "Painter", "a b c", "jürgen", "admin", "support", "venue", "", 1, null]
      for (const username of names) {
        expect((yield* ask("PATCH", "/user/profile", bearer, { username })).status).toBe(422)
      }
      for (const avatar_url of [
        "http://venue.test/a.png",
        "javascript:alert(1)",
        "",
        "https://a b",
        'https://venue.test/a.png"><script>',
        "https://!",
        "https://%",
        "https://:443",
        "https://user:password@venue.test/a.png",
        "https://venue.test/b/../a.png",
        "https://venue.test/%zz",
        "https://venue.test:99999/a.png",
        1
      ]) {
        expect((yield* ask("PATCH", "/user/profile", bearer, { avatar_url })).status).toBe(422)
      }
      expect((yield* get("/user/profile", bearer)).body).toMatchObject({ username: null, avatar_url: null })
    })
  )
})
