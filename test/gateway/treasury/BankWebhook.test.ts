/** Tests of the bank's webhooks at the treasury URL. */
import { RailClient } from "@venue/cluster/clients/RailClient"
import { Unavailable } from "@venue/cluster/protocol/Market"
import * as TreasuryServer from "@venue/gateway/treasury/TreasuryServer"
import * as StandardWebhook from "@venue/providers/StandardWebhook"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { layer as restLayer } from "../rest/RestClient.ts"
import * as Rails from "./Rails.ts"
import { options } from "./TreasuryClient.ts"

const secret = Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
const body = '{"type":"credits.changed"}'

const post = (url: string, headers: Readonly<Record<string, string>>, text = body) =>
  Effect.promise(() =>
    fetch(`${url}/provider/bank`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: text
    }).then((response) => response.text().then((text) => ({ status: response.status, text })))
  )

/** Opens a venue's treasury interface, and records which rails it has woken. */
const opened = (bankWebhookSecret: Redacted.Redacted | undefined, isUp = true) =>
  Effect.gen(function* () {
    const woken: Array<string> = []
    const wake = (rail: string) =>
      isUp ? Effect.sync(() => void woken.push(rail)) : Effect.fail(new Unavailable({ what: "a test" }))
    const { url } = yield* TreasuryServer.open({ ...options, bankWebhookSecret }).pipe(
      Effect.provideService(RailClient, RailClient.of({ wake }))
    )
    return { url, woken }
  })

const venue = Effect.provide(Layer.provideMerge(restLayer, Rails.layer))
const signed = (id: string, by = secret) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ ...StandardWebhook.sign(by, id, body, now) }))

it.live("a repeated bank message triggers only one poll of the bank", () =>
  Effect.gen(function* () {
    const { url, woken } = yield* opened(secret)
    const headers = yield* signed("m-1")
    for (let n = 0; n < 3; n++) assert.deepStrictEqual(yield* post(url, headers), { status: 204, text: "" })
    assert.deepStrictEqual(woken, ["BANK"])
    assert.strictEqual((yield* post(url, yield* signed("m-2"))).status, 204)
    assert.deepStrictEqual(woken, ["BANK", "BANK"])
  }).pipe(Effect.scoped, venue)
)

it.live("rejects a bank message that is signed with another key, has an old timestamp or has a changed body", () =>
  Effect.gen(function* () {
    const { url, woken } = yield* opened(secret)
    const other = Redacted.make("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    const now = yield* Clock.currentTimeMillis
    const refused = [
      yield* post(url, {}),
      yield* post(url, yield* signed("m-1", other)),
      yield* post(url, { ...StandardWebhook.sign(secret, "m-1", body, now - 301_000) }),
      yield* post(url, yield* signed("m-1"), `${body} `)
    ]
    for (const { status, text } of refused) {
      assert.strictEqual(status, 401)
      assert.include(text, "credentials-not-accepted")
    }
    assert.deepStrictEqual(woken, [])
  }).pipe(Effect.scoped, venue)
)

it.live("responds to the bank with success while the rail is down", () =>
  Effect.gen(function* () {
    const { url } = yield* opened(secret, false)
    assert.strictEqual((yield* post(url, yield* signed("m-1"))).status, 204)
  }).pipe(Effect.scoped, venue)
)

it.live("returns 404 if no webhook secret is configured", () =>
  Effect.gen(function* () {
    const { url } = yield* opened(undefined)
    assert.strictEqual((yield* post(url, yield* signed("m-1"))).status, 404)
  }).pipe(Effect.scoped, venue)
)
