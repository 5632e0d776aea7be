/** Tests of the operator endpoints for alarm webhooks. */
import { LoopbackEndpoints } from "@venue/providers/webhooks/Endpoint"
import { AlarmWebhooks } from "@venue/storage/alarms/AlarmWebhooks"
import { Audit } from "@venue/storage/access/Audit"
import { it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { expect } from "vitest"
import { layer, RestClient } from "../rest/RestClient.ts"

const reason = "for the pager"
const url = "https://pager.example.com/venue?token=canary"
const create = (given: string, token?: string) =>
  Effect.flatMap(RestClient, ({ admin }) => admin("POST", "/alarm-webhooks", { url: given, reason }, token))

it.layer(layer, { excludeTestServices: true })("alarm webhooks", (it) => {
  it.effect("returns the secret once, lists the webhook without it, and removes the webhook", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const { body: created, status } = yield* create(url)
      expect([status, created.origin, created.created_by]).toEqual([201, "https://pager.example.com", "operator"])
      expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      const { secret, ...shown } = created
      const { body: listed } = yield* admin("GET", "/alarm-webhooks")
      expect(listed).toEqual({
        data: [{ ...shown, delivered_at: null, failing_since: null, fault: null }],
        count: 1
      })
      const [endpoint] = yield* (yield* AlarmWebhooks).endpoints
      expect([endpoint!.url, Redacted.value(endpoint!.secret)]).toEqual([url, secret])

      expect((yield* admin("POST", "/alarm-webhooks/remove", { id: created.id.toUpperCase(), reason })).status).toBe(
        204
      )
      const again = yield* admin("POST", "/alarm-webhooks/remove", { id: created.id, reason })
      expect([again.status, again.body.detail]).toEqual([
        404,
        `No alarm webhook "${created.id}" exists; list the webhooks with GET /alarm-webhooks.`
      ])
      expect((yield* admin("GET", "/alarm-webhooks")).body.count).toBe(0)
      const kept = yield* (yield* Audit).about(created.id)
      expect(kept.map(({ action, actor, facts }) => [action, actor, facts])).toEqual([
        ["alarm_webhook_removed", "operator", { reason }],
        ["alarm_webhook_registered", "operator", { reason }]
      ])
      expect(JSON.stringify(kept)).not.toContain("canary")
    })
  )

  it.effect("requires the role admin to register or remove a webhook, and hides the paths of URLs", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const { body } = yield* admin("POST", "/operators", { name: "vera", roles: ["viewer", "treasurer"], reason })
      const requests = [
        create(url, body.token),
        admin("POST", "/alarm-webhooks/remove", { id: "58f40b9f-0f5e-4e0b-9a53-7c1f6b6a1d20", reason }, body.token)
      ]
      for (const request of requests) expect((yield* request).status).toBe(403)
      const { body: made } = yield* create(url)
      const listed = yield* admin("GET", "/alarm-webhooks", undefined, body.token)
      expect([listed.status, listed.body.data[0].origin]).toEqual([200, "https://pager.example.com"])
      expect(listed.text).not.toContain("canary")
      yield* admin("POST", "/alarm-webhooks/remove", { id: made.id, reason })
    })
  )

  it.effect("refuses private and malformed URLs without repeating them", () =>
    Effect.gen(function* () {
      const refused = [
        "http://pager.example.com/canary",
        "https://10.0.0.1/canary",
        "https://localhost/canary",
        "canary"
      ]
      for (const given of refused) {
        const { body, status, text } = yield* create(given)
        expect([status, body.type]).toEqual([400, expect.stringContaining("/invalid-webhook-url")])
        expect(text).not.toContain("canary")
      }
    })
  )

  it.effect("refuses the eleventh webhook", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const made = yield* Effect.forEach(Array.from({ length: 10 }), () => create(url))
      expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201))
      const { body, status } = yield* create(url)
      expect([status, body.type, body.detail]).toEqual([
        409,
        expect.stringContaining("/too-many-alarm-webhooks"),
        "The venue can have at most 10 alarm webhooks; remove one first with POST /alarm-webhooks/remove."
      ])
      for (const { body } of made) yield* admin("POST", "/alarm-webhooks/remove", { id: body.id, reason })
    })
  )
})

it.layer(layer.pipe(Layer.provide(Layer.succeed(LoopbackEndpoints)(true))), { excludeTestServices: true })(
  "alarm webhooks on this machine",
  (it) => {
    it.effect("accepts a loopback URL only where users' webhooks may have one", () =>
      Effect.gen(function* () {
        expect((yield* create("http://127.0.0.1:9/alarms")).status).toBe(201)
      })
    )
  }
)
