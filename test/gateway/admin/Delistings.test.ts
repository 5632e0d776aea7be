/** Tests of the two steps in which an operator delists a contract (rule 19.3). */
import { Audit } from "@venue/storage/access/Audit"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, limit } from "../../venue/Story.ts"
import { layer, RestClient } from "../rest/RestClient.ts"

const delisting = { symbol: "aapl-usd", reason: "merged" }
const set = Effect.fnUntraced(function* (state: string, symbols: ReadonlyArray<string>) {
  const { admin } = yield* RestClient
  return yield* admin("POST", "/trading-state", { symbols, state, reason: "merged" })
})

it.layer(layer, { excludeTestServices: true })("delistings", (it) => {
  it.effect("settles a halted contract once when it is delisted, and refuses trading in the contract afterwards", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin, get, signed } = yield* RestClient
      yield* venue.price(aapl, 200)
      const [long, short] = [yield* venue.user("long"), yield* venue.user("short")]
      const [buyer, seller] = [yield* venue.trade(long), yield* venue.trade(short)]
      yield* seller.send(limit("SELL", 50, 201))
      yield* seller.take("order_response")
      yield* buyer.send(limit("BUY", 50, 201))
      yield* buyer.take("fill_response")

      const early = yield* admin("POST", "/delistings", delisting)
      expect([early.status, early.body.detail]).toEqual([409, expect.stringContaining("stop trading first")])
      expect((yield* set("HALTED", [aapl])).status).toBe(200)
      const settled = { symbol: aapl, state: "DELISTED", settlement_price: 200 }
      expect((yield* admin("POST", "/delistings", delisting)).body).toEqual(settled)
      const { fill_response: fill } = yield* buyer.take("fill_response")
      expect(fill).toMatchObject({ execution_type: "SETTLEMENT", price: 200, fee: 0 })
      expect((yield* admin("POST", "/delistings", delisting)).body).toEqual(settled)
      yield* venue.settle

      const { body } = yield* get("/user/positions", yield* signed(long))
      expect([body.positions[0].position, body.balance.realised_pnl]).toEqual([0, -50])
      expect((yield* get(`/refdata?ticker=${aapl}`)).body.data[0].status).toBe("DELISTED")
      expect((yield* admin("GET", "/proof")).body.balanced).toBe(true)
      for (const state of ["TRADING", "CANCEL_ONLY"]) {
        const { body: refusal, status } = yield* set(state, [aapl])
        expect([status, refusal.detail]).toEqual([
          409,
          "AAPL-USD is delisted or in settlement and cannot be changed; choose another symbol."
        ])
      }
      const dividend = { symbol: aapl, amount: 1, ex_date: "2024-11-22", reason: "late" }
      expect((yield* admin("POST", "/dividends", dividend)).status).toBe(409)
      const late = { symbol: aapl, reason: "late" }
      for (const [path, body] of [
        ["/prices", { ...late, price: 201 }],
        ["/prices/pause", late],
        ["/prices/resume", late],
        ["/splits", { ...late, numerator: 4, denominator: 1, ex_date: "2024-11-22" }]
      ] as const)
        expect((yield* admin("POST", path, body)).body.detail).toBe(
          "AAPL-USD is delisted or in settlement and cannot be changed; choose another symbol."
        )
      yield* buyer.drain
      yield* buyer.send(limit("BUY", 1, 200))
      expect((yield* buyer.take("order_response")).order_response.status).toBe("BAD_SYMBOL")
      const entries = yield* (yield* Audit).about(aapl)
      expect(entries.filter(({ action }) => action === "delisting_asked")).toHaveLength(1)
    })
  )

  it.effect("the wildcard symbol changes the trading state of every symbol except a delisted one", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      expect((yield* set("CANCEL_ONLY", ["*"])).status).toBe(200)
      const states: ReadonlyArray<{ symbol: string; state: string }> = (yield* admin("GET", "/trading-state")).body.data
      for (const { state, symbol } of states) expect(state).toBe(symbol === aapl ? "DELISTED" : "CANCEL_ONLY")
    })
  )

  it.effect("refuses a delisting with an unknown symbol, an empty reason or an unknown member", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      for (const [body, status] of [
        [{ ...delisting, symbol: "NOPE-USD" }, 404],
        [{ ...delisting, reason: "" }, 422],
        [{ ...delisting, price: 3 }, 422]
      ] as const)
        expect((yield* admin("POST", "/delistings", body)).status).toBe(status)
    })
  )
})
