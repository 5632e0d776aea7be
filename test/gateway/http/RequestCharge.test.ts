/** Tests of the rate-limit charge of each request, and of the quota headers of responses. */
import * as RateLimits from "@venue/domain/RateLimits"
import { restRates } from "@venue/domain/RestRates"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import * as Deadlines from "@venue/gateway/http/Deadlines"
import { gate, type Route } from "@venue/gateway/http/Gate"
import { problemRefusals } from "@venue/gateway/http/ProblemRefusals"
import * as RequestCharge from "@venue/gateway/http/RequestCharge"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerResponse } from "effect/http"
import { ask, call, layer, RestClient } from "../rest/RestClient.ts"

const quotaOf = ({ headers }: { readonly headers: Headers }) =>
  ["limit", "remaining", "reset"].map((name) => headers.get(`ratelimit-${name}`))
const left = (answer: { readonly headers: Headers }) => Number(quotaOf(answer)[1])

it("refuses every route without an access rule, whatever its path prefix", () => {
  const payers: ReadonlyArray<[Route, RequestCharge.Payer]> = [
    [{ method: "GET", path: "/user/trade" }, "caller"],
    [{ method: "POST", path: "/builder/web3/api-key" }, "caller"],
    [{ method: "GET", path: "/builder/web3/message" }, "address"],
    [{ method: "GET", path: "/candles/:symbol" }, "address"],
    [{ method: "GET", path: "/health/ready" }, "nobody"],
    [{ method: "POST", path: "/candles/:symbol" }, "unruled"],
    [{ method: "GET", path: "/user/nothing" }, "unruled"]
  ]
  assert.deepStrictEqual(
    payers.map(([route]) => RequestCharge.payerOf(route)),
    payers.map(([, payer]) => payer)
  )
})

it.live("refuses an endpoint without an access rule before its handler runs, and charges nothing", () =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    yield* router.add("GET", "/unruled", Effect.succeed(HttpServerResponse.text("here")))
    const routes = [{ method: "GET", path: "/unruled" }]
    const limits = RateLimits.make({ ...restRates.requests, enabled: true, nowMillis: () => 0 })
    const { admit, quotaHeaders } = RequestCharge.of({
      baseUrl: "http://here",
      routes,
      limits,
      addressOf: () => "192.0.2.1"
    })
    const within = yield* Deadlines.make(1_000)
    const options = { refusals: problemRefusals("http://here"), routes, within, admit, answerHeaders: quotaHeaders }
    const handle = HttpEffect.toWebHandler(gate(options, router.asHttpEffect()))
    const answer = yield* Effect.promise(() => handle(new Request("http://here/unruled")))
    assert.strictEqual(answer.status, 403)
    assert.deepStrictEqual(quotaOf(answer), ["1200", "1200", "0"])
  })
)

it.live("reports the user's quota for valid credentials, and the IP address's quota otherwise", () =>
  Effect.gen(function* () {
    const { get, post, restUrl, signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("told")
    const first = yield* get("/user/positions", yield* signed(user))
    expect([first.status, ...quotaOf(first)]).toEqual([200, "1200", "1199", "1"])
    expect(left(yield* get("/user/trade", yield* signed(user)))).toBeLessThanOrEqual(1_195)
    const refused = yield* post("/user/leverage", { symbol: "NOPE-USD", leverage: 1 }, yield* signed(user))
    expect([refused.status, left(refused) <= 1_190]).toEqual([404, true])
    // The address has sent only authenticated requests, which are charged to the user, so its own bucket is still
    // full.
    const free = yield* call(`${restUrl}/user/positions`, { method: "OPTIONS" })
    expect([free.status, ...quotaOf(free)]).toEqual([204, "1200", "1200", "0"])
    expect(quotaOf(yield* get("/nope"))).toEqual(["1200", "1200", "0"])
    expect(quotaOf(yield* get("/health/live"))).toEqual(["1200", "1200", "0"])
    expect(quotaOf(yield* get("/refdata"))).toEqual(["1200", "1199", "1"])
    const head = yield* ask("HEAD", "/candles/AAPL-USD", {})
    expect(left(head)).toBeLessThanOrEqual(1_195)
    // A failed authentication charges the endpoint's weight to the address, whose bucket might have refilled slightly
    // since.
    const unproven = yield* post("/user/leverage", {})
    expect([unproven.status, left(unproven) <= 1_190]).toEqual([401, true])
    const exposed = unproven.headers.get("access-control-expose-headers")
    for (const name of ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]) expect(exposed).toContain(name)
  }).pipe(Effect.provide(layer))
)

it.live("reports the quota of an endpoint's own bucket if the endpoint has one", () =>
  Effect.gen(function* () {
    const { get } = yield* RestClient
    const message = yield* get("/builder/web3/message?address=x&builder_code=y")
    expect([message.status, ...quotaOf(message)]).toEqual([400, "60", "59", "1"])
  }).pipe(Effect.provide(layer))
)

it.live("sends no quota headers while rate limits are disabled", () =>
  Effect.gen(function* () {
    const { get, signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("free")
    for (const answer of [yield* get("/refdata"), yield* get("/user/positions", yield* signed(user))]) {
      expect([answer.status, ...quotaOf(answer)]).toEqual([200, null, null, null])
    }
  }).pipe(Effect.provide(layer), Effect.provideService(VenueSettings, { ...defaults, rateLimits: false }))
)
