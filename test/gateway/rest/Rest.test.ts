/** Tests of the main REST interface over real sockets. */
import { defaults } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as RestServer from "@venue/gateway/rest/RestServer"
import { ListenFailed } from "@venue/gateway/http/Listening"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, expect, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { parse } from "yaml"
import { call, layer, RestClient, sockets } from "./RestClient.ts"

const trade = Effect.fnUntraced(function* () {
  const venue = yield* TestVenue
  yield* venue.price("GOLD-USD", 3_400)
  const alice = yield* venue.user("alice")
  const bob = yield* venue.user("bob")
  const maker = yield* venue.trade(alice)
  const taker = yield* venue.trade(bob)
  const order = { symbol: "GOLD-USD", order_type: "LIMIT", order_time_in_force: "GTC", price: 3_400 }
  yield* maker.send({ type: "add_order", params: { ...order, side: "SELL", quantity: 3 } })
  yield* maker.take("order_response")
  yield* taker.send({ type: "add_order", params: { ...order, side: "BUY", quantity: 2 } })
  yield* taker.take("fill_response")
  return { alice, bob }
})

it.layer(layer, { excludeTestServices: true })("REST", (it) => {
  it.effect("returns reference data with every field and current prices, cacheable for 5 s", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      yield* (yield* TestVenue).price(MarketSymbol.make("EUR-USD"), 1.085)
      const { body, headers, status } = yield* rest.get("/refdata?ticker=eur-usd")
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=5"])
      expect(body).toMatchObject({ $schema: `${rest.restUrl}/schemas/RefdataResponse.json`, type: "refdata" })
      expect(body.data).toEqual([
        {
          clobPairId: "12",
          symbol: "EUR-USD",
          underlier_price: "1.085",
          price_change_24h: "0",
          default_max_leverage: 50,
          tick_size: "0.00001",
          lot_size: "1",
          min_price: expect.stringMatching(/^[01]\.\d+$/),
          max_price: expect.stringMatching(/^1\.\d+$/),
          min_quantity: "10",
          max_quantity: "50000000",
          base_asset: "EUR",
          quote_asset: "USD",
          margin_asset: "USDC",
          order_time_in_force: ["GTC", "IOC", "FOK"],
          order_types: ["LIMIT", "MARKET", "ALO"],
          market_hours: expect.objectContaining({ tz: "UTC", sunday: { open: "22:00:00", close: "22:00:00" } }),
          status: "ACTIVE",
          product_category: "FX"
        }
      ])
      expect((yield* rest.get("/refdata")).body.data).toHaveLength(defaults.instruments.size)
      expect((yield* rest.get("/refdata?ticker=NOPE")).body.data).toEqual([])
      expect((yield* rest.get("/refdata?ticker=AUD-USD")).body.data[0].underlier_price).toBe("0")
    })
  )

  it.effect("returns the caller's positions and trades, newest first and not cacheable", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      const { alice, bob } = yield* trade()
      const standing = yield* rest.get("/user/positions", yield* rest.signed(alice))
      expect([standing.status, standing.headers.get("cache-control")]).toEqual([200, "no-store"])
      expect(standing.body.positions).toMatchObject([
        { symbol: "GOLD-USD", position: -2, average_price: 3400, open_orders: 1, open_quantity: 1 }
      ])
      expect(standing.body.balance.deposit).toBe(100_000)
      const { body } = yield* rest.get("/user/trade?symbol=gold-usd&limit=1", yield* rest.signed(bob))
      expect(body).toMatchObject({ count: 1, data: [{ symbol: "GOLD-USD", side: "BUY", price: 3400, quantity: 2 }] })
      const query = "/user/trade?orderdirection=SELL&start=2020-01-01T00:00:00Z"
      expect((yield* rest.get(query, yield* rest.signed(bob))).body).toMatchObject({ count: 0, data: [] })
      expect((yield* rest.get("/user/trade?symbol=NOPE-USD", yield* rest.signed(bob))).status).toBe(400)
    })
  )

  it.effect("returns empty positions for an account that has never traded", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      const poor = yield* (yield* TestVenue).user("poor", 0.000001)
      const { body, status } = yield* rest.get("/user/positions", yield* rest.signed(poor))
      expect([status, body.positions]).toEqual([200, []])
    })
  )

  it.effect("sets the leverage, and refuses each invalid change with its own status", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      const { alice } = yield* trade()
      const set = (body: unknown) =>
        Effect.flatMap(rest.signed(alice), (headers) => rest.post("/user/leverage", body, headers))
      expect(yield* set({ symbol: "eur-usd", leverage: 7 })).toMatchObject({ status: 200, body: { leverage: 7 } })
      expect((yield* set({ symbol: "NOPE-USD", leverage: 7 })).status).toBe(404)
      expect((yield* set({ symbol: "EUR-USD", leverage: 51 })).status).toBe(400)
      expect((yield* set({ symbol: "EUR-USD", leverage: 2.5 })).status).toBe(400)
      expect((yield* set({ symbol: "EUR-USD", leverage: 0 })).status).toBe(422)
      expect(yield* set({ symbol: "GOLD-USD", leverage: 7 })).toMatchObject({
        status: 409,
        body: { status: 409, title: "Conflict", type: `${rest.restUrl}/problems/leverage-in-use` }
      })
      expect(yield* set({ symbol: "GOLD-USD", leverage: 30 })).toMatchObject({ status: 200, body: { leverage: 30 } })
      expect(yield* set({ symbol: "EUR-USD", leverage: "8.0" })).toMatchObject({ status: 200, body: { leverage: 8 } })
      expect((yield* set({ symbol: "EUR-USD", leverage: "51" })).status).toBe(400)
      for (const leverage of ["0", "8x", "8e0", " 8", ""]) {
        expect((yield* set({ symbol: "EUR-USD", leverage })).status).toBe(422)
      }
      expect(yield* set({ symbol: 1, leverage: "7x", extra: 1 })).toMatchObject({
        status: 422,
        body: {
          errors: expect.arrayContaining(
            ["body.symbol", "body.leverage", "body.extra"].map((location) => expect.objectContaining({ location }))
          )
        }
      })
      expect((yield* set("{")).status).toBe(422)
    })
  )

  it.effect("I36: accepts a signed request once", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      const user = yield* (yield* TestVenue).user("replayed")
      const headers = yield* rest.signed(user)
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => rest.get("/user/positions", headers)),
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401, 401, 401])
    })
  )

  it.effect("I37: accepts only whole-number timestamps within 300 s of the server clock", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      const user = yield* (yield* TestVenue).user("late")
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const at = (timestamp: string, nonce: string) =>
        Effect.map(
          rest.get("/user/positions", {
            "x-acme-public-key": user.publicKey,
            "x-acme-nonce": nonce,
            "x-acme-timestamp": timestamp,
            "x-acme-hmac-signature": createHmac("sha256", user.secretKey).update(`${nonce}:${timestamp}`).digest("hex")
          }),
          ({ status }) => status
        )
      expect(yield* at(String(now - 295), "a1")).toBe(200)
      expect(yield* at(String(now + 295), "a2")).toBe(200)
      expect(yield* at(String(now - 302), "a3")).toBe(401)
      expect(yield* at(String(now + 305), "a4")).toBe(401)
      expect(yield* at(`${now}.5`, "a5")).toBe(401)
    })
  )

  it.effect(
    "requires the endpoint's permission, and an account that belongs to the caller and is covered by the key",
    () =>
      Effect.gen(function* () {
        const rest = yield* RestClient
        const venue = yield* TestVenue
        const keys = yield* ApiKeys
        const one = yield* venue.user("one")
        const other = yield* venue.user("other")
        const sub = yield* venue.subaccount(one)
        const narrow = { ...one, publicKey: `svc_test_pub_${"a".repeat(32)}` }
        yield* keys.create({
          publicKey: narrow.publicKey,
          userId: one.userId,
          label: "narrow",
          secret: Redacted.make(one.secretKey),
          permissions: ["view_positions"],
          scope: one.userId
        })
        const status = (user: typeof one, path: string, account?: string) =>
          Effect.flatMap(rest.signed(user), (headers) =>
            Effect.map(
              rest.get(path, account === undefined ? headers : { ...headers, "x-svc-requested-account-id": account }),
              (answer) => answer.status
            )
          )
        expect(yield* status(one, "/user/positions", one.userId.toUpperCase())).toBe(200)
        expect(yield* status(one, "/user/positions", "")).toBe(200)
        expect(yield* status(one, "/user/positions", other.userId)).toBe(403)
        expect(yield* status(one, "/user/positions", "nonsense")).toBe(422)
        expect(yield* status(narrow, "/user/positions")).toBe(200)
        expect(yield* status(narrow, "/user/positions", sub)).toBe(403)
        expect(yield* status(narrow, "/user/trade")).toBe(403)
      })
  )

  it.effect("names all out-of-bounds parameters in one refusal", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      const user = yield* (yield* TestVenue).user("careless")
      const query = "limit=0&offset=-1&start=yesterday&ordertype=ODD"
      const { body, status } = yield* rest.get(`/user/trade?${query}`, yield* rest.signed(user))
      assert.strictEqual(status, 422)
      expect(body.errors.map(({ location }: { location: string }) => location).toSorted()).toEqual([
        "query.limit",
        "query.offset",
        "query.ordertype",
        "query.start"
      ])
    })
  )

  it.effect("returns the matching problem for a wrong path, method, content type or size", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      const problem = (status: number, page: string) => ({
        status,
        body: { status, type: `${rest.restUrl}/problems/${page}`, $schema: `${rest.restUrl}/schemas/ErrorModel.json` }
      })
      expect(yield* rest.get("/nope")).toMatchObject(problem(404, "no-such-path"))
      const wrong = yield* rest.post("/refdata", {})
      expect(wrong).toMatchObject(problem(405, "method-not-allowed"))
      expect(wrong.headers.get("allow")).toBe("GET, HEAD, OPTIONS")
      expect((yield* rest.get("/user/leverage")).headers.get("allow")).toBe("POST, OPTIONS")
      expect(yield* rest.post("/user/leverage", "x".repeat(64 * 1024 + 1))).toMatchObject(
        problem(413, "body-too-large")
      )
      const headers = { "content-type": "text/plain" }
      const plain = yield* Effect.promise(() =>
        fetch(`${rest.restUrl}/user/leverage`, { method: "POST", body: "{}", headers }).then((r) => r.status)
      )
      expect(plain).toBe(415)
      const user = yield* (yield* TestVenue).user("wordless")
      const wordless = yield* call(`${rest.restUrl}/user/leverage`, {
        method: "POST",
        body: "",
        headers: { ...(yield* rest.signed(user)), ...headers }
      })
      expect(wordless).toMatchObject(problem(415, "body-not-json"))
    })
  )

  it.effect(
    "allows cross-origin requests with a token, except to the endpoint that issues keys for other wallets",
    () =>
      Effect.gen(function* () {
        const { get, restUrl, signed } = yield* RestClient
        const venue = yield* TestVenue
        const ask = (path: string) =>
          call(`${restUrl}${path}`, { method: "OPTIONS", headers: { origin: "https://app.example" } })
        const preflight = yield* ask("/user/positions")
        expect(preflight.status).toBe(204)
        expect(preflight.headers.get("allow")).toBe("GET, HEAD, OPTIONS")
        expect(preflight.headers.get("access-control-allow-methods")).toBe("GET")
        expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization")
        expect((yield* ask("/builder/web3/api-key")).headers.get("access-control-allow-methods")).toBeNull()
        const user = yield* venue.user("page")
        for (const headers of [{}, yield* signed(user), yield* signed(user)]) {
          const { headers: answered } = yield* get("/user/positions", headers)
          expect(answered.get("access-control-allow-origin")).toBe("*")
        }
      })
  )

  it.effect("refuses a time range that ends before it starts", () =>
    Effect.gen(function* () {
      const { get, signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("range")
      const path = "/user/trade?start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z"
      const { body, status } = yield* get(path, yield* signed(user))
      expect([status, body.type.split("/").at(-1)]).toEqual([400, "range-not-allowed"])
    })
  )

  it.effect("serves every page that a response body links to", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient
      const { body } = yield* rest.get("/nope")
      for (const link of [body.type, body.$schema]) {
        expect((yield* rest.get(new URL(link).pathname)).status).toBe(200)
      }
      const spec = (yield* rest.get("/openapi.json")).body
      expect([spec.openapi, spec.info.version]).toEqual(["3.1.0", "0.1.0"])
      for (const [path, { host }] of [
        ["/asyncapi/trade", new URL(sockets.trade)],
        ["/asyncapi/market-data", new URL(sockets.marketData)]
      ] as const) {
        const { body, headers } = yield* rest.get(`${path}.json`)
        expect([body.asyncapi, body.servers.venue.host]).toEqual(["3.0.0", host])
        expect([headers.get("cache-control"), headers.get("access-control-allow-origin")]).toEqual([
          "public, max-age=300",
          "*"
        ])
        const yaml = yield* rest.get(`${path}.yaml`)
        expect([yaml.headers.get("content-type"), parse(yaml.text)]).toEqual(["application/yaml", body])
      }
      const schema = (yield* rest.get("/schemas/RefdataResponse.json")).body
      expect(JSON.stringify(schema)).toContain(`"$ref":"${rest.restUrl}/schemas/RefdataSymbol.json"`)
      for (const name of [
        "PositionsBalanceResponseBody",
        "TradesResponseBody",
        "SetUserLeverageResponseBody",
        "Health"
      ]) {
        expect((yield* rest.get(`/schemas/${name}.json`)).status).toBe(200)
      }
      expect((yield* rest.get("/schemas/constructor")).status).toBe(404)
      expect((yield* rest.get("/problems/__proto__")).status).toBe(404)
    })
  )

  it.effect("names the host and port in the error if the port is in use", () =>
    Effect.gen(function* () {
      const port = Number(new URL((yield* RestClient).restUrl).port)
      const error = yield* Effect.flip(RestServer.open({ host: "127.0.0.1", port, brand: "svc", sockets }))
      assert.instanceOf(error, ListenFailed)
      expect(error.message).toContain(`127.0.0.1:${port}`)
    })
  )
})

