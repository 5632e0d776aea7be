/** Tests that a venue without rails refuses destinations that it could not pay. */
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer as restLayer, RestClient } from "../rest/RestClient.ts"
import { details } from "./Bank.ts"
import { addressAt, layerNone, tronAddressAt } from "./Rails.ts"
import { layer as connected, layerOver } from "./TreasuryClient.ts"

const unconnected = layerOver.pipe(Layer.provideMerge(restLayer), Layer.provideMerge(layerNone))

const asked = Effect.fnUntraced(function* (path: string, body: object) {
  const { post, signed } = yield* RestClient
  return yield* post(path, body, yield* signed(yield* (yield* TestVenue).user("unconnected")))
})

it.layer(unconnected, { excludeTestServices: true })("a venue without rails", (it) => {
  for (const [path, body, rail] of [
    ["/bank-account?currency=usd", details, "a bank"],
    ["/withdrawal-addresses", { address: addressAt(0), network: "ARBITRUM_ONE" }, "ARBITRUM_ONE"],
    ["/withdrawal-addresses", { address: tronAddressAt(0), network: "TRON" }, "TRON"]
  ] as const) {
    it.effect(`returns 503 for POST ${path} with ${rail} on a venue without rails`, () =>
      Effect.gen(function* () {
        const { body: refusal, status } = yield* asked(path, body)
        expect([status, refusal.type]).toEqual([503, expect.stringContaining("/problems/rail-not-connected")])
        expect(refusal.detail).toContain(`not connected to ${rail}`)
      })
    )
  }
})

it.effect("names the invalid member of bank details", () =>
  Effect.gen(function* () {
    const { body, status } = yield* asked("/bank-account?currency=usd", { ...details, routing_number: "021000022" })
    expect([status, body.type]).toEqual([400, expect.stringContaining("/problems/invalid-bank-details")])
    expect(body.errors[0].location).toBe("body.routing_number")
  }).pipe(Effect.provide(connected))
)
