/** The REST description, answered by handlers of this test: bodies, refusals and the OpenAPI document. */
import { Api } from "@venue/api/rest/Api"
import { Authenticated, Caller, Needs } from "@venue/api/rest/Caller"
import { document } from "@venue/api/rest/Document"
import { leverageRefused } from "@venue/api/rest/Leverage"
import { balancePublic, positionPublic, PositionsBalanceResponseBody } from "@venue/api/rest/Positions"
import { caching, RefdataResponse, refdataSymbol } from "@venue/api/rest/Refdata"
import { tradeRecord, type TradesAsked, tradesAsked, TradesResponseBody } from "@venue/api/rest/Trade"
import * as InvalidRequest from "@venue/api/InvalidRequest"
import { problems } from "@venue/api/Problem"
import { starters } from "@venue/domain/Instrument"
import { marketHours } from "@venue/domain/MarketHours"
import { LeverageInUse, NotALevel, UnknownSymbol } from "@venue/domain/Trader"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"

const baseUrl = "http://venue.test"
const refusals = problems(baseUrl)
const gold = starters.find(({ symbol }) => symbol === "GOLD-USD")!
const asked: Array<TradesAsked> = []

const groups = Layer.mergeAll(
  HttpApiBuilder.group(Api, "refdata", (handlers) =>
    handlers.handle("refdata", ({ query }) =>
      Effect.succeed(
        HttpApiSchema.withHeaders({
          body: {
            type: "refdata" as const,
            data:
              query.ticker === undefined || query.ticker === gold.symbol
                ? [
                    refdataSymbol(gold, {
                      oracle: 341_087_000_000,
                      minPrice: 32_405,
                      maxPrice: 35_815,
                      changePercent: 0.4199,
                      hours: marketHours(gold),
                      status: "ACTIVE"
                    })
                  ]
                : []
          },
          headers: caching
        })
      )
    )
  ),
  HttpApiBuilder.group(Api, "positions", (handlers) =>
    handlers.handle("positions", () =>
      Effect.gen(function* () {
        const { accountId } = yield* Caller
        return {
          positions: [
            positionPublic(gold, {
              accountId,
              symbol: gold.symbol,
              quantity: 1_500,
              basis: 5_116_650_000,
              realised: 0,
              unrealised: 1_650_000n,
              funding: -12_000,
              fees: 0,
              leverage: 20,
              marginHeld: 0n,
              openOrders: 1,
              openQuantity: 1_000
            })
          ],
          balance: balancePublic({
            accountId,
            deposit: 25_000_000_000n,
            realised: 118_400_000n,
            unrealised: 1_650_000n,
            funding: -12_000n,
            fees: 511_665n,
            orderMargin: 170_560_000n,
            positionMargin: 255_915_000n,
            equity: 0n,
            available: 24_730_301_335n,
            withdrawable: 0n
          })
        }
      })
    )
  ),
  HttpApiBuilder.group(Api, "trade", (handlers) =>
    handlers.handle("trades", ({ query }) =>
      Effect.sync(() => {
        asked.push(tradesAsked(query))
        return {
          data: [
            tradeRecord(gold, {
              symbol: gold.symbol,
              tradeId: "t-1",
              side: "BUY",
              aggressorSide: "SELL",
              orderId: "o-1",
              clientOrderId: "",
              price: 34_111,
              quantity: 1_500,
              fee: 511_665,
              realised: 0,
              marginUsed: 255_832_500,
              orderType: "LIMIT",
              timeInForce: "GTC",
              origin: "USER",
              liquidation: "NONE",
              executionType: "NEW",
              atMillis: 1790503244118
            })
          ],
          count: 1
        }
      })
    )
  ),
  HttpApiBuilder.group(Api, "leverage", (handlers) =>
    handlers.handle("setLeverage", ({ payload: { leverage, symbol } }) => {
      if (symbol !== gold.symbol) return Effect.fail(leverageRefused(refusals, new UnknownSymbol({ symbol })))
      if (leverage > 30) return Effect.fail(leverageRefused(refusals, new NotALevel({ leverage, maxLeverage: 30 })))
      return leverage === 5
        ? Effect.fail(leverageRefused(refusals, new LeverageInUse({ symbol, openOrders: 1, hasPosition: false })))
        : Effect.succeed({ leverage })
    })
  ),
  HttpApiBuilder.group(Api, "health", (handlers) =>
    handlers
      .handle("live", () => Effect.succeed({ status: "live" as const }))
      .handle("ready", () => Effect.fail(refusals.draining()))
  )
)

const authenticated = Layer.succeed(Authenticated, (answer, { endpoint }) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    if (headers["x-svc-public-key"] === undefined) return yield* refusals.credentialsNotAccepted()
    const needed = Context.getUnsafe(endpoint.annotations, Needs)
    if (headers["x-svc-public-key"] !== "all") return yield* refusals.permissionMissing(needed)
    return yield* Effect.provideService(answer, Caller, { userId: "alice", accountId: "alice" })
  })
)

