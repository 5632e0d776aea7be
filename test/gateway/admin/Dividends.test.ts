/**
 * Tests of dividends that an operator triggers: the short side pays the long side once, and the books stay balanced
 * (rule 19.1).
 */
import { Audit } from "@venue/storage/access/Audit"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, limit } from "../../venue/Story.ts"
import { layer, RestClient } from "../rest/RestClient.ts"

const quarterly = { symbol: "aapl-usd", amount: 0.26, ex_date: "2024-11-22", reason: "quarterly" }
it.layer(layer, { excludeTestServices: true })("dividends", (it) => {
  it.effect(
    "pays 13.00 from short to long for 50 units at a dividend of 0.26, and refuses a second dividend on the same day",
    () =>
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

        expect((yield* admin("POST", "/dividends", quarterly)).status).toBe(200)
        for (const body of [quarterly, { ...quarterly, amount: 9 }, { ...quarterly, ex_date: "2024-11-21" }]) {
          const { body: refusal, status } = yield* admin("POST", "/dividends", body)
          expect([status, refusal.detail]).toEqual([409, expect.stringContaining("had the ex_date 2024-11-22")])
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
        const entries = yield* (yield* Audit).about(aapl)
        expect(entries.at(-1)).toMatchObject({
          action: "dividend_asked",
          facts: { amount: 0.26, exDate: "2024-11-22", reason: "quarterly" }
        })
      })
  )

  it.effect("refuses an invalid dividend and pays nothing", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const venue = yield* TestVenue
      yield* venue.price("MSFT-USD", 400)
      yield* venue.price("EUR-USD", 1.1)
      const good = { ...quarterly, symbol: "MSFT-USD" }
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
