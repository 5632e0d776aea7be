/** Tests of settlement prices, futures calendars and holidays in the operator interface. */
import { Audit } from "@venue/storage/access/Audit"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, RestClient } from "../rest/RestClient.ts"

const reason = "as published"
const friday = { symbol: "us100-usd", day: "2024-11-22", official_close: 21_000, settlement: "21080", reason }

it.layer(layer, { excludeTestServices: true })("settlement prices, calendars and holidays", (it) => {
  it.effect("rule 3.8: records an index's close and its future's settlement price for a day", () =>
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
      const facts = { day: "2024-11-25", officialClose: 21_100.5, settlement: 21_080, futureSymbol: null, reason }
      expect(last).toMatchObject({ action: "settlement_recorded", actor: "operator", facts })
    })
  )

  it.effect("refuses a settlement price that is 0, for a stock, for an unknown symbol, or for an invalid day", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const status = (over: object) =>
        Effect.map(admin("POST", "/settlement-prices", { ...friday, ...over }), (answer) => [
          answer.status,
          answer.body.errors?.[0].location
        ])
      expect(yield* status({ symbol: "NOPE-USD" })).toEqual([404, undefined])
      for (const symbol of ["AAPL-USD", "GOLD-USD"]) expect(yield* status({ symbol })).toEqual([422, "body.symbol"])
      for (const future_symbol of ["", "clk6", "CL K6", "C".repeat(33), null])
        expect(yield* status({ future_symbol })).toEqual([422, "body.future_symbol"])
      for (const day of ["2024-02-30", "2024-13-01", "20241122", "2024-11-22T00:00:00Z", "", "9999-11-20"])
        expect(yield* status({ day })).toEqual([422, "body.day"])
      for (const settlement of [0, -1, 1e8, null])
        expect(yield* status({ settlement })).toEqual([422, "body.settlement"])
      expect(yield* status({ official_close: 1e-9 })).toEqual([422, "body.official_close"])
    })
  )

  it.effect("rule 3.10: sets and audits a symbol's futures from a given time onwards", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const future = (future_symbol: string, active_until: string, expiration: string) => ({
        future_symbol,
        active_until,
        expiration
      })
      const first = future("CLX6", "2026-10-13T21:30:00Z", "2026-10-20T21:30:00Z")
      const second = future("CLZ6", "2026-11-12T22:30:00+01:00", "2026-11-20T21:30:00Z")
      const body = { symbol: "cl-usd", active_from: "2026-09-14T21:30:00Z", futures: [first, second], reason }
      expect((yield* admin("POST", "/settlement-calendar", body)).status).toBe(204)
      const calendar = yield* admin("GET", "/settlement-calendar?symbol=cl-usd")
      expect(calendar.body).toMatchObject({
        symbol: "CL-USD",
        count: 2,
        data: [
          {
            future_symbol: "CLZ6",
            active_from: "2026-10-13T21:30:00.000Z",
            active_until: "2026-11-12T21:30:00.000Z",
            expiration: "2026-11-20T21:30:00.000Z"
          },
          { future_symbol: "CLX6", active_from: "2026-09-14T21:30:00.000Z" }
        ]
      })
      const [last] = yield* (yield* Audit).about("CL-USD")
      expect(last).toMatchObject({
        action: "settlement_calendar_set",
        actor: "operator",
        facts: {
          activeFrom: "2026-09-14T21:30:00.000Z",
          futures:
            "CLX6 until 2026-10-13T21:30:00.000Z, expires 2026-10-20T21:30:00.000Z, " +
            "CLZ6 until 2026-11-12T21:30:00.000Z, expires 2026-11-20T21:30:00.000Z",
          reason
        }
      })
      const refused = (over: object) =>
        Effect.map(admin("POST", "/settlement-calendar", { ...body, ...over }), (answer) => [
          answer.status,
          answer.body.errors?.[0].location
        ])
      expect(yield* refused({ symbol: "NOPE-USD" })).toEqual([404, undefined])
      expect(yield* refused({ symbol: "GOLD-USD" })).toEqual([422, "body.symbol"])
      for (const active_from of [
        "2026-09-14",
        "1969-12-31T23:59:59Z",
        "9999-12-31T23:59:59-14:00",
        "2026-04-31T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-09-14T24:00:00Z"
      ])
        expect(yield* refused({ active_from })).toEqual([422, "body.active_from"])
      expect(yield* refused({ active_from: "2026-10-13T21:30:00Z" })).toEqual([422, "body.futures.0.active_until"])
      expect(yield* refused({ futures: [second, first] })).toEqual([422, "body.futures.1.active_until"])
      const early = { ...second, expiration: "2026-11-12T21:29:59Z" }
      expect(yield* refused({ futures: [first, early] })).toEqual([422, "body.futures.1.expiration"])
      const nonexistent = { ...second, expiration: "2026-11-31T21:30:00Z" }
      expect(yield* refused({ futures: [first, nonexistent] })).toEqual([422, "body.futures.1.expiration"])
      const twice = { ...second, future_symbol: "CLX6" }
      expect(yield* refused({ futures: [first, twice] })).toEqual([422, "body.futures.1.future_symbol"])
      const many = Array.from({ length: 101 }, () => first)
      expect(yield* refused({ futures: many })).toEqual([422, "body.futures"])
      expect((yield* admin("GET", "/settlement-calendar?symbol=CL-USD")).body.count).toBe(2)
      expect((yield* admin("GET", "/settlement-calendar?symbol=NOPE-USD")).status).toBe(404)
      for (const query of ["", "?symbol=", "?symbol=GOLD-USD"])
        expect((yield* admin("GET", `/settlement-calendar${query}`)).body.errors[0].location).toBe("query.symbol")
    })
  )

  it.effect("rule 3.9: replaces and audits the holidays of one year", () =>
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
