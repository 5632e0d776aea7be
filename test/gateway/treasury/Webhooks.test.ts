/** Tests of webhook endpoints over REST, and of their messages. */
import * as WebhookLoop from "@venue/cluster/singletons/WebhookLoop"
import { WebhookEvent } from "@venue/domain/Webhook"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import { LoopbackEndpoints } from "@venue/providers/webhooks/Endpoint"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import { WebhookMemory } from "@venue/storage/treasury/WebhookMemory"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { setImmediate } from "node:timers/promises"
import { Webhook } from "standardwebhooks"
import { credited } from "../../providers/webhooks/Message.ts"
import { receiver, resolver, status } from "../../providers/webhooks/Receiver.ts"
import { treasury } from "../rest/contract/Operations.ts"
import { ask, RestClient } from "../rest/RestClient.ts"
import { layer } from "./TreasuryClient.ts"

const askAs = Effect.fnUntraced(function* (user: TestUser, method: string, path: string, body?: unknown) {
  const { signed } = yield* RestClient
  return yield* ask(method, path, yield* signed(user), body)
})

const newUser = (name: string) => Effect.flatMap(TestVenue, (venue) => venue.user(name))

it.live("returns the webhook secret once with `no-store`, and lists the endpoint only to its owner", () =>
  Effect.gen(function* () {
    const [amy, ben] = [yield* newUser("amy"), yield* newUser("ben")]
    const made = yield* askAs(amy, "POST", "/webhooks", { url: "https://Example.com/venue?key=canary" })
    assert.strictEqual(made.status, 201)
    assert.strictEqual(made.headers.get("cache-control"), "no-store")
    const { $schema: _, secret, ...endpoint } = made.body
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.strictEqual(endpoint.url, "https://example.com/venue?key=canary")
    assert.deepStrictEqual(endpoint.events, WebhookEvent.literals)
    const listed = yield* askAs(amy, "GET", "/webhooks")
    assert.notInclude(listed.text, secret)
    const rest = { disabled_at: null, disabled_reason: null, deliveries: [] }
    assert.deepStrictEqual(listed.body.data, [{ ...endpoint, ...rest }])
    assert.deepStrictEqual((yield* askAs(ben, "GET", "/webhooks")).body.data, [])
    assert.strictEqual((yield* askAs(ben, "DELETE", `/webhooks/${endpoint.id}`)).status, 404)
    assert.strictEqual((yield* askAs(amy, "DELETE", `/webhooks/${endpoint.id}`)).status, 204)
    assert.strictEqual((yield* askAs(amy, "DELETE", `/webhooks/${endpoint.id}`)).status, 404)
  }).pipe(Effect.provide(layer))
)

it.live("rejects an invalid webhook without repeating its URL; an error about the URL states the expected form", () =>
  Effect.gen(function* () {
    const amy = yield* newUser("amy")
    const refused = Effect.fnUntraced(function* (body: object, expected: number, message: RegExp) {
      const answer = yield* askAs(amy, "POST", "/webhooks", body)
      assert.strictEqual(answer.status, expected)
      if (expected === 400) assert.match(answer.body.type, /\/problems\/invalid-webhook-url$/)
      assert.match(answer.body.errors[0].message, message)
      assert.notInclude(answer.text, "canary")
    })
    const url = "https://example.com/canary"
    yield* refused({ url: "http://example.com/canary" }, 400, /begins with https:/)
    yield* refused({ url: "https://canary:canary@example.com" }, 400, /user name or password/)
    yield* refused({ url: "https://example.com:9000/canary" }, 400, /443 or 8443/)
    yield* refused({ url: "https://127.0.0.1/canary" }, 400, /public host/)
    yield* refused({ url: "https://canary.internal/" }, 400, /public host/)
    yield* refused({ url, events: [] }, 422, /./)
    yield* refused({ url, events: ["deposit.lost"] }, 422, /./)
    yield* refused({ url, secret: "canary" }, 422, /./)
    yield* refused({}, 422, /./)
    const twice = yield* askAs(amy, "POST", "/webhooks", { url, events: ["deposit.credited", "deposit.credited"] })
    assert.deepStrictEqual(twice.body.events, ["deposit.credited"])
  }).pipe(Effect.provide(layer))
)

it.live("sends later events to a new endpoint, signed with the endpoint's secret", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* receiver(status(204))
    const amy = yield* newUser("amy")
    const { body: made } = yield* askAs(amy, "POST", "/webhooks", { url: `http://localhost:${port}/venue` })
    const { transaction } = yield* MemoryTables
    const memory = yield* WebhookMemory
    yield* transaction(Effect.sync(() => memory.write({ ...credited, userId: amy.userId, atMillis: Date.now() })))
    yield* Effect.forkScoped(WebhookLoop.run)
    const { body, headers } = yield* Queue.take(heard)
    const read = new Webhook(made.secret).verify(body, headers as Record<string, string>)
    assert.include(read as object, { type: "deposit.credited" })
    assert.isTrue(treasury.validatorOf(treasury.webhooks["deposit.credited"]!.schema)(read))
    let deliveries: ReadonlyArray<Record<string, unknown>> = []
    while (deliveries[0]?.["outcome"] !== "DELIVERED") {
      yield* Effect.promise(() => setImmediate())
      deliveries = (yield* askAs(amy, "GET", "/webhooks")).body.data[0].deliveries
    }
    assert.lengthOf(deliveries, 1)
    const expected = {
      message_id: headers["webhook-id"],
      event: "deposit.credited",
      attempt: 1,
      status: 204,
      fault: null
    }
    assert.include(deliveries[0], expected)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.mergeAll(
        layer,
        WebhookMemory.layer,
        MemoryTables.layer,
        WebhookSender.layer.pipe(Layer.provide(resolver({ localhost: [["127.0.0.1"]] }).layer))
      ).pipe(Layer.provideMerge(Layer.succeed(LoopbackEndpoints)(true)))
    )
  )
)
