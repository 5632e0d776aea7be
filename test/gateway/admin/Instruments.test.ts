/** Tests of contracts that an operator lists while the venue runs (rule 1.8). */
import { Audit } from "@venue/storage/access/Audit"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestVenue } from "@venue/testing/TestVenue"
import { layer, RestClient } from "../rest/RestClient.ts"

const listing = {
  base_asset: "ba",
  product_category: "EQUITY",
  tick_size: 0.01,
  lot_size: 0.001,
  min_quantity: 0.1,
  max_quantity: 100_000,
  default_max_leverage: 10,
  reason: "asked for"
}
const { reason: _reason, ...terms } = listing
const limits = { position_limit: 2_500_000, open_interest_limit: 25_000_000 }
const listed = { ...terms, ...limits, symbol: "BA-USD", base_asset: "BA", clob_pair_id: 1_001, in_force: true }

it.layer(layer, { excludeTestServices: true })("instruments", (it) => {
  it.effect("lists a contract once, and serves it at once", () =>
    Effect.gen(function* () {
      const { admin, get } = yield* RestClient
      for (let times = 0; times < 2; times++)
        expect((yield* admin("POST", "/instruments", listing)).body).toEqual(listed)
      const { body, status } = yield* admin("POST", "/instruments", { ...listing, tick_size: 0.1 })
      expect([status, body.detail]).toEqual([
        409,
        "BA-USD is already listed with different terms, and the terms of a listed symbol never change; choose another symbol, or send the terms that GET /instruments returns."
      ])
      const { data } = (yield* admin("GET", "/instruments")).body
      expect(data.at(-1)).toEqual(listed)
      expect(data[0]).toMatchObject({ symbol: "AAPL-USD", in_force: true, tick_size: 0.01, lot_size: 0.001 })
      expect((yield* get("/refdata?ticker=BA-USD")).body.data).toHaveLength(1)
      const entries = yield* (yield* Audit).about("BA-USD")
      expect(entries).toHaveLength(1)
      expect(entries[0]).toMatchObject({ action: "listing_asked", facts: { tick_size: 0.01, reason: "asked for" } })
    })
  )

  it.effect("a contract that is listed while the venue runs trades without a restart", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const venue = yield* TestVenue
      const [maker, taker] = [
        yield* venue.trade(yield* venue.user("maker", 10_000)),
        yield* venue.trade(yield* venue.user("taker", 10_000))
      ]
      expect((yield* admin("POST", "/instruments", { ...listing, base_asset: "KO" })).body.in_force).toBe(true)
      yield* venue.price("KO-USD", 60)
      const order = {
        symbol: "KO-USD",
        order_type: "LIMIT",
        order_time_in_force: "GTC",
        quantity: 1,
        price: 60
      }
      yield* maker.send({ type: "add_order", params: { ...order, side: "SELL" } })
      expect((yield* maker.take("order_response")).order_response).toMatchObject({ status: "ACK" })
      yield* taker.send({ type: "add_order", params: { ...order, side: "BUY" } })
      expect((yield* maker.take("order_response")).order_response).toMatchObject({ status: "FILLED" })
    })
  )

  it.effect(
    "returns the listed contract for a repeated listing with equal terms, and refuses different terms with 409",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        const apple = { ...listing, base_asset: "AAPL" }
        expect((yield* admin("POST", "/instruments", apple)).body).toMatchObject({ symbol: "AAPL-USD", in_force: true })
        expect((yield* admin("POST", "/instruments", { ...apple, default_max_leverage: 20 })).status).toBe(409)
      })
  )

  it.effect("refuses a listing with invalid terms, and names the invalid member", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      for (const [field, value] of [
        ["base_asset", "B A"],
        ["product_category", "CRYPTO"],
        ["tick_size", 0.025],
        ["lot_size", 0.00000001],
        ["min_quantity", 0.0001],
        ["max_quantity", 0.05],
        ["max_quantity", 5_000_000],
        ["default_max_leverage", 51]
      ] as const) {
        const { body, status } = yield* admin("POST", "/instruments", { ...listing, base_asset: "IBM", [field]: value })
        expect([field, status, body.errors[0].location]).toEqual([field, 422, `body.${field}`])
      }
      expect(yield* (yield* Audit).about("IBM-USD")).toEqual([])
    })
  )
})
