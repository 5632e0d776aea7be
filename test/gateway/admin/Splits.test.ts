/** Tests of stock splits by an operator: converted positions, adjusted prices and balanced books (rule 19.2). */
import { Audit } from "@venue/storage/access/Audit"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, limit } from "../../venue/Story.ts"
import { layer, RestClient } from "../rest/RestClient.ts"

const fourForOne = { symbol: "aapl-usd", numerator: 4, denominator: 1, ex_date: "2024-11-22", reason: "board" }
const set = Effect.fnUntraced(function* (state: string, symbol: string = aapl) {
  const { admin } = yield* RestClient
  return yield* admin("POST", "/trading-state", { symbols: [symbol], state, reason: "split" })
})

it.layer(layer, { excludeTestServices: true })("splits", (it) => {
  it.effect("a 4:1 split converts 50 units at 200 into 200 at 50, and a second split on the same day is refused", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin, get, signed } = yield* RestClient
      yield* venue.price(aapl, 200)
      const long = yield* venue.user("long")
      const [buyer, seller] = [yield* venue.trade(long), yield* venue.trade(yield* venue.user("short"))]
      yield* seller.send(limit("SELL", 50, 200))
      yield* seller.take("order_response")
      yield* buyer.send(limit("BUY", 50, 200))
      yield* buyer.take("fill_response")
      const held = Effect.gen(function* () {
        yield* venue.settle
        return (yield* get("/user/positions", yield* signed(long))).body
      })
      const before = yield* held

      const early = yield* admin("POST", "/splits", fourForOne)
      expect([early.status, early.body.detail]).toEqual([
        409,
        "AAPL-USD is not halted; halt it first with POST /trading-state."
      ])
      yield* set("HALTED")
      expect((yield* admin("POST", "/splits", fourForOne)).body).toEqual({
        ...fourForOne,
        symbol: aapl,
        reason: undefined
      })
      const { body: refusal, status } = yield* admin("POST", "/splits", fourForOne)
      expect([status, refusal.detail]).toEqual([
        409,
        "The last split of AAPL-USD had the ex_date 2024-11-22; send a later ex_date."
      ])

      const { balance, positions } = yield* held
      expect(positions[0]).toMatchObject({ position: 200, average_price: 50, realised_pnl: 0, unrealised_pnl: 0 })
      expect(balance).toEqual(before.balance)
      const [listed] = (yield* get(`/refdata?ticker=${aapl}`)).body.data
      expect(listed).toMatchObject({ underlier_price: "50", price_change_24h: "0" })
      expect((yield* admin("GET", "/proof")).body.balanced).toBe(true)

      yield* set("CANCEL_ONLY")
      expect((yield* set("TRADING")).status).toBe(200)
      yield* buyer.drain
      yield* buyer.send(limit("SELL", 1, 52))
      expect((yield* buyer.take("order_response")).order_response.status).toBe("ACK")
      const entries = yield* (yield* Audit).about(aapl)
      expect(entries.filter(({ action }) => action === "split_asked").map(({ facts }) => facts)).toEqual([
        { numerator: 4, denominator: 1, exDate: "2024-11-22", reason: "board" }
      ])
    })
  )

  it.effect(
    "refuses a split that the reserve fund cannot pay, and executes the split after a top-up of the missing amount",
    () =>
      Effect.gen(function* () {
        const venue = yield* TestVenue
        const { admin } = yield* RestClient
        const nvda = "NVDA-USD"
        yield* venue.price(nvda, 200)
        const order = (side: "BUY" | "SELL") => limit(side, 0.101, 200, { symbol: nvda })
        const seller = yield* venue.trade(yield* venue.user("house"))
        for (const name of ["one", "two"]) {
          yield* seller.send(order("SELL"))
          yield* seller.take("order_response")
          const buyer = yield* venue.trade(yield* venue.user(name))
          yield* buyer.send(order("BUY"))
          yield* buyer.take("fill_response")
        }
        yield* set("HALTED", nvda)
        const three = { ...fourForOne, symbol: nvda, numerator: 3, denominator: 2 }
        const { body: refusal, status } = yield* admin("POST", "/splits", three)
        expect([status, refusal.detail]).toEqual([409, expect.stringContaining("needs 0.133332 USD more")])
        yield* admin("POST", "/reserve-fund", {
          top_up_id: "0b9f5a9e-51c4-4a52-9d0b-6a1f2c7e9d10",
          symbol: nvda,
          amount: 1,
          reason: "odd lots"
        })
        const answered = yield* admin("POST", "/splits", three)
        expect([answered.status, answered.body]).toEqual([200, expect.objectContaining({ numerator: 3 })])
        expect((yield* admin("GET", "/proof")).body.balanced).toBe(true)
      })
  )

  it.effect("refuses an invalid split and changes no position", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const good = { ...fourForOne, symbol: "MSFT-USD" }
      for (const [body, status] of [
        [{ ...good, symbol: "NOPE-USD" }, 404],
        [{ ...good, symbol: "EUR-USD" }, 422],
        [{ ...good, denominator: 4 }, 422],
        [{ ...good, numerator: 0 }, 422],
        [{ ...good, numerator: 1.5 }, 422],
        [{ ...good, numerator: 1_001 }, 422],
        [{ ...good, ex_date: "2026-02-30" }, 422],
        [{ ...good, ex_date: "9999-01-01" }, 422],
        [{ ...good, reason: "" }, 422]
      ] as const)
        expect([body, (yield* admin("POST", "/splits", body)).status]).toEqual([body, status])
      expect(yield* (yield* Audit).about("MSFT-USD")).toEqual([])
    })
  )
})
