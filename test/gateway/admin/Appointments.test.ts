/** Tests of operator accounts: names, tokens and roles. */
import { AdminApi } from "@venue/api/admin/Api"
import { neededFor } from "@venue/api/admin/Operator"
import { Audit } from "@venue/storage/access/Audit"
import type { HttpApiGroup } from "effect/http-api"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { layer, RestClient } from "../rest/RestClient.ts"

const reason = "asked for"

const appoint = (name: string, roles: ReadonlyArray<string>) =>
  Effect.flatMap(RestClient, ({ admin }) => admin("POST", "/operators", { name, roles, reason }))

it.layer(layer, { excludeTestServices: true })("operators", (it) => {
  it.effect(
    "accepts an operator's token for the actions that the operator's roles allow, until the operator is dismissed",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        const { body, status } = yield* appoint("vera", ["viewer"])
        expect([status, body.name, body.roles]).toEqual([201, "vera", ["viewer"]])
        expect(body.token).toMatch(/^[A-Za-z0-9_-]{43}$/)
        expect((yield* admin("GET", "/proof", undefined, body.token)).status).toBe(200)
        const credit = { account_id: "7d444840-9dc0-41d1-b245-5ffdce74fad2", amount: 1, reason }
        const refused = yield* admin("POST", "/credits", credit, body.token)
        expect([refused.status, refused.body.detail]).toEqual([
          403,
          "The request requires the role treasurer; your roles: viewer. Ask an operator with the required role to send it."
        ])

        const dismissed = yield* admin("POST", "/operators/dismiss", { name: "vera", reason })
        expect(dismissed.status).toBe(204)
        expect((yield* admin("GET", "/proof", undefined, body.token)).status).toBe(401)
        expect((yield* admin("POST", "/operators/dismiss", { name: "vera", reason })).status).toBe(404)
        const again = yield* appoint("vera", ["admin"])
        expect([again.status, again.body.type]).toEqual([409, expect.stringContaining("/operator-exists")])
        expect(again.body.detail).toBe(
          'The name "vera" belongs to a current or former operator, and names are never reused; choose another name.'
        )
      })
  )

  it.effect("allows a treasurer only decisions about money", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const { body } = yield* appoint("tess", ["treasurer"])
      const credit = { account_id: "7d444840-9dc0-41d1-b245-5ffdce74fad2", amount: 1, reason }
      // The 404 shows that the role was sufficient, because only the account is missing.
      expect((yield* admin("POST", "/credits", credit, body.token)).status).toBe(404)
      const price = yield* admin("POST", "/prices", { symbol: "GOLD-USD", price: 1, reason }, body.token)
      expect([price.status, price.body.detail]).toEqual([
        403,
        "The request requires the role admin; your roles: treasurer. Ask an operator with the required role to send it."
      ])
      expect((yield* admin("POST", "/operators", { name: "x1", roles: ["admin"], reason }, body.token)).status).toBe(
        403
      )
    })
  )

  it.effect("records in the audit log which operator made a change", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const root = (yield* appoint("rosa", ["admin"])).body.token
      yield* admin("POST", "/operators", { name: "paul", roles: ["viewer"], reason: "night shift" }, root)
      const [deed] = yield* (yield* Audit).about("paul")
      expect(deed).toMatchObject({
        action: "operator_appointed",
        actor: "rosa",
        subject: "paul",
        facts: { reason: "night shift", roles: "viewer" }
      })
    })
  )

  it.effect("refuses an invalid operator name, role or reason, and names the invalid member", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const { body, status } = yield* admin("POST", "/operators", { name: "No Name", roles: ["boss"], reason: "" })
      expect([status, body.errors.map(({ location }: { location: string }) => location)]).toEqual([
        422,
        ["body.name", "body.roles.0", "body.reason"]
      ])
      expect((yield* appoint("twice", ["viewer", "viewer"])).status).toBe(422)
      expect((yield* appoint("nothing", [])).status).toBe(422)
      // The operator whose token is in the settings already has this name.
      expect((yield* appoint("operator", ["viewer"])).status).toBe(409)
    })
  )

  it.effect("allows a viewer exactly the GET endpoints, and to renew the own token and begin sessions", () =>
    Effect.sync(() => {
      const endpoints = Object.values(AdminApi.groups).flatMap((group) =>
        Object.values((group as unknown as HttpApiGroup.Top).endpoints)
      )
      const own = ["/operators/renew", "/operators/second-factor", "/operators/session"]
      const wrong = endpoints.filter(
        (endpoint) => (neededFor(endpoint) === "viewer") !== (endpoint.method === "GET" || own.includes(endpoint.path))
      )
      expect(wrong.map(({ path }) => path)).toEqual([])
      expect(endpoints.length).toBeGreaterThan(40)
    })
  )
})
