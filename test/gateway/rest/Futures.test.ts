/**
 * Tests of the futures from which prices are derived, which an operator records and every caller can read, over real
 * sockets.
 */
import * as RestServer from "@venue/gateway/rest/RestServer"
import { weightOf } from "@venue/gateway/http/RequestWeight"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { layerMemory } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { call, layer, layerOver, RestClient, sockets } from "./RestClient.ts"

const reason = "as published"
const day = 86_400_000
const iso = (millis: number) => new Date(millis).toISOString()

/** Records two oil futures: the first is active from yesterday until tomorrow, and the next until the day after. */
const planted = Effect.gen(function* () {
  const { admin } = yield* RestClient
  const now = yield* Clock.currentTimeMillis
  const futures = [
    { future_symbol: "CLX6", active_until: iso(now + day), expiration: iso(now + 2 * day) },
    { future_symbol: "CLZ6", active_until: iso(now + 2 * day), expiration: iso(now + 3 * day) }
  ]
  const body = { symbol: "cl-usd", active_from: iso(now - day), futures, reason }
  expect((yield* admin("POST", "/settlement-calendar", body)).status).toBe(204)
  return { now, futures }
})

it.layer(layer, { excludeTestServices: true })("the futures behind prices", (it) => {
  it.effect("rule 3.10: returns the future that is active now or at a given time, under the operator's prefix", () =>
    Effect.gen(function* () {
      const { get, restUrl } = yield* RestClient
      const { futures, now } = yield* planted
      const entry = ({ active_until, expiration, future_symbol }: (typeof futures)[number]) => ({
        expiration,
        active_until,
        future_symbol,
        acme_symbol: "CL-USD"
      })
      const $schema = `${restUrl}/schemas/SettlementCalendarEntry.json`
      const current = yield* get("/settlement-calendar?symbol=cl-usd&time=")
      expect([current.status, current.headers.get("cache-control")]).toEqual([200, "public, max-age=5"])
      expect(current.body).toEqual({ $schema, ...entry(futures[0]!) })
      const at = (millis: number) => get(`/settlement-calendar?symbol=CL-USD&time=${iso(millis)}`)
      expect((yield* at(now + day)).body.future_symbol).toBe("CLX6")
      expect((yield* at(now + day + 1)).body).toEqual({ $schema, ...entry(futures[1]!) })
      for (const millis of [now - day - 1, now + 2 * day + 1]) {
        const none = yield* at(millis)
        expect([none.status, none.body.type]).toEqual([404, `${restUrl}/problems/no-active-future`])
        expect(none.body.detail).toBe(
          `The settlement calendar has no future for CL-USD at ${iso(millis)}; send another time.`
        )
      }
      const neutral = yield* RestServer.open({ host: "127.0.0.1", port: 0, brand: "svc", sockets })
      const { body } = yield* call(`${neutral.url}/settlement-calendar?symbol=CL-USD`)
      expect(Object.keys(body).toSorted()).toEqual([
        "$schema",
        "active_until",
        "expiration",
        "future_symbol",
        "svc_symbol"
      ])
      const { properties, required } = (yield* get("/schemas/SettlementCalendarEntry.json")).body
      expect([required, Object.keys(properties)]).toEqual([
        ["expiration", "active_until", "future_symbol", "acme_symbol"],
        ["$schema", "expiration", "active_until", "future_symbol", "acme_symbol"]
      ])
    })
  )

  it.effect("refuses a futures calendar without a symbol, for a symbol without futures, and at an invalid time", () =>
    Effect.gen(function* () {
      const { get, restUrl } = yield* RestClient
      const refused = (query: string) =>
        Effect.map(get(`/settlement-calendar${query}`), ({ body, status }) => [
          status,
          body.errors?.[0].location ?? body.type.slice(restUrl.length)
        ])
      for (const query of ["", "?symbol=", "?time=2026-11-24T00:00:00Z"])
        expect(yield* refused(query)).toEqual([422, "query.symbol"])
      for (const time of ["yesterday", "2026-11-24", "2026-02-30T25:00:00Z"])
        expect(yield* refused(`?symbol=CL-USD&time=${time}`)).toEqual([422, "query.time"])
      expect(yield* refused("?symbol=NOPE-USD")).toEqual([404, "/problems/unknown-symbol"])
      for (const symbol of ["GOLD-USD", "AAPL-USD", "COPPER-USD"])
        expect(yield* refused(`?symbol=${symbol}`)).toEqual([404, "/problems/no-active-future"])
      expect(yield* refused("?symbol=CL-USD&time=0000-01-01T00:00:00Z")).toEqual([404, "/problems/no-active-future"])
    })
  )

  it.effect("returns settlement prices, newest first", () =>
    Effect.gen(function* () {
      const { admin, get, restUrl } = yield* RestClient
      const record = (symbol: string, day: string, named: object) =>
        admin("POST", "/settlement-prices", { symbol, day, official_close: 71.05, settlement: 71.32, ...named, reason })
      for (const recorded of [
        yield* record("CL-USD", "2024-11-22", { future_symbol: "CLX6" }),
        yield* record("CL-USD", "2024-11-25", { future_symbol: "CLX6" }),
        yield* record("US100-USD", "2024-11-25", { future_symbol: "NQZ4" }),
        // This price has no future: neither the operator nor a calendar names one.
        yield* record("US500-USD", "2024-11-25", {})
      ])
        expect(recorded.status).toBe(204)
      const all = yield* get("/settlement-prices")
      expect([all.status, all.headers.get("cache-control")]).toEqual([200, "public, max-age=5"])
      expect(all.body.$schema).toBe(`${restUrl}/schemas/SettlementPricesResponseBody.json`)
      const list = (query: string) =>
        Effect.map(get(`/settlement-prices?${query}`), ({ body }) => [
          body.count,
          ...body.data.map(({ asof, symbol }: Record<string, string>) => `${symbol} ${asof}`)
        ])
      const [newest, index, oldest] = ["CL-USD 2024-11-25", "US100-USD 2024-11-25", "CL-USD 2024-11-22"]
      expect(yield* list("symbol=&start=&end=&limit=")).toEqual([3, newest, index, oldest])
      expect(yield* list("symbol=cl-usd")).toEqual([2, newest, oldest])
      expect(yield* list("limit=1")).toEqual([3, newest])
      expect(yield* list("start=2024-11-25T00:00:00Z")).toEqual([2, newest, index])
      expect(yield* list("start=2024-11-25T00:00:00.001Z")).toEqual([0])
      expect(yield* list("end=2024-11-25T00:00:00Z")).toEqual([1, oldest])
      expect(yield* list("start=2024-11-22T00:00:00Z&end=2024-11-22T00:00:00Z")).toEqual([0])
      expect(yield* list("start=0000-01-01T00:00:00%2B14:00&end=9999-12-31T23:59:59-14:00")).toHaveLength(4)
      expect(yield* list("symbol=AAPL-USD")).toEqual([0])
      expect(all.body.data[0]).toEqual({
        symbol: "CL-USD",
        future_symbol: "CLX6",
        future_settlement_price: 71.32,
        spot_settlement_price: 71.05,
        asof: "2024-11-25",
        inserted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        spot_to_future_ratio: expect.closeTo(0.996214, 6)
      })
      const { body } = yield* admin("GET", "/settlement-prices")
      expect(body.data.find(({ symbol }: { readonly symbol: string }) => symbol === "US500-USD").future_symbol).toBe(
        null
      )
    })
  )

  it.effect("refuses settlement prices for an unknown symbol, an invalid range or an invalid limit", () =>
    Effect.gen(function* () {
      const { get, restUrl } = yield* RestClient
      const refused = (query: string) =>
        Effect.map(get(`/settlement-prices?${query}`), ({ body, status }) => [
          status,
          body.errors?.[0].location ?? body.type.slice(restUrl.length)
        ])
      expect(yield* refused("symbol=NOPE-USD")).toEqual([400, "/problems/unknown-symbol"])
      expect(yield* refused("symbol=CL-USD,US100-USD")).toEqual([400, "/problems/unknown-symbol"])
      expect(yield* refused("start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z")).toEqual([
        400,
        "/problems/range-not-allowed"
      ])
      for (const limit of ["0", "1001", "-1", "1e2", "ten", "1.5"])
        expect(yield* refused(`limit=${limit}`)).toEqual([422, "query.limit"])
      expect(yield* refused("start=yesterday")).toEqual([422, "query.start"])
      expect(yield* refused("end=2026-01-01")).toEqual([422, "query.end"])
    })
  )
})

it("charges settlement price lists like charts, and a single future like a simple read", () => {
  expect(["GET /settlement-prices", "GET /settlement-calendar"].map(weightOf)).toEqual([5, 1])
})

/** The database is unavailable. */
const gone = Effect.fail(new DatabaseUnavailable({ cause: "a test" }))
const cutOff = layerOver.pipe(
  Layer.provide(
    Layer.effect(
      FuturesReference,
      Effect.map(FuturesReference, (reference) =>
        FuturesReference.of({ ...reference, activeAt: () => gone, settlements: () => gone })
      )
    )
  ),
  Layer.provideMerge(layerMemory)
)

it.live("returns 503 for the calendar and settlement prices while the database does not respond", () =>
  Effect.gen(function* () {
    const { get } = yield* RestClient
    expect((yield* get("/settlement-calendar?symbol=CL-USD")).status).toBe(503)
    expect((yield* get("/settlement-prices")).status).toBe(503)
  }).pipe(Effect.provide(cutOff))
)
