/** Settlement prices and holidays over the operator interface. */
import { Audit } from "@venue/storage/access/Audit"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, RestClient } from "../rest/RestClient.ts"

const reason = "as published"
const friday = { symbol: "us100-usd", day: "2024-11-22", official_close: 21_000, settlement: "21080", reason }

it.layer(layer, { excludeTestServices: true })("what prices of futures need", (it) => {
  it.effect("rule 3.8: the close of an index and the settlement of its future are recorded for a day", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      expect((yield* admin("POST", "/settlement-prices", friday)).status).toBe(204)
      const monday = { ...friday, day: "2024-11-25", official_close: 21_100.5 }
      expect((yield* admin("POST", "/settlement-prices", monday)).status).toBe(204)
      const { body } = yield* admin("GET", "/settlement-prices")
      expect(body).toMatchObject({
        count: 1,
        data: [{ symbol: "US100-USD", day: "2024-11-25", official_close: 21_100.5, settlement: 21_080 }]
      })
      const [last] = yield* (yield* Audit).about("US100-USD")
      const facts = { day: "2024-11-25", officialClose: 21_100.5, settlement: 21_080, reason }
      expect(last).toMatchObject({ action: "settlement_recorded", actor: "operator", facts })
    })
  )

  it.effect("a share, an unknown symbol, a day that is not there and a price of nothing are refused", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const status = (over: object) =>
        Effect.map(admin("POST", "/settlement-prices", { ...friday, ...over }), (answer) => [
          answer.status,
          answer.body.errors?.[0].location
        ])
      expect(yield* status({ symbol: "NOPE-USD" })).toEqual([404, undefined])
      expect(yield* status({ symbol: "AAPL-USD" })).toEqual([422, "body.symbol"])
      for (const day of ["2024-02-30", "2024-13-01", "20241122", "2024-11-22T00:00:00Z", "", "9999-11-20"])
        expect(yield* status({ day })).toEqual([422, "body.day"])
      for (const settlement of [0, -1, 1e8, null])
        expect(yield* status({ settlement })).toEqual([422, "body.settlement"])
      expect(yield* status({ official_close: 1e-9 })).toEqual([422, "body.official_close"])
    })
  )

  it.effect("rule 3.9: the holidays of a year are set at once, on record", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const set = (year: string, days: ReadonlyArray<string>) => admin("POST", "/holidays", { year, days, reason })
      expect((yield* set("2026", ["2026-11-26", "2026-12-25"])).status).toBe(204)
      expect((yield* set("2026", ["2027-01-01"])).body.errors[0].location).toBe("body.days")
      expect((yield* set("2026", ["2026-12-25"])).status).toBe(204)
      expect((yield* admin("GET", "/holidays")).body).toMatchObject({ data: ["2026-12-25"], count: 1 })
      const [last] = yield* (yield* Audit).about("2026")
      expect(last).toMatchObject({ action: "holidays_set", facts: { days: "2026-12-25", reason } })
    })
  )
})
