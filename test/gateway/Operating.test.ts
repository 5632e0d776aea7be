/** What an operator decides about users, builders and applications, over real sockets. */
import { Audit } from "@venue/storage/Audit"
import { BuilderCodes } from "@venue/storage/BuilderCodes"
import { UserStates } from "@venue/storage/UserStates"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { layer, RestClient } from "./RestClient.ts"

const nobody = "00000000-0000-4000-8000-ffffffffffff"
const reason = "a test"

it.layer(layer, { excludeTestServices: true })("an operator", (it) => {
  const deeds = (userId: string) =>
    Effect.flatMap(Audit, (audit) =>
      Effect.map(audit.ofUser(userId), (all) => all.map(({ action, actor, facts }) => [action, actor, facts["reason"]]))
    )

  it.effect("freezes a user, who does nothing until they are unfrozen; both are in the audit", () =>
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
      const { admin } = yield* RestClient
      const codes = yield* BuilderCodes
      const { userId } = yield* (yield* TestVenue).user("owner")
      const builder_code = "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"
      yield* codes.create({ userId, builderCode: builder_code, venueBps: 5_000, builderBps: 0 })
      const isActive = Effect.map(codes.find(builder_code), (code) => Option.getOrThrow(code).active)
      expect((yield* admin("POST", "/builder-codes/activate", { builder_code, reason })).status).toBe(204)
      expect(yield* isActive).toBe(true)
      expect((yield* admin("POST", "/builder-codes/deactivate", { builder_code, reason })).status).toBe(204)
      expect(yield* isActive).toBe(false)
      expect((yield* deeds(userId)).map(([action]) => action)).toEqual([
        "builder_code_deactivated",
        "builder_code_activated"
      ])
    })
  )

  it.effect("registers an application, renews its secret and shuts it out; a secret is shown once", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const asked = {
        name: "A desk",
        type: "confidential",
        redirect_uris: ["https://desk.example/callback"],
        reason
      }
      const registered = yield* admin("POST", "/oauth-clients", asked)
      expect([registered.status, registered.headers.get("cache-control")]).toEqual([201, "no-store"])
      const { client, client_secret } = registered.body
      expect(client).toMatchObject({ name: "A desk", redirect_uris: asked.redirect_uris, disabled_at: null })
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

  it.effect("an application that may not be registered is refused with the member that is wrong", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const before = (yield* admin("GET", "/oauth-clients")).body.count
      const good = { name: "A tool", type: "public", redirect_uris: ["http://localhost:57423/callback"], reason }
      const faults: ReadonlyArray<readonly [object, string]> = [
        [good, "body.redirect_uris"],
        [{ ...good, allow_loopback: true, type: "confidential" }, "body.redirect_uris"],
        [{ ...good, redirect_uris: [] }, "body.redirect_uris"],
        [{ ...good, name: "" }, "body.name"],
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

  it.effect("what is not there is 404, and without the token or a reason nothing is done", () =>
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
      const freeze = { user_id: user.userId, reason }
      expect((yield* admin("POST", "/users/freeze", freeze, "wrong")).status).toBe(401)
      expect((yield* admin("POST", "/users/freeze", { user_id: user.userId })).status).toBe(422)
      expect((yield* (yield* UserStates).find(user.userId)).frozen).toBe(false)
      expect(yield* deeds(user.userId)).toEqual([])
    })
  )
})
