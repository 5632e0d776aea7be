/** An operator has a dividend paid: both sides of a position are told, once, and the books balance (rule 19.1). */
import { Audit } from "@venue/storage/access/Audit"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, limit } from "../../venue/Story.ts"
import { layer, RestClient } from "../rest/RestClient.ts"

const asked = { symbol: "aapl-usd", amount: 0.26, ex_date: "2024-11-22", reason: "quarterly" }
it.layer(layer, { excludeTestServices: true })("dividends", (it) => {
  it.effect("a long of 50 receives 13.00 of 0.26, and a short pays it; the same day again changes nothing", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin, get, signed } = yield* RestClient
      yield* venue.price(aapl, 200)
      const [long, short] = [yield* venue.user("long"), yield* venue.user("short")]
      const [buyer, seller] = [yield* venue.trade(long), yield* venue.trade(short)]
      yield* seller.send(limit("SELL", 50, 200))
      yield* seller.take("order_response")
      yield* buyer.send(limit("BUY", 50, 200))
      yield* buyer.take("fill_response")

      expect((yield* admin("POST", "/dividends", asked)).status).toBe(200)
      for (const body of [asked, { ...asked, amount: 9 }, { ...asked, ex_date: "2024-11-21" }]) {
        const { body: refusal, status } = yield* admin("POST", "/dividends", body)
        expect([status, refusal.detail]).toEqual([409, expect.stringContaining("was for 2024-11-22")])
      }
      yield* venue.settle
      for (const [user, funding] of [
        [long, 13],
        [short, -13]
      ] as const) {
        const { body } = yield* get("/user/positions", yield* signed(user))
        expect(body.positions[0].net_funding).toBe(funding)
        expect(body.balance.net_funding).toBe(funding)
      }
      expect((yield* admin("GET", "/proof")).body.balanced).toBe(true)
      const told = yield* (yield* Audit).about(aapl)
      expect(told.at(-1)).toMatchObject({
        action: "dividend_asked",
        facts: { amount: 0.26, exDate: "2024-11-22", reason: "quarterly" }
      })
    })
  )

  it.effect("what cannot be meant is refused, and nothing is paid", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const venue = yield* TestVenue
      yield* venue.price("MSFT-USD", 400)
      yield* venue.price("EUR-USD", 1.1)
      const good = { ...asked, symbol: "MSFT-USD" }
      for (const [body, status] of [
        [{ ...good, symbol: "NOPE-USD" }, 404],
        [{ ...good, symbol: "EUR-USD" }, 422],
        [{ ...good, amount: 400 }, 422],
        [{ ...good, amount: 0.000000001 }, 422],
        [{ ...good, amount: -1 }, 422],
        [{ ...good, ex_date: "2026-02-30" }, 422],
        [{ ...good, ex_date: "22.11.2024" }, 422],
        [{ ...good, ex_date: "9999-01-01" }, 422],
        [{ ...good, reason: "" }, 422]
      ] as const) {
        expect([body, (yield* admin("POST", "/dividends", body)).status]).toEqual([body, status])
      }
      const unpriced = yield* admin("POST", "/dividends", { ...good, symbol: "NVDA-USD" })
      const errors = [{ location: "body.symbol", message: "Expected a symbol that has a price" }]
      expect([unpriced.status, unpriced.body.errors]).toEqual([422, errors])
      expect(yield* (yield* Audit).about("MSFT-USD")).toEqual([])
    })
  )
})
