/** Reads that are answered without a route say what their route says, or leave it to it. */
import { Hmac } from "@venue/auth/access/Hmac"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Polled from "@venue/gateway/rest/Polled"
import * as RateLimits from "@venue/gateway/http/RateLimits"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { UserStates } from "@venue/storage/access/UserStates"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { layer, RestClient } from "./RestClient.ts"

/** Whether a request is taken, and what it is answered then. */
const taking = Effect.gen(function* () {
  const limits = RateLimits.make({ enabled: true, nowMillis: () => 0, capacity: 3 })
  const { restUrl } = yield* RestClient
  const take = (yield* Polled.make)({
    baseUrl: restUrl,
    brand: "acme",
    limits,
    trustedProxies: [],
    countryHeader: "x-country"
  })
  return (headers: Record<string, string>, { method = "GET", url = "/user/positions" } = {}) =>
    Effect.callback<{ readonly status: number; readonly text: string } | "left">((resume) => {
      const request = Object.assign(new IncomingMessage(new Socket()), { method, url, headers })
      const response = new ServerResponse(request)
      response.end = ((text: unknown) => {
        resume(Effect.succeed({ status: response.statusCode, text: String(text) }))
        return response
      }) as typeof response.end
      if (!take(request, response)) resume(Effect.succeed("left"))
    })
})

/** Once a route has answered, all it takes is at hand. */
const warm = Effect.fnUntraced(function* (user: TestUser) {
  const { get, signed } = yield* RestClient
  return yield* get("/user/positions?by=route", yield* signed(user))
})

it.layer(layer)("reads that are polled", (it) => {
  it.effect("they answer what their route answers", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { get, signed } = yield* RestClient
      yield* venue.price("AAPL-USD", 200)
      const [maker, taker] = [yield* venue.user("maker"), yield* venue.user("taker")]
      const order = (side: string, tif: string) => ({
        type: "add_order",
        params: {
          symbol: "AAPL-USD",
          side,
          order_type: "LIMIT",
          order_time_in_force: tif,
          price: 200,
          quantity: 10,
          reduce_only: false
        }
      })
      const client = yield* venue.trade(maker)
      yield* client.send(order("SELL", "GTC"))
      yield* client.take("order_response")
      const other = yield* venue.trade(taker)
      yield* other.send(order("BUY", "IOC"))
      yield* other.take("fill_response")
      yield* venue.settle
      const routed = yield* warm(taker)
      const polled = yield* get("/user/positions", yield* signed(taker))
      assert.strictEqual(routed.body.positions[0].position, 10)
      assert.deepStrictEqual([polled.status, polled.text], [routed.status, routed.text])
      for (const name of ["content-type", "cache-control"]) {
        assert.strictEqual(polled.headers.get(name), routed.headers.get(name), name)
      }
      const taken = yield* (yield* taking)(yield* signed(taker))
      assert.deepStrictEqual(taken, { status: 200, text: routed.text })
    })
  )

  it.effect("whatever is not as usual is left to the route", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { signed } = yield* RestClient
      const user = yield* venue.user("usual")
      const take = yield* taking
      assert.strictEqual(yield* take(yield* signed(user)), "left", "a key that is not at hand")
      yield* warm(user)
      const odd: ReadonlyArray<readonly [string, Record<string, string>, { method?: string; url?: string }?]> = [
        ["another method", {}, { method: "HEAD" }],
        ["another path", {}, { url: "/user/trade" }],
        ["a token", { authorization: "Bearer a" }],
        ["a body", { "content-length": "2" }],
        ["a country", { "x-country": "DE" }],
        ["a named account", { "x-acme-requested-account-id": user.userId }],
        ["an account that is none", { "x-acme-requested-account-id": "" }],
        ["a wrong signature", { "x-svc-hmac-signature": "0".repeat(64) }],
        ["a stale time", { "x-svc-timestamp": "1" }],
        ["a nonce that is none", { "x-svc-nonce": "not hex" }],
        ["an unknown key", { "x-svc-public-key": "svc_test_pub_0" }]
      ]
      for (const [why, headers, request] of odd) {
        assert.strictEqual(yield* take({ ...(yield* signed(user)), ...headers }, request), "left", why)
      }
      const taken = yield* take(yield* signed(user))
      assert.include(taken, { status: 200 })
    })
  )

  it.effect("I36: a nonce is good once, whichever way it is shown", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { get, signed } = yield* RestClient
      const user = yield* venue.user("once")
      yield* warm(user)
      const headers = yield* signed(user)
      const take = yield* taking
      assert.include(yield* take(headers), { status: 200 })
      assert.include(yield* take(headers), { status: 401 })
      assert.strictEqual((yield* get("/user/positions?by=route", headers)).status, 401)
    })
  )

  it.effect("whoever has asked too much is left to the route, which says how long to wait", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { signed } = yield* RestClient
      const user = yield* venue.user("eager")
      yield* warm(user)
      const take = yield* taking
      for (let i = 0; i < 3; i++) assert.include(yield* take(yield* signed(user)), { status: 200 })
      assert.strictEqual(yield* take(yield* signed(user)), "left")
    })
  )

  it.effect("of requests that come at once no more are answered than the bucket holds", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { signed } = yield* RestClient
      const user = yield* venue.user("hasty")
      yield* warm(user)
      const hmac = yield* Hmac
      const take = yield* Effect.provideService(
        taking,
        Hmac,
        Hmac.of({
          ...hmac,
          recall: (signed, address) => {
            const recalled = hmac.recall(signed, address)
            return recalled && { ...recalled, claim: (done) => void setImmediate(() => recalled.claim(done)) }
          }
        })
      )
      const requests = yield* Effect.replicateEffect(signed(user), 5)
      const answers = yield* Effect.forEach(requests, (headers) => take(headers), { concurrency: "unbounded" })
      const statuses = answers.map((answer) => (answer === "left" ? answer : answer.status))
      assert.deepStrictEqual(statuses, [200, 200, 200, 429, 429])
    })
  )

  it.effect("a fault of the venue's is answered", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { signed } = yield* RestClient
      const user = yield* venue.user("unlucky")
      yield* warm(user)
      const desks = DeskClient.of({ ...(yield* DeskClient), summary: () => Effect.die("fault") })
      const take = yield* Effect.provideService(taking, DeskClient, desks)
      assert.include(yield* take(yield* signed(user)), { status: 500 })
    }).pipe(Effect.provide(Logger.layer([])))
  )

  it.effect("I40, I47: a revoked key and a frozen user are not answered any more", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { signed } = yield* RestClient
      const [frozen, revoked] = [yield* venue.user("frozen"), yield* venue.user("revoked")]
      yield* warm(frozen)
      yield* warm(revoked)
      const take = yield* taking
      yield* (yield* UserStates).freeze(frozen.userId)
      yield* (yield* ApiKeys).revoke(revoked.userId, revoked.publicKey)
      assert.strictEqual(yield* take(yield* signed(frozen)), "left")
      assert.strictEqual(yield* take(yield* signed(revoked)), "left")
    })
  )
})