const { dispose, handler } = HttpRouter.toWebHandler(
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide(groups),
    Layer.provide(authenticated),
    Layer.provide(InvalidRequest.layer(refusals)),
    Layer.provide(HttpServer.layerServices)
  ),
  { disableLogger: true }
)
afterAll(() => dispose())

interface Body {
  readonly [member: string]: unknown
  readonly data: ReadonlyArray<unknown>
  readonly errors: ReadonlyArray<{ readonly location: string }>
}

const call = (path: string, init: RequestInit = {}, key: string | null = "all") =>
  Effect.promise(() =>
    handler(
      new Request(`${baseUrl}${path}`, {
        ...init,
        headers: { ...(key === null ? {} : { "x-svc-public-key": key }), ...init.headers }
      })
    )
  ).pipe(
    Effect.flatMap((response) =>
      Effect.map(
        Effect.promise(() => response.json() as Promise<Body>),
        (body) => ({
          status: response.status,
          type: response.headers.get("content-type"),
          cache: response.headers.get("cache-control"),
          body
        })
      )
    )
  )

const post = (body: string) =>
  call("/user/leverage", { method: "POST", body, headers: { "content-type": "application/json" } })

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

describe("answers", () => {
  it.effect("reference data may be kept for five seconds, and an unknown ticker is an empty list", () =>
    Effect.gen(function* () {
      const { body, cache, status } = yield* call("/refdata", {}, null)
      expect([status, cache]).toEqual([200, "public, max-age=5"])
      expect(body).toEqual({ type: "refdata", data: [row] })
      expect((yield* call("/refdata?ticker=")).body.data).toHaveLength(1)
      expect((yield* call("/refdata?ticker=NOPE")).body).toEqual({ type: "refdata", data: [] })
    })
  )

  it("the example of the reference is reference data", () => {
    const example = JSON.parse(
      `{"type":"refdata","data":[{"clobPairId":"12","symbol":"GOLD-USD","underlier_price":"3410.87","price_change_24h":"0.42","default_max_leverage":30,"tick_size":"0.1","lot_size":"0.25","min_price":"3240.5","max_price":"3581.5","min_quantity":"0.25","max_quantity":"5000","base_asset":"GOLD","quote_asset":"USD","margin_asset":"USDC","order_time_in_force":["GTC","IOC","FOK"],"order_types":["LIMIT","MARKET","ALO"],"market_hours":{"tz":"America/Chicago","monday":{"open":"00:00:00","close":"16:00:00"}},"status":"ACTIVE","product_category":"COMMODITY"}]}`
    )
    expect(Schema.encodeUnknownSync(RefdataResponse)(Schema.decodeUnknownSync(RefdataResponse)(example))).toEqual(
      example
    )
  })

  it.effect("positions and balance", () =>
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

  it.effect("trades, with defaults for what was not asked", () =>
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
      expect(asked.pop()).toEqual({
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

  it.effect("of two bounds the narrower holds", () =>
    Effect.gen(function* () {
      yield* call(
        "/user/trade?start=2026-09-27T14:00:00Z&start_time=2026-09-27T15:00:00%2B00:00&end=2026-09-28T00:00:00Z" +
          "&end_time=2026-09-27T23:00:00.5Z&limit=7&offset=3&ordertype=LIMIT&orderdirection=SELL&exchange_order_id=o-1"
      )
      expect(asked.pop()).toEqual({
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

  it.effect("a leverage that was set, in a body that may link its schema", () =>
    Effect.gen(function* () {
      const { body, status } = yield* post(`{"$schema":"x","leverage":20,"symbol":"GOLD-USD"}`)
      expect([status, body]).toEqual([200, { leverage: 20 }])
    })
  )
})

describe("refusals are problem documents", () => {
  const about = (status: number, page: string, title: string) => ({
    $schema: "http://venue.test/schemas/ErrorModel.json",
    type: `http://venue.test/problems/${page}`,
    title,
    status
  })

  it.effect("401 says the same whatever was wrong", () =>
    Effect.gen(function* () {
      const { body, status, type } = yield* call("/user/positions", {}, null)
      expect([status, type]).toEqual([401, "application/problem+json"])
      expect(body).toEqual({
        ...about(401, "credentials-not-accepted", "Unauthorized"),
        detail: "The credentials are missing, unknown, wrong, expired or were used before."
      })
      expect((yield* call("/user/trade?limit=nonsense", {}, null)).status).toBe(401)
    })
  )

  it.effect("403 names the permission that the endpoint declares", () =>
    Effect.gen(function* () {
      const { body, status } = yield* call("/user/positions", {}, "some")
      expect([status, body.detail]).toEqual([403, "This needs the permission view_positions."])
    })
  )

  it.effect("422 has an entry for each fault", () =>
    Effect.gen(function* () {
      const { body, status, type } = yield* call("/user/trade?limit=0&offset=-1&start=yesterday")
      expect([status, type]).toEqual([422, "application/problem+json"])
      expect(body).toMatchObject(about(422, "invalid-request", "Unprocessable Entity"))
      expect(body.errors.map(({ location }) => location).sort()).toEqual(["query.limit", "query.offset", "query.start"])
    })
  )

  it.effect("422 for a body with a missing, a wrong and an unknown member", () =>
    Effect.gen(function* () {
      const { body, status } = yield* post(`{"leverage":"20","colour":"red"}`)
      expect(status).toBe(422)
      expect(body.errors.map(({ location }) => location).sort()).toEqual([
        "body.colour",
        "body.leverage",
        "body.symbol"
      ])
      expect((yield* post(`{"leverage":0,"symbol":"GOLD-USD"}`)).body.errors[0]?.location).toBe("body.leverage")
      expect((yield* post("leverage=20")).status).toBe(422)
      expect((yield* post("")).status).toBe(422)
      expect((yield* post("[".repeat(10_000))).status).toBe(422)
    })
  )

  it.effect("a leverage that is not offered, of no symbol, or in use", () =>
    Effect.gen(function* () {
      const levels = yield* post(`{"leverage":31,"symbol":"GOLD-USD"}`)
      expect(levels.body).toEqual({
        ...about(400, "leverage-not-available", "Bad Request"),
        detail: "Expected a whole number from 1 to 30."
      })
      const nowhere = yield* post(`{"leverage":1,"symbol":"NOPE"}`)
      expect(nowhere.body).toEqual({ ...about(404, "unknown-symbol", "Not Found"), detail: 'The symbol is "NOPE".' })
      const held = yield* post(`{"leverage":5,"symbol":"GOLD-USD"}`)
      expect(held.body).toMatchObject(about(409, "leverage-in-use", "Conflict"))
    })
  )

  it.effect("not ready is 503", () =>
    Effect.gen(function* () {
      expect((yield* call("/health/live")).body).toEqual({ status: "live" })
      expect((yield* call("/health/ready")).body).toMatchObject(about(503, "draining", "Service Unavailable"))
    })
  )
})

describe("the OpenAPI document", () => {
  const spec = document("acme", baseUrl)
  const schemas = spec.components.schemas as Record<
    string,
    {
      readonly required?: ReadonlyArray<string>
      readonly properties: Record<string, unknown>
      readonly additionalProperties: boolean
    }
  >

  it("is version 3.1 of interface 0.1.0, with every path", () => {
    expect([spec.openapi, spec.info.version, spec.servers]).toEqual(["3.1.0", "0.1.0", [{ url: baseUrl }]])
    expect(Object.keys(spec.paths)).toEqual([
      "/refdata",
      "/user/positions",
      "/user/trade",
      "/user/leverage",
      "/health/live",
      "/health/ready"
    ])
  })

  it("names nothing that it does not describe", () => {
    const text = JSON.stringify(spec)
    const named = [...text.matchAll(/#\/components\/schemas\/([A-Za-z]+)/g)].map(([, name]) => name)
    expect(named.length).toBeGreaterThan(10)
    for (const name of named) expect(Object.keys(schemas)).toContain(name)
    for (const name of Object.keys(schemas)) expect(name).not.toMatch(/Encoded/)
  })

  it("requires what the reference requires, and allows nothing else", () => {
    for (const [name, { additionalProperties }] of Object.entries(schemas)) {
      expect([name, additionalProperties]).toEqual([name, false])
    }
    expect(schemas["RefdataSymbol"]?.required).toEqual(Object.keys(row))
    expect(schemas["BalancePublic"]?.required).toEqual([
      "deposit",
      "realised_pnl",
      "order_margin",
      "position_margin",
      "unrealised_pnl",
      "net_funding",
      "available_balance"
    ])
    expect(schemas["PositionPublic"]?.required).toHaveLength(11)
    expect(schemas["Trade"]?.required).toHaveLength(15)
    expect(schemas["ErrorModel"]?.required).toBeUndefined()
    expect(Object.keys(schemas["ErrorModel"]?.properties ?? {}).sort()).toEqual([
      "$schema",
      "detail",
      "errors",
      "instance",
      "status",
      "title",
      "type"
    ])
  })

  it("says how to sign in, under the operator's prefix", () => {
    expect(spec.components.securitySchemes["public-key"]).toEqual({
      type: "apiKey",
      in: "header",
      name: "x-acme-public-key"
    })
    const trades = spec.paths["/user/trade"]?.get
    expect(trades?.security).toEqual([
      { "public-key": [], "hmac-signature": [], nonce: [], timestamp: [] },
      { bearer: [] }
    ])
    expect(trades?.parameters).toContainEqual({
      name: "limit",
      in: "query",
      required: false,
      schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 }
    })
    expect(trades?.parameters.map(({ name }) => name)).toContain("x-acme-requested-account-id")
    expect(spec.paths["/refdata"]?.get?.security).toEqual([])
    expect(Object.keys(trades?.responses["422"]?.content ?? {})).toEqual(["application/problem+json"])
  })
})
