/** Tests of API keys over real sockets, from creation to revocation. */
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import type { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { Sessions } from "@venue/storage/access/Sessions"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { bring, enrol, session } from "../../auth/access/Progress.ts"
import { ask, layer, RestClient } from "./RestClient.ts"

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const newKey = { label: "my bot", permissions: ["view_orders", "view_positions"], scope: "all_accounts" }

const signedIn = Effect.fnUntraced(function* (name: string) {
  const user = yield* (yield* TestVenue).user(name, 0)
  const { sessionId, token } = yield* session(user.userId)
  const as = (method: string, path: string, body?: unknown) => ask(method, path, bearer(token), body)
  return { user, sessionId, token, as, listed: Effect.map(as("GET", "/user/api-keys"), ({ body }) => body) }
})

const withKey = (user: TestUser, path = "/user/positions") =>
  Effect.gen(function* () {
    const rest = yield* RestClient
    return yield* rest.get(path, yield* rest.signed(user))
  })

const keyOf = (
  userId: UserId,
  { public_key, secret_key }: { readonly public_key: string; readonly secret_key: string }
) => ({
  userId,
  publicKey: public_key,
  secretKey: secret_key
})

it.layer(layer, { excludeTestServices: true })("API keys", (it) => {
  it.effect("creates a key, shows its secret once, lists the key, and accepts its signatures", () =>
    Effect.gen(function* () {
      const { as, listed, user } = yield* signedIn("maker")
      const { restUrl } = yield* RestClient
      const made = yield* as("POST", "/user/api-keys", { ...newKey, allowed_addresses: ["127.0.0.0/8", "::1"] })
      expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"])
      expect(made.body).toEqual({
        $schema: `${restUrl}/schemas/IssuedApiKey.json`,
        public_key: expect.stringMatching(/^svc\w*_pub_[0-9a-f]{32}$/),
        secret_key: expect.stringMatching(/^svc\w*_secret_[0-9a-f]{64}$/),
        ...newKey,
        allowed_addresses: ["127.0.0.0/8", "::1"],
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      })
      expect((yield* withKey(keyOf(user.userId, made.body))).status).toBe(200)
      expect((yield* withKey(keyOf(user.userId, made.body), "/user/subaccounts")).status).toBe(403)
      const { count, data } = yield* listed
      expect([count, data.length]).toEqual([2, 2])
      const { $schema: _, secret_key, ...shown } = made.body
      expect(data[1]).toEqual({ ...shown, last_used_at: null, last_failed_at: null })
      expect(JSON.stringify(data)).not.toContain(secret_key)
      const [deed] = yield* (yield* Audit).about(user.userId)
      expect(deed).toMatchObject({ action: "api_key_created", actor: user.userId })
      expect(JSON.stringify(deed)).not.toContain(secret_key)
    })
  )

  it.effect("refuses each invalid creation of a key with its own status", () =>
    Effect.gen(function* () {
      const { as, listed, user } = yield* signedIn("faulty")
      const stranger = yield* (yield* TestVenue).user("somebody else")
      const own = yield* (yield* TestVenue).subaccount(user, 0)
      const status = (changes: object) =>
        Effect.map(as("POST", "/user/api-keys", { ...newKey, ...changes }), (answer) => answer.status)
      for (const permissions of [["register_user"], ["view_orders", "withdraw_registered"]]) {
        expect([permissions.join(), yield* status({ permissions })]).toEqual([permissions.join(), 403])
      }
      for (const scope of [stranger.userId, "3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"]) {
        expect([scope, yield* status({ scope })]).toEqual([scope, 403])
      }
      for (const changes of [
        { label: "builder-x" },
        { label: "Managed by me" },
        { label: " builder-x" },
        { label: "" },
        { label: "x".repeat(65) },
        ...["\u0000", "\n", "\u0085", "\u2028", "\u2029", "\u202e"].map((character) => ({ label: `a${character}b` })),
        { permissions: [] },
        { permissions: ["admin"] },
        { scope: "everything" },
        { allowed_addresses: ["10.0.0.0/33"] },
        { allowed_addresses: ["::1", "host.example"] },
        { extra: 1 },
        { label: undefined }
      ]) {
        expect([JSON.stringify(changes), yield* status(changes)]).toEqual([JSON.stringify(changes), 422])
      }
      expect((yield* listed).count).toBe(1)
      expect(yield* status({ scope: own.toUpperCase() })).toBe(201)
      expect((yield* listed).data[1].scope).toBe(own)
    })
  )

  it.effect("limits a user to fifty keys", () =>
    Effect.gen(function* () {
      const { as, listed } = yield* signedIn("collector")
      const answers = yield* Effect.forEach(
        Array.from({ length: 51 }, (_, n) => ({ ...newKey, label: `bot ${n}` })),
        (body) => as("POST", "/user/api-keys", body),
        { concurrency: 4 }
      )
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(49)
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
      expect((yield* listed).count).toBe(50)
    })
  )

  it.effect("allows only the owner to rename a key", () =>
    Effect.gen(function* () {
      const { as, listed, user } = yield* signedIn("namer")
      const thief = yield* signedIn("thief")
      const path = `/user/api-keys/${user.publicKey}`
      expect((yield* thief.as("PATCH", path, { label: "mine" })).status).toBe(404)
      expect((yield* as("PATCH", path, { label: "managed" })).status).toBe(422)
      expect((yield* as("PATCH", "/user/api-keys/svc_pub_0", { label: "x" })).status).toBe(404)
      expect((yield* listed).data[0].label).toBe("namer")
      expect(yield* as("PATCH", path, { label: "Renamed" })).toMatchObject({ status: 204, text: "" })
      expect((yield* listed).data[0].label).toBe("Renamed")
    })
  )

  it.effect("I40: refuses a revoked key, starting with the first request after the revocation", () =>
    Effect.gen(function* () {
      const { as, listed, user } = yield* signedIn("revoker")
      const thief = yield* signedIn("another thief")
      const path = `/user/api-keys/${user.publicKey}`
      expect((yield* withKey(user)).status).toBe(200)
      expect((yield* thief.as("DELETE", path)).status).toBe(404)
      expect((yield* withKey(user)).status).toBe(200)
      expect(yield* as("DELETE", path)).toMatchObject({ status: 204, text: "" })
      expect((yield* withKey(user)).status).toBe(401)
      expect((yield* as("DELETE", path)).status).toBe(204)
      expect((yield* listed).count).toBe(0)
    })
  )

  it.effect("rotating a key keeps its permissions and immediately invalidates its old name and secret", () =>
    Effect.gen(function* () {
      const { as, listed, user } = yield* signedIn("rotator")
      const thief = yield* signedIn("third thief")
      const path = `/user/api-keys/${user.publicKey}/rotate`
      expect((yield* thief.as("POST", path)).status).toBe(404)
      const { body, status } = yield* as("POST", path)
      expect(status).toBe(201)
      expect(body).toMatchObject({ label: "rotator", scope: "all_accounts", secret_key: expect.any(String) })
      expect((yield* withKey(user)).status).toBe(401)
      expect((yield* withKey(keyOf(user.userId, body))).status).toBe(200)
      expect((yield* as("POST", path)).status).toBe(404)
      expect((yield* listed).data.map(({ public_key }: { public_key: string }) => public_key)).toEqual([
        body.public_key
      ])
    })
  )

  it.effect("hides the keys that builders hold, and refuses to rename or rotate them", () =>
    Effect.gen(function* () {
      const { as, listed, user } = yield* signedIn("client")
      const builder = yield* (yield* TestVenue).user("builder")
      const publicKey = `svc_pub_${"b".repeat(32)}`
      yield* (yield* ApiKeys).replaceBuilderKey({
        publicKey,
        secret: Redacted.make("secret"),
        userId: user.userId,
        label: "builder-acme",
        builderUserId: builder.userId
      })
      expect((yield* listed).count).toBe(1)
      const path = `/user/api-keys/${publicKey}`
      expect((yield* as("PATCH", path, { label: "mine" })).status).toBe(404)
      expect((yield* as("POST", `${path}/rotate`)).status).toBe(404)
      const hidden = { userId: user.userId, publicKey, secretKey: "secret" }
      expect((yield* withKey(hidden)).status).toBe(200)
      expect((yield* withKey(hidden, "/user/subaccounts")).status).toBe(403)
    })
  )

  it.effect("refuses signed requests to the key endpoints, whatever the signing key's permissions", () =>
    Effect.gen(function* () {
      const { listed, user } = yield* signedIn("leaked")
      const rest = yield* RestClient
      for (const [method, path, body] of [
        ["GET", "/user/api-keys"],
        ["POST", "/user/api-keys", newKey],
        ["PATCH", `/user/api-keys/${user.publicKey}`, { label: "x" }],
        ["DELETE", `/user/api-keys/${user.publicKey}`],
        ["POST", `/user/api-keys/${user.publicKey}/rotate`]
      ] as const) {
        const { status } = yield* ask(method, path, yield* rest.signed(user), body)
        expect([method, path, status]).toEqual([method, path, 403])
      }
      expect((yield* listed).data).toMatchObject([{ public_key: user.publicKey, label: "leaked" }])
    })
  )

  it.effect("refuses an application's requests to the key endpoints, and allows its other reads", () =>
    Effect.gen(function* () {
      const { listed, user } = yield* signedIn("host")
      const tokens = yield* SessionTokens
      const { accessToken } = yield* tokens.begin({
        userId: user.userId,
        clientId: "application",
        publicClient: false,
        scope: "openid",
        method: "oauth_provider/authorization_code"
      })
      const headers = bearer(Redacted.value(accessToken))
      for (const [method, path, body] of [
        ["GET", "/user/api-keys"],
        ["POST", "/user/api-keys", newKey],
        ["PATCH", `/user/api-keys/${user.publicKey}`, { label: "x" }],
        ["DELETE", `/user/api-keys/${user.publicKey}`],
        ["POST", `/user/api-keys/${user.publicKey}/rotate`]
      ] as const) {
        const { status } = yield* ask(method, path, headers, body)
        expect([method, path, status]).toEqual([method, path, 403])
      }
      expect((yield* listed).data).toMatchObject([{ public_key: user.publicKey, label: "host" }])
      expect((yield* withKey(user)).status).toBe(200)
      expect((yield* ask("GET", "/user/positions", headers)).status).toBe(200)
    })
  )

  it.effect("prefers a token over signed headers, and refuses an invalid token despite a valid signature", () =>
    Effect.gen(function* () {
      const { sessionId, token, user } = yield* signedIn("both")
      const rest = yield* RestClient
      const other = yield* (yield* TestVenue).user("signer")
      const subaccount = yield* (yield* TestVenue).subaccount(user, 0)
      const both = Effect.map(rest.signed(other), (headers) => ({ ...headers, ...bearer(token) }))
      expect((yield* rest.get("/user/subaccounts", yield* both)).body.account_ids).toEqual([subaccount])
      for (const authorization of ["Bearer junk", "Bearer", `Basic ${token}`, "", `Bearer ${token} x`]) {
        const headers = { ...(yield* rest.signed(other)), authorization }
        expect([authorization, (yield* rest.get("/user/positions", headers)).status]).toEqual([authorization, 401])
      }
      yield* (yield* Sessions).end([sessionId])
      expect((yield* rest.get("/user/subaccounts", yield* both)).status).toBe(401)
    })
  )

  it.effect("a refusal names its reason: missing onboarding steps, a missing second factor or a frozen user", () =>
    Effect.gen(function* () {
      const { as, user } = yield* signedIn("newcomer")
      const refusal = Effect.map(
        as("POST", "/user/leverage", { symbol: "GOLD-USD", leverage: 2 }),
        ({ body, status }) => [status, body.type?.split("/").at(-1), body.errors]
      )
      yield* bring(user.userId, "unverified")
      expect(yield* refusal).toEqual([
        403,
        "onboarding-required",
        [
          {
            location: "onboarding.identity",
            message: "identity: verify your identity with POST /user/verification of the REST interface"
          }
        ]
      ])
      expect((yield* as("GET", "/user/positions")).status).toBe(200)
      yield* bring(user.userId, "without_terms")
      expect(yield* refusal).toEqual([
        403,
        "onboarding-required",
        [
          {
            location: "onboarding.terms",
            message:
              "terms: accept the current terms with POST /user/terms of the REST interface; GET /user/onboarding returns their version"
          }
        ]
      ])
      yield* bring(user.userId, "frozen")
      expect(yield* refusal).toEqual([403, "account-frozen", undefined])
      expect((yield* withKey(user)).status).toBe(403)
      yield* bring(user.userId, "onboarded")
      yield* enrol(user.userId)
      expect(yield* refusal).toEqual([403, "second-factor-required", undefined])
      for (const path of ["/user/positions", "/user/api-keys"]) expect((yield* as("GET", path)).status).toBe(403)
      expect((yield* withKey(user)).status).toBe(200)
      const { token } = yield* session(user.userId, "aal2")
      expect((yield* ask("GET", "/user/api-keys", bearer(token))).status).toBe(200)
    })
  )

  it.effect("lists subaccounts in the order in which they were opened, without the main account", () =>
    Effect.gen(function* () {
      const { as, user } = yield* signedIn("owner")
      expect((yield* as("GET", "/user/subaccounts")).body.account_ids).toEqual([])
      const first = yield* (yield* TestVenue).subaccount(user, 0)
      const second = yield* (yield* TestVenue).subaccount(user, 0)
      expect((yield* as("GET", "/user/subaccounts")).body.account_ids).toEqual([first, second])
      expect((yield* withKey(user, "/user/subaccounts")).body.account_ids).toEqual([first, second])
    })
  )
})