it.live("limits users and IP addresses separately, and returns the time to wait", () =>
  Effect.gen(function* () {
    const rest = yield* RestClient
    const venue = yield* TestVenue
    const user = yield* venue.user("eager")
    const spend = Effect.flatMap(rest.signed(user), (headers) =>
      rest.post("/user/leverage", { symbol: "NOPE-USD", leverage: 1 }, headers)
    )
    const answers = yield* Effect.all(
      Array.from({ length: 160 }, () => spend),
      { concurrency: 8 }
    )
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(120)
    expect(limited[0]!.body.type).toMatch(/rate-exceeded$/)
    expect(Number(limited[0]!.headers.get("retry-after"))).toBeGreaterThan(0)
    const other = yield* venue.user("calm")
    expect((yield* rest.get("/user/positions", yield* rest.signed(other))).status).toBe(200)
    expect((yield* rest.get("/refdata")).status).toBe(200)
    const anonymous = rest.post("/user/leverage", { symbol: "NOPE-USD", leverage: 1 })
    const unproven = yield* Effect.all(
      Array.from({ length: 160 }, () => anonymous),
      { concurrency: 8 }
    )
    expect(new Set(unproven.map(({ status }) => status))).toEqual(new Set([401, 429]))
    expect((yield* rest.get("/health/live")).status).toBe(200)
  }).pipe(Effect.provide(layer))
)
