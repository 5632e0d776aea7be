/** Tests of operator decisions about users, keys, builders and applications, over real sockets. */
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import type { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { UserStates } from "@venue/storage/access/UserStates"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { layer, RestClient } from "../rest/RestClient.ts"

const nobody = "00000000-0000-4000-8000-ffffffffffff"
const reason = "a test"

it.layer(layer, { excludeTestServices: true })("operator decisions", (it) => {
  const deeds = (userId: UserId) =>
    Effect.flatMap(Audit, (audit) =>
      Effect.map(audit.about(userId), (all) => all.map(({ action, actor, facts }) => [action, actor, facts["reason"]]))
    )

  it.effect("freezes and unfreezes a user, and records an audit entry for each", () =>
    Effect.gen(function* () {
      const { admin, get, signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("frozen")
      const body = { user_id: user.userId.toUpperCase(), reason }
      expect((yield* get("/user/positions", yield* signed(user))).status).toBe(200)
      expect((yield* admin("POST", "/users/freeze", body)).status).toBe(204)
      expect((yield* get("/user/positions", yield* signed(user))).status).toBe(403)
      expect((yield* admin("POST", "/users/unfreeze", body)).status).toBe(204)
      expect((yield* get("/user/positions", yield* signed(user))).status).toBe(200)
      expect(yield* deeds(user.userId)).toEqual([
        ["user_unfrozen", "operator", reason],
        ["user_frozen", "operator", reason]
      ])
    })
  )

  it.effect("activates and deactivates a builder code", () =>
    Effect.gen(function* () {
      const { admin, get, signed } = yield* RestClient
      const codes = yield* BuilderCodes
      const owner = yield* (yield* TestVenue).user("owner")
      const { userId } = owner
      const balance = Effect.gen(function* () {
        return (yield* get("/user/positions", yield* signed(owner))).body.balance
      })
      const builder_code = "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"
      yield* codes.create({ userId, builderCode: builder_code, venueBps: 5_000, builderBps: 0, active: false })
      const isActive = Effect.map(codes.find(builder_code), (code) => Option.getOrThrow(code).active)
      expect(yield* balance).not.toHaveProperty("builder_rewards")
      expect((yield* admin("POST", "/builder-codes/activate", { builder_code, reason })).status).toBe(204)
      expect(yield* isActive).toBe(true)
      expect((yield* balance).builder_rewards).toBe(0)
      expect((yield* admin("POST", "/builder-codes/deactivate", { builder_code, reason })).status).toBe(204)
      expect(yield* isActive).toBe(false)
      expect((yield* deeds(userId)).map(([action]) => action)).toEqual([
        "builder_code_deactivated",
        "builder_code_activated"
      ])
    })
  )

  it.effect(
    "registers an application, rotates its secret and disables the application, and returns each secret only once",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        const requested = {
          name: "A desk",
          type: "confidential",
          redirect_uris: ["https://desk.example/callback"],
          reason
        }
        const registered = yield* admin("POST", "/oauth-clients", requested)
        expect([registered.status, registered.headers.get("cache-control")]).toEqual([201, "no-store"])
        const { client, client_secret } = registered.body
        expect(client).toMatchObject({ name: "A desk", redirect_uris: requested.redirect_uris, disabled_at: null })
        const named = { client_id: client.client_id, reason }
        const rotated = yield* admin("POST", "/oauth-clients/rotate", named)
        expect(rotated.body.client_secret).not.toBe(client_secret)
        expect((yield* admin("POST", "/oauth-clients/finish-rotation", named)).status).toBe(204)
        expect((yield* admin("POST", "/oauth-clients/disable", named)).status).toBe(204)
        const listed = yield* admin("GET", "/oauth-clients")
        expect(listed.body).toMatchObject({ count: 1, data: [{ client_id: client.client_id }] })
        expect(listed.body.data[0].disabled_at).not.toBeNull()
        for (const secret of [client_secret, rotated.body.client_secret]) expect(listed.text).not.toContain(secret)
        expect((yield* deeds(client.client_id)).map(([action]) => action)).toEqual([
          "client_disabled",
          "client_secret_dropped",
          "client_secret_added",
          "client_registered"
        ])
      })
  )

  it.effect("registers an application under the requested id, and refuses an id that is already in use", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const requested = { name: "A tool", type: "public", redirect_uris: ["https://tool.example/callback"], reason }
      const client_id = "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"
      const registered = yield* admin("POST", "/oauth-clients", { ...requested, client_id })
      expect([registered.status, registered.body.client.client_id]).toEqual([201, client_id])
      const again = yield* admin("POST", "/oauth-clients", { ...requested, client_id: client_id.toUpperCase() })
      expect([again.status, again.body.type]).toEqual([409, expect.stringContaining("/problems/client-exists")])
      const listed = yield* admin("GET", "/oauth-clients")
      expect(listed.body.data.filter((client: { client_id: string }) => client.client_id === client_id)).toHaveLength(1)
    })
  )

  it.effect("refuses to register an application with an invalid member, and names that member", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const before = (yield* admin("GET", "/oauth-clients")).body.count
      const good = { name: "A tool", type: "public", redirect_uris: ["http://localhost:57423/callback"], reason }
      const faults: ReadonlyArray<readonly [object, string]> = [
        [good, "body.redirect_uris"],
        [{ ...good, allow_loopback: true, type: "confidential" }, "body.redirect_uris"],
        [{ ...good, redirect_uris: [] }, "body.redirect_uris"],
        [{ ...good, name: "" }, "body.name"],
        [{ ...good, client_id: "my-app" }, "body.client_id"],
        [{ ...good, allow_loopback: true, logo_uri: "http://tool.example/logo.png" }, "body.logo_uri"],
        [{ ...good, type: "private" }, "body.type"],
        [{ ...good, reason: "" }, "body.reason"]
      ]
      for (const [body, location] of faults) {
        const refused = yield* admin("POST", "/oauth-clients", body)
        expect([refused.status, refused.body.errors[0].location]).toEqual([422, location])
      }
      expect((yield* admin("GET", "/oauth-clients")).body.count).toBe(before)
      const allowed = yield* admin("POST", "/oauth-clients", { ...good, allow_loopback: true })
      expect([allowed.status, allowed.body.client_secret]).toEqual([201, null])
    })
  )

  it.effect("6.7b: a key can register users from the moment of the grant until the grant is withdrawn", () =>
    Effect.gen(function* () {
      const { admin, get, post, signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("registrar", 0, ["view_positions"])
      const requested = { public_key: user.publicKey, permission: "register_user", reason }
      // The user has no builder code, so the request passes the permission check and is refused by the next check.
      const refusal = Effect.gen(function* () {
        const { body } = yield* post("/builder/web3/api-key", {}, yield* signed(user))
        return [body.status, body.type.split("/").at(-1)]
      })
      expect(yield* refusal).toEqual([403, "not-permitted"])
      expect((yield* admin("POST", "/keys/grant", requested)).status).toBe(204)
      expect(yield* refusal).toEqual([403, "no-active-builder-code"])
      expect((yield* get("/user/positions", yield* signed(user))).status).toBe(200)
      expect((yield* admin("POST", "/keys/withdraw", requested)).status).toBe(204)
      expect(yield* refusal).toEqual([403, "not-permitted"])
      expect((yield* get("/user/positions", yield* signed(user))).status).toBe(200)
      const recorded = yield* (yield* Audit).about(user.userId)
      const facts = { publicKey: user.publicKey, permission: "register_user", reason }
      expect(recorded.map(({ action, actor, facts }) => [action, actor, facts])).toEqual([
        ["permission_withdrawn", "operator", facts],
        ["permission_granted", "operator", facts]
      ])
    })
  )

  it.effect(
    "6.7b: refuses a grant of another permission, a grant to a revoked or unknown key, and a grant without a reason",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        const keys = yield* ApiKeys
        const user = yield* (yield* TestVenue).user("ungranted", 0, ["view_positions"])
        const requested = { public_key: user.publicKey, permission: "register_user", reason }
        const permitted = Effect.map(keys.find(user.publicKey), (key) => Option.getOrThrow(key).permissions)
        for (const path of ["/keys/grant", "/keys/withdraw"]) {
          expect((yield* admin("POST", path, { ...requested, permission: "execute_orders" })).status).toBe(422)
          expect((yield* admin("POST", path, { ...requested, reason: "" })).status).toBe(422)
          expect((yield* admin("POST", path, requested, "wrong")).status).toBe(401)
          expect((yield* admin("POST", path, { ...requested, public_key: "svc_test_pub_0" })).status).toBe(404)
        }
        expect(yield* permitted).toEqual(["view_positions"])
        yield* keys.revoke(user.userId, user.publicKey)
        for (const path of ["/keys/grant", "/keys/withdraw"]) {
          expect((yield* admin("POST", path, requested)).status).toBe(404)
        }
        expect(yield* permitted).toEqual(["view_positions"])
        expect(yield* deeds(user.userId)).toEqual([])
      })
  )

  it.effect("D2: rotates signing keys with an audit entry for each step, and reveals no private key", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const keys = yield* SigningKeys
      const texts: Array<string> = []
      const listed = Effect.gen(function* () {
        const { body, headers, text } = yield* admin("GET", "/signing-keys")
        texts.push(text)
        expect([headers.get("cache-control"), body.count]).toEqual(["no-store", body.data.length])
        for (const { since } of body.data) expect(since).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        return body.data.map(({ kid, state }: Record<string, string>) => [kid, state])
      })
      const [[first]] = yield* listed
      expect(yield* listed).toEqual([[first, "active"]])
      const published = yield* admin("POST", "/signing-keys", { reason })
      texts.push(published.text)
      expect(published.status).toBe(201)
      const { kid, ...rest } = published.body
      expect(rest).toEqual({})
      expect(yield* listed).toEqual([
        [first, "active"],
        [kid, "standby"]
      ])
      const early = yield* admin("POST", "/signing-keys/activate", { kid, reason })
      expect([early.status, early.headers.get("content-type"), early.body.type.split("/").at(-1)]).toEqual([
        409,
        "application/problem+json",
        "signing-key-too-early"
      ])
      const since = Date.parse((yield* admin("GET", "/signing-keys")).body.data[1].since)
      expect(early.body.detail).toContain(new Date(since + 20 * 60 * 1_000).toISOString())
      expect(
        (yield* admin("POST", "/signing-keys/remove", { kid: first, emergency: true, reason })).body
      ).toMatchObject({
        status: 409,
        type: expect.stringMatching(/signing-key-in-use$/)
      })
      expect((yield* admin("POST", "/signing-keys/activate", { kid, emergency: true, reason })).status).toBe(204)
      expect(yield* listed).toEqual([
        [first, "retired"],
        [kid, "active"]
      ])
      expect((yield* admin("POST", "/signing-keys/activate", { kid: first, reason })).body).toMatchObject({
        status: 409,
        type: expect.stringMatching(/signing-key-not-standby$/)
      })
      expect((yield* admin("POST", "/signing-keys/remove", { kid: first, reason })).status).toBe(409)
      expect(keys.find(first)).toBeDefined()
      expect((yield* admin("POST", "/signing-keys/remove", { kid: first, emergency: true, reason })).status).toBe(204)
      expect(yield* listed).toEqual([[kid, "active"]])
      expect(keys.find(first)).toBeUndefined()
      // A response without any member of a JWK contains no private key.
      for (const text of texts) expect(text).not.toMatch(/"(?:d|x|y|kty|jwk)"/)
      const facts = { emergency: true, reason }
      expect((yield* (yield* Audit).about(kid)).map(({ action, actor, facts }) => [action, actor, facts])).toEqual([
        ["signing_key_activated", "operator", { kid, ...facts }],
        ["signing_key_published", "operator", { kid, reason }]
      ])
      expect((yield* (yield* Audit).about(first)).map(({ action, facts }) => [action, facts])).toEqual([
        ["signing_key_removed", { kid: first, ...facts }]
      ])
    })
  )

  it.effect("returns 404 for an unknown subject, and requires a token and a reason", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const user = yield* (yield* TestVenue).user("untouched")
      for (const path of ["/users/freeze", "/users/unfreeze"]) {
        expect((yield* admin("POST", path, { user_id: nobody, reason })).status).toBe(404)
      }
      for (const path of ["/builder-codes/activate", "/builder-codes/deactivate"]) {
        expect((yield* admin("POST", path, { builder_code: nobody, reason })).status).toBe(404)
      }
      for (const path of ["/oauth-clients/rotate", "/oauth-clients/finish-rotation", "/oauth-clients/disable"]) {
        expect((yield* admin("POST", path, { client_id: nobody, reason })).status).toBe(404)
        expect((yield* admin("POST", path, { client_id: nobody, reason }, "wrong")).status).toBe(401)
      }
      for (const path of ["/signing-keys/activate", "/signing-keys/remove"]) {
        expect((yield* admin("POST", path, { kid: "nobody", reason })).status).toBe(404)
        expect((yield* admin("POST", path, { kid: "nobody", emergency: true, reason }, "wrong")).status).toBe(401)
      }
      const keysBefore = (yield* admin("GET", "/signing-keys")).text
      expect((yield* admin("POST", "/signing-keys", { reason }, "wrong")).status).toBe(401)
      expect((yield* admin("POST", "/signing-keys", {})).status).toBe(422)
      expect((yield* admin("GET", "/signing-keys", undefined, "wrong")).status).toBe(401)
      expect((yield* admin("GET", "/signing-keys")).text).toBe(keysBefore)
      const freeze = { user_id: user.userId, reason }
      expect((yield* admin("POST", "/users/freeze", freeze, "wrong")).status).toBe(401)
      expect((yield* admin("POST", "/users/freeze", { user_id: user.userId })).status).toBe(422)
      expect((yield* (yield* UserStates).find(user.userId)).frozen).toBe(false)
      expect(yield* deeds(user.userId)).toEqual([])
    })
  )
})
