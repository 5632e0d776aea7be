/** Tests of REST responses, against the reference examples. */
import { PositionsBalanceResponseBody } from "@venue/api/rest/Positions"
import { RefdataResponse } from "@venue/api/rest/Refdata"
import { TradesResponseBody } from "@venue/api/rest/Trade"
import { marketHours } from "@venue/domain/MarketHours"
import { afterAll, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { filters, call, dispose, gold, post } from "./Answering.ts"

afterAll(() => dispose())

const row = {
  clobPairId: "7",
  symbol: "GOLD-USD",
  underlier_price: "3410.87",
  price_change_24h: "0.42",
  default_max_leverage: 30,
  tick_size: "0.1",
  lot_size: "0.001",
  min_price: "3240.5",
  max_price: "3581.5",
  min_quantity: "0.01",
  max_quantity: "10000",
  base_asset: "GOLD",
  quote_asset: "USD",
  margin_asset: "USDC",
  order_time_in_force: ["GTC", "IOC", "FOK"],
  order_types: ["LIMIT", "MARKET", "ALO"],
  market_hours: marketHours(gold),
  status: "ACTIVE",
  product_category: "COMMODITY"
}

it.effect("allows caching of reference data for 5 s, and returns an empty list for an unknown ticker", () =>
  Effect.gen(function* () {
    const { body, cache, status } = yield* call("/refdata", {}, null)
    expect([status, cache]).toEqual([200, "public, max-age=5"])
    expect(body).toEqual({ type: "refdata", data: [row] })
    expect((yield* call("/refdata?ticker=")).body.data).toHaveLength(1)
    expect((yield* call("/refdata?ticker=NOPE")).body).toEqual({ type: "refdata", data: [] })
  })
)

it("the Schema of reference data accepts the reference example", () => {
  const example = JSON.parse(
    `{"type":"refdata","data":[{"clobPairId":"12","symbol":"GOLD-USD","underlier_price":"3410.87","price_change_24h":"0.42","default_max_leverage":30,"tick_size":"0.1","lot_size":"0.25","min_price":"3240.5","max_price":"3581.5","min_quantity":"0.25","max_quantity":"5000","base_asset":"GOLD","quote_asset":"USD","margin_asset":"USDC","order_time_in_force":["GTC","IOC","FOK"],"order_types":["LIMIT","MARKET","ALO"],"market_hours":{"tz":"America/Chicago","monday":{"open":"00:00:00","close":"16:00:00"}},"status":"ACTIVE","product_category":"COMMODITY"}]}`
  )
  expect(Schema.encodeUnknownSync(RefdataResponse)(Schema.decodeUnknownSync(RefdataResponse)(example))).toEqual(example)
})

it.effect("returns positions and balance", () =>
  Effect.gen(function* () {
    const { body, status } = yield* call("/user/positions")
    expect(status).toBe(200)
    expect(body).toEqual({
      positions: [
        {
          symbol: "GOLD-USD",
          position: 1.5,
          average_price: 3411.1,
          leverage: 20,
          initial_margin: 0.05,
          maintenance_margin: 0.03333333333333333,
          unrealised_pnl: 1.65,
          realised_pnl: 0,
          net_funding: -0.012,
          open_orders: 1,
          open_quantity: 1
        }
      ],
      balance: {
        deposit: 25000,
        realised_pnl: 118.4,
        order_margin: 170.56,
        position_margin: 255.915,
        unrealised_pnl: 1.65,
        net_funding: -0.012,
        available_balance: 24730.301335
      }
    })
    expect(Schema.decodeUnknownSync(PositionsBalanceResponseBody)(body)).toEqual(body)
  })
)

it.effect("returns trades, with defaults for absent parameters", () =>
  Effect.gen(function* () {
    const { body } = yield* call("/user/trade?limit=&symbol=gold-usd&colour=red")
    expect(body).toEqual({
      count: 1,
      data: [
        {
          id: "t-1",
          order_timestamp: 1790503244.118,
          symbol: "GOLD-USD",
          price: 3411.1,
          quantity: 1.5,
          side: "BUY",
          fee: 0.511665,
          margin_used: 255.8325,
          order_type: "LIMIT",
          tif: "GTC",
          order_id: "o-1",
          realised_pnl_change: 0,
          liquidation: "NONE",
          order_origin: "USER",
          execution_type: "NEW"
        }
      ]
    })
    expect(Schema.decodeUnknownSync(TradesResponseBody)(body)).toEqual(body)
    expect(filters.pop()).toEqual({
      orderId: undefined,
      startMillis: undefined,
      endMillis: undefined,
      symbol: "GOLD-USD",
      orderType: undefined,
      side: undefined,
      limit: 100,
      offset: 0
    })
  })
)

it.effect("applies the narrower bound if a request states the same time bound twice", () =>
  Effect.gen(function* () {
    yield* call(
      "/user/trade?start=2026-09-27T14:00:00Z&start_time=2026-09-27T15:00:00%2B00:00&end=2026-09-28T00:00:00Z" +
        "&end_time=2026-09-27T23:00:00.5Z&limit=7&offset=3&ordertype=LIMIT&orderdirection=SELL&exchange_order_id=o-1"
    )
    expect(filters.pop()).toEqual({
      orderId: "o-1",
      startMillis: Date.UTC(2026, 8, 27, 15),
      endMillis: Date.UTC(2026, 8, 27, 23, 0, 0, 500),
      symbol: undefined,
      orderType: "LIMIT",
      side: "SELL",
      limit: 7,
      offset: 3
    })
  })
)

it.effect("accepts an order type and a direction in any letter case", () =>
  Effect.gen(function* () {
    yield* call("/user/trade?ordertype=Market&orderdirection=buy")
    expect(filters.pop()).toMatchObject({ orderType: "MARKET", side: "BUY" })
    yield* call("/user/trade?ordertype=&orderdirection=")
    expect(filters.pop()).toMatchObject({ orderType: undefined, side: undefined })
    expect((yield* call("/user/trade?ordertype=odd")).status).toBe(422)
  })
)

it.effect("returns the new leverage, and ignores a `$schema` member in the body", () =>
  Effect.gen(function* () {
    const { body, status } = yield* post(`{"$schema":"x","leverage":20,"symbol":"GOLD-USD"}`)
    expect([status, body]).toEqual([200, { leverage: 20 }])
    expect((yield* post(`{"leverage":"20.0","symbol":"GOLD-USD"}`)).body).toEqual({ leverage: 20 })
  })
)
