/** Tests of the operator interface over real sockets. */
import { Feed } from "@venue/cluster/feed/Feed"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { Audit } from "@venue/storage/access/Audit"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Redacted, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { get } from "node:http"
import { adminToken, type Answer, call, layer, raw, RestClient } from "../rest/RestClient.ts"

/** Sends `GET /oauth-clients` from a local address, and returns the status. */
const statusFrom = (localAddress: string, url: string, token: string) =>
  Effect.callback<number>((resume) => {
    const headers = { authorization: `Bearer ${token}` }
    get(`${url}/oauth-clients`, { localAddress, headers, agent: false }, (response) => {
      response.resume()
      response.on("end", () => resume(Effect.succeed(response.statusCode!)))
    })
  })

it.layer(layer, { excludeTestServices: true })("the operator interface", (it) => {
  it.effect("returns 401 to requests without a valid operator token", () =>
    Effect.gen(function* () {
      const { admin, adminUrl } = yield* RestClient
      expect((yield* admin("GET", "/proof")).status).toBe(200)
      const refused = yield* Effect.all(
        [
          ...["", "wrong", "operator-token-of-this-tesT"].map((token) => admin("GET", "/proof", undefined, token)),
          call(`${adminUrl}/proof`),
          admin("POST", "/prices", { symbol: 1 }, "wrong")
        ],
        { concurrency: "unbounded" }
      )
      for (const { body, status } of refused) expect([status, body.status]).toEqual([401, 401])
    })
  )

  it.effect("slows down requests with a wrong operator token, but accepts the right token immediately", () =>
    Effect.gen(function* () {
      const clock = yield* TestClock.make()
      const { url } = yield* AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) }).pipe(
        Effect.provideService(Clock.Clock, clock)
      )
      const ask = (token: string) => call(`${url}/oauth-clients`, { headers: { authorization: `Bearer ${token}` } })
      const answers: Array<Answer> = []
      const sentAway = yield* Deferred.make<void>()
      const guess = Effect.gen(function* () {
        answers.push(yield* ask("wrong"))
        if (answers.length === 20) yield* Deferred.succeed(sentAway, undefined)
      })
      const guessing = yield* Effect.forkChild(Effect.replicateEffect(guess, 30, { concurrency: 30, discard: true }))
      yield* Deferred.await(sentAway)
      expect((yield* ask(adminToken)).status).toBe(200)
      expect(answers.map(({ headers, status }) => [status, headers.get("retry-after")])).toEqual(
        Array.from({ length: 20 }, () => [429, "1"])
      )
      yield* clock.adjust("1 second")
      yield* Fiber.join(guessing)
      expect(answers.slice(20).map(({ body }) => body.status)).toEqual(Array.from({ length: 10 }, () => 401))
    })
  )

  it.effect("counts wrong tokens by address, and lets other addresses send theirs", () =>
    Effect.gen(function* () {
      const clock = yield* TestClock.make()
      const { url } = yield* AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) }).pipe(
        Effect.provideService(Clock.Clock, clock)
      )
      const sentAway = yield* Deferred.make<void>()
      const answers: Array<number> = []
      const guess = Effect.map(statusFrom("127.0.0.1", url, "wrong"), (status) => {
        if (answers.push(status) === 10) Deferred.doneUnsafe(sentAway, Effect.void)
      })
      const guessing = yield* Effect.forkChild(Effect.replicateEffect(guess, 20, { concurrency: 20, discard: true }))
      yield* Deferred.await(sentAway)
      const other = yield* Effect.forkChild(statusFrom("127.0.0.2", url, "wrong"))
      yield* Effect.repeat(Effect.andThen(clock.adjust("1 second"), Effect.sleep("5 millis")), {
        until: () => other.pollUnsafe() !== undefined
      })
      expect(yield* Fiber.join(other)).toBe(401)
      expect(yield* statusFrom("127.0.0.2", url, adminToken)).toBe(200)
      yield* Fiber.join(guessing)
      expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 429))
    })
  )

  it.effect("refuses more than 1,200 requests a minute from one address, except health checks", () =>
    Effect.gen(function* () {
      const clock = yield* TestClock.make()
      const { url } = yield* AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) }).pipe(
        Effect.provideService(Clock.Clock, clock)
      )
      const ask = statusFrom("127.0.0.1", url, adminToken)
      const answers = yield* Effect.replicateEffect(ask, 1_201, { concurrency: 20 })
      expect(answers.filter((status) => status !== 200)).toEqual([429])
      expect((yield* call(`${url}/health/live`)).status).toBe(200)
      expect(yield* statusFrom("127.0.0.2", url, adminToken)).toBe(200)
      yield* clock.adjust("50 millis")
      expect(yield* ask).toBe(200)
    })
  )

  it.effect("returns 421 to a request with an unexpected Host header before any other check", () =>
    Effect.gen(function* () {
      const { adminUrl } = yield* RestClient
      const { port } = new URL(adminUrl)
      const askAs = (host: string, path = "/health/live") =>
        Effect.map(raw(adminUrl, `GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`), (text) => ({
          status: Number(text.slice(9, 12)),
          body: JSON.parse(text.split("\r\n\r\n")[1]!)
        }))
      for (const name of ["127.0.0.1", "localhost", "LocalHost", "[::1]"]) {
        expect(yield* askAs(`Host: ${name}:${port}\r\n`)).toMatchObject({ status: 200 })
      }
      const strange = [
        "evil.test",
        `evil.test:${port}`,
        "127.0.0.1",
        "127.0.0.1:1",
        `0.0.0.0:${port}`,
        `127.1:${port}`,
        ""
      ]
      for (const host of strange) {
        for (const path of ["/health/live", "/openapi.json", "/proof", "/nowhere"]) {
          const { body, status } = yield* askAs(`Host: ${host}\r\n`, path)
          expect([host, status, body.title]).toEqual([host, 421, "Misdirected Request"])
          expect(body.detail).toContain(`localhost:${port}`)
        }
      }
      expect(yield* raw(adminUrl, "GET /health/live HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 421 /)
    })
  )

  it.effect("applies an operator's price immediately", () =>
    Effect.gen(function* () {
      const { admin, get } = yield* RestClient
      const { body, status } = yield* admin("POST", "/prices", { symbol: "silver-usd", price: 38.125 })
      expect([status, body]).toEqual([200, { symbol: "SILVER-USD", price: 38.125 }])
      const [silver] = (yield* get("/refdata?ticker=SILVER-USD")).body.data
      expect(silver.underlier_price).toBe("38.125")
      expect((yield* Feed).prices.get(MarketSymbol.make("SILVER-USD"))?.oracleE8).toBe(3_812_500_000)
    })
  )

  it.effect("6.7b: records an audit entry with operator, subject and reason for each price and credit", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const audit = yield* Audit
      const user = yield* (yield* TestVenue).user("audited", 0)
      const { userId } = user
      const credit = { account_id: userId.toUpperCase(), amount: 12.5, reason: "a gift" }
      const credited = yield* admin("POST", "/credits", credit)
      const refused = yield* admin("POST", "/credits", { ...credit, amount: -100, reason: "too much" })
      expect([credited.status, refused.status]).toEqual([200, 422])
      const price = { symbol: "aud-usd", price: 0.71 }
      expect((yield* admin("POST", "/prices", { ...price, reason: "the feed is down" })).status).toBe(200)
      expect((yield* admin("POST", "/prices", price)).status).toBe(200)
      for (const body of [
        { ...price, reason: "" },
        { ...price, reason: 1 },
        { ...price, price: 0 }
      ]) {
        expect((yield* admin("POST", "/prices", body)).status).toBe(422)
      }
      const actor = "operator"
      // The refused credit has no audit entry.
      expect(yield* audit.about(userId)).toMatchObject([
        {
          action: "credited",
          actor,
          facts: { creditId: credited.body.credit_id, accountId: userId, amount: 12.5, reason: "a gift" },
          recordedAtMillis: expect.any(Number)
        }
      ])
      expect(yield* audit.about("AUD-USD")).toMatchObject([
        { action: "price_asked", actor, facts: { price: 0.71, confirm: false, reason: null } },
        { action: "price_asked", actor, facts: { price: 0.71, confirm: false, reason: "the feed is down" } }
      ])
    })
  )

  it.effect("refuses a price for an unknown symbol, a price of 0 or less, and a price with more than 8 decimals", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      expect((yield* admin("POST", "/prices", { symbol: "NOPE-USD", price: 1 })).status).toBe(404)
      for (const price of [0, -1, 1e-9, 1e8, "one", null]) {
        const { body, status } = yield* admin("POST", "/prices", { symbol: "GOLD-USD", price })
        expect([status, body.errors[0].location]).toEqual([422, "body.price"])
      }
    })
  )

  it.effect("credits an account, and withdraws at most the account's available balance", () =>
    Effect.gen(function* () {
      const { admin, get, signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("credited", 100)
      const credit = (amount: number, account_id = user.userId) =>
        admin("POST", "/credits", { account_id, amount, reason: "a test" })
      expect(yield* credit(25.5)).toMatchObject({ status: 200, body: { account_id: user.userId, amount: 25.5 } })
      expect((yield* credit(-0.5)).status).toBe(200)
      const { body } = yield* get("/user/positions", yield* signed(user))
      expect(body.balance.available_balance).toBe(125)
      expect(yield* credit(-126)).toMatchObject({ status: 422, body: { errors: [{ location: "body.amount" }] } })
      expect(yield* credit(1, UserId.make("00000000-0000-4000-8000-ffffffffffff"))).toMatchObject({ status: 404 })
      expect(yield* credit(0)).toMatchObject({ status: 422 })
    })
  )

  it.effect("after credits and trades, the proof endpoint shows balanced books for every market", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const venue = yield* TestVenue
      yield* venue.price("AAPL-USD", 200)
      const maker = yield* venue.trade(yield* venue.user("maker"))
      const taker = yield* venue.trade(yield* venue.user("taker"))
      const order = {
        symbol: "AAPL-USD",
        order_type: "LIMIT",
        order_time_in_force: "GTC",
        price: 200.01,
        quantity: 1.3
      }
      yield* maker.send({ type: "add_order", params: { ...order, side: "SELL" } })
      yield* maker.take("order_response")
      yield* taker.send({ type: "add_order", params: { ...order, side: "BUY" } })
      yield* taker.take("fill_response")
      // Ledger entries are projected only after the commit.
      const { body } = yield* Effect.repeat(admin("GET", "/proof"), {
        until: ({ body }) => body.assets.length > 0,
        schedule: Schedule.spaced("20 millis")
      })
      expect(body).toMatchObject({ balanced: true, assets: [{ asset: "USD", sum: 0 }] })
      expect(body.positions).toHaveLength(14)
      expect(body.positions).toContainEqual({ symbol: "AAPL-USD", sum: 0 })
      expect(body.reserve_funds).toHaveLength(14)
      expect(body.reserve_funds).toContainEqual({ symbol: "AAPL-USD", amount: 0, topped_up: 0 })
      expect(Date.parse(body.at)).toBeGreaterThan(0)
    })
  )

  it.effect("rule 9.2: counts the accounts near liquidation and the accounts in liquidation across all desks", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const venue = yield* TestVenue
      const symbol = "TSLA-USD"
      yield* venue.price(symbol, 200)
      const maker = yield* venue.trade(yield* venue.user("maker", 1_000_000))
      // The taker fee of 10 leaves a balance of 1,100.
      const taker = yield* venue.trade(yield* venue.user("taker", 1_110))
      const order = { symbol, order_type: "LIMIT", order_time_in_force: "GTC", price: 200, quantity: 50 }
      yield* maker.send({ type: "add_order", params: { ...order, side: "SELL" } })
      yield* maker.take("order_response")
      yield* taker.send({ type: "add_order", params: { ...order, side: "BUY" } })
      yield* taker.take("fill_response")
      for (const [usd, warned, in_liquidation] of [
        [200, 0, 0],
        [193, 1, 0],
        [190, 0, 1]
      ] as const) {
        yield* venue.price(symbol, usd)
        const { body, status } = yield* admin("GET", "/risk")
        expect([status, body]).toMatchObject([200, { warned, in_liquidation, waiting: 0 }])
      }
    })
  )

  it.effect("returns a problem for an unknown path, a wrong method and a malformed body", () =>
    Effect.gen(function* () {
      const { admin, adminUrl } = yield* RestClient
      expect((yield* admin("GET", "/user/positions")).status).toBe(404)
      const wrong = yield* admin("DELETE", "/credits")
      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"])
      expect((yield* admin("POST", "/credits", "{")).status).toBe(422)
      expect((yield* call(`${adminUrl}/openapi.json`)).body.info.title).toBe("Venue operator")
    })
  )

  it.effect("serves every schema that response bodies and the OpenAPI document refer to", () =>
    Effect.gen(function* () {
      const { admin, adminUrl } = yield* RestClient
      const bodies = [
        (yield* admin("GET", "/nowhere")).body,
        (yield* admin("POST", "/prices", { symbol: 1 })).body,
        (yield* admin("GET", "/proof", undefined, "wrong")).body,
        (yield* call(`${adminUrl}/health/live`)).body
      ]
      for (const { $schema } of bodies) expect((yield* call($schema)).status).toBe(200)
      const { text } = yield* call(`${adminUrl}/openapi.json`)
      expect(text).not.toContain("Encoded")
      const named = [...text.matchAll(/#\/components\/schemas\/([A-Za-z]+)/g)].map(([, name]) => name)
      expect(named).toContain("ErrorModel")
      for (const name of new Set(named)) expect((yield* call(`${adminUrl}/schemas/${name}.json`)).status).toBe(200)
    })
  )
})
