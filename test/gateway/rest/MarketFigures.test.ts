/** Tests that market figures in REST equal those of the streams, and are the same on every gateway. */
import { problems } from "@venue/api/Problem"
import { Feed } from "@venue/cluster/feed/Feed"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { type Day, Figures } from "@venue/gateway/marketData/Figures"
import * as MarketFigures from "@venue/gateway/rest/MarketFigures"
import * as RestServer from "@venue/gateway/rest/RestServer"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { deal, person } from "../../venue/Ruin.ts"
import { aapl, friday, gold, limit } from "../../venue/Story.ts"
import { type Answer, call, layerQuiet, RestClient, sockets } from "./RestClient.ts"

const settings = {
  ...defaults,
  instruments: new Map([aapl, gold].map((symbol) => [symbol, defaults.instruments.get(symbol)!] as const))
}

/** Declares a test on a venue at 10:00 in New York, with AAPL at 200 USD. */
const scene = <E>(
  name: string,
  tell: (venue: TestVenue["Service"]) => Effect.Effect<void, E, Layer.Success<typeof layerQuiet> | Scope.Scope>
) =>
  it.effect(name, () =>
    Effect.andThen(
      TestClock.setTime(friday),
      Effect.gen(function* () {
        const venue = yield* TestVenue
        yield* venue.price(aapl, 200)
        yield* Effect.scoped(tell(venue))
      }).pipe(Effect.provide(layerQuiet), Effect.provideService(VenueSettings, settings))
    )
  )

/** Returns a client of a gateway that has just started. */
const newGateway = Effect.gen(function* () {
  const venue = yield* TestVenue
  const context = yield* Layer.build(Layer.fresh(Figures.layer).pipe(Layer.provideMerge(Layer.fresh(Feed.layer))))
  const { url } = yield* Effect.provide(RestServer.open({ host: "127.0.0.1", port: 0, brand: "svc", sockets }), context)
  yield* venue.settle
  return (path: string) => call(`${url}${path}`)
})

const paths = ["/symbols/metrics", "/md/contracts", "/refdata"]
type Get = (path: string) => Effect.Effect<Answer>
const rowsOf = (get: Get) => Effect.forEach(paths, (path) => Effect.map(get(path), ({ body }) => body.data))

scene("rule 4.20: metrics and contracts return the same figures as market_stats, each in its own units", (venue) =>
  Effect.gen(function* () {
    const { get, restUrl } = yield* RestClient
    const [ann, ben] = [yield* person(venue, "ann", 1_000_000), yield* person(venue, "ben", 1_000_000)]
    yield* deal(venue, ann, ben, 100, 200.5)
    yield* deal(venue, ann, ben, 100.5, 200.3)
    // A large bid above the external price and no offers produce a sampled funding rate other than 0.
    yield* ben.client.send(limit("BUY", 1_000, 201))
    yield* TestClock.adjust("10 minutes")
    yield* venue.settle
    const socket = yield* venue.marketData
    yield* socket.send({ type: "subscribe", channels: ["market_stats"], symbols: [aapl] })
    const stats = yield* socket.take("market_stats")
    const [price, interest, rate] = [stats.mark_prices[0]!, stats.open_interests[0]!, stats.funding_rates[0]!]
    const volume = stats.rolling_volumes[0]!
    assert.notStrictEqual(rate.funding_rate, "0")
    const metrics = yield* get("/symbols/metrics")
    assert.deepStrictEqual(
      [metrics.status, metrics.headers.get("cache-control"), metrics.body],
      [
        200,
        "public, max-age=1",
        {
          $schema: `${restUrl}/schemas/SymbolMetricsResponseBody.json`,
          count: 1,
          data: [
            {
              symbol: aapl,
              current_mark_price: Number(price.price),
              volume_24h_usd_notional: Number(volume.usd_notional_24h),
              mark_price_change_24h_pct: 0,
              open_interest: Number(interest.open_interest),
              funding_rate_bps: (Number(rate.funding_rate) * 1e8) / 1e4
            }
          ]
        }
      ]
    )
    const sideUsd = String((200.5 * Math.round(Number(price.price) * 1e8)) / 1e8)
    assert.deepStrictEqual([volume.quantity_24h, interest.open_interest], ["200.5", "200.5"])
    const contracts = yield* get(`/md/contracts?symbol=${aapl.toLowerCase()}`)
    assert.deepStrictEqual(
      [contracts.status, contracts.headers.get("cache-control"), contracts.body],
      [
        200,
        "public, max-age=1",
        {
          $schema: `${restUrl}/schemas/ContractsResponseBody.json`,
          data: [
            {
              ticker_id: aapl,
              base_currency: "AAPL",
              target_currency: "USD",
              last_price: "200.3",
              base_volume: volume.quantity_24h,
              target_volume: "40180.15",
              product_type: "Perpetual",
              open_interest: String(2 * Number(interest.open_interest)),
              open_interest_usd: sideUsd,
              long_open_interest: interest.open_interest,
              long_open_interest_usd: sideUsd,
              short_open_interest: interest.open_interest,
              short_open_interest_usd: sideUsd,
              index_price: "200",
              index_currency: "USD",
              funding_rate: rate.funding_rate,
              funding_interval_minutes: 60,
              next_funding_rate: rate.funding_rate,
              next_funding_rate_timestamp: Math.floor(friday / 3_600_000) * 3_600 + 3_600
            }
          ]
        }
      ]
    )
    assert.strictEqual(volume.usd_notional_24h, "40180.15")
  })
)

scene("returns the base tier's fees as fractions to a request without credentials", () =>
  Effect.gen(function* () {
    const { get } = yield* RestClient
    const { body, headers, status } = yield* get("/fees")
    assert.deepStrictEqual([status, headers.get("cache-control")], [200, "public, max-age=5"])
    assert.deepStrictEqual(body.fees, {
      [aapl]: { maker_fee: 0.0002, taker_fee: 0.001 },
      [gold]: { maker_fee: 0.0001, taker_fee: 0.0005 }
    })
  })
)

scene(
  "omits a market without a price, and returns the mark price as the last price of a market without a trade",
  (venue) =>
    Effect.gen(function* () {
      const { get, restUrl } = yield* RestClient
      yield* venue.price(gold, 3_410.95)
      yield* venue.settle
      const lastPrices = Effect.map(get("/md/contracts"), ({ body }) =>
        body.data.map(({ last_price, ticker_id }: Record<string, string>) => `${ticker_id} ${last_price}`)
      )
      assert.deepStrictEqual(yield* lastPrices, [`${aapl} 200`, `${gold} 3410.95`])
      const unknown = yield* get("/md/contracts?symbol=NOPE-USD")
      assert.deepStrictEqual([unknown.status, unknown.body.type], [400, `${restUrl}/problems/unknown-symbol`])
    })
)

scene(
  "rule 4.20: returns up to 100 book levels per side, starting with the same levels as the level2 channel",
  (venue) =>
    Effect.gen(function* () {
      const { get, restUrl } = yield* RestClient
      const { client } = yield* person(venue, "maker", 10_000_000)
      for (let at = 0; at < 101; at++) {
        // One second per fifty orders stays within the rate limit.
        if (at % 50 === 0) yield* TestClock.adjust("1 second")
        yield* client.send(limit("BUY", 1, (19_998 - at) / 100))
      }
      yield* client.send(limit("SELL", 2.5, 200.1))
      yield* venue.settle
      const book = yield* get(`/md/orderbook/${aapl.toLowerCase()}`)
      assert.deepStrictEqual([book.status, book.headers.get("cache-control")], [200, "public, max-age=1"])
      assert.deepStrictEqual(Object.keys(book.body).toSorted(), ["$schema", "asks", "bids", "ticker_id", "timestamp"])
      assert.deepStrictEqual(
        [book.body.ticker_id, book.body.asks, book.body.bids.length, book.body.bids.at(-1)],
        [aapl, [["200.10", "2.5"]], 100, ["198.99", "1"]]
      )
      assert.isAtLeast(book.body.timestamp, friday)
      const socket = yield* venue.marketData
      yield* socket.send({ type: "subscribe", channels: ["level2"], symbols: [aapl] })
      assert.deepStrictEqual(book.body.bids.slice(0, 20), (yield* socket.take("level2")).bid)
      const none = yield* get(`/md/orderbook/${gold}`)
      assert.deepStrictEqual([none.body.bids, none.body.asks], [[], []])
      const unknown = yield* get("/md/orderbook/NOPE-USD")
      assert.deepStrictEqual([unknown.status, unknown.body.type], [404, `${restUrl}/problems/unknown-symbol`])
    })
)

for (const waits of ["25 hours", "49 hours"] as const) {
  scene(
    `rule 4.20: a gateway that starts ${waits} after a price change returns the same 24-hour change as an older gateway`,
    (venue) =>
      Effect.gen(function* () {
        const { get } = yield* RestClient
        yield* TestClock.adjust("30 minutes")
        yield* venue.price(aapl, 190)
        yield* TestClock.adjust(waits)
        yield* venue.price(aapl, 209)
        yield* venue.settle
        const rows = yield* rowsOf(get)
        assert.deepStrictEqual([rows[0][0].mark_price_change_24h_pct, rows[2][0].price_change_24h], [10, "10"])
        assert.deepStrictEqual(yield* rowsOf(yield* newGateway), rows)
      })
  )
}

for (const waits of ["1 second", "1 minute", "12 hours"] as const) {
  scene(`rule 19.2: ${waits} after a split, returns the 24-hour change in new units, even on a new gateway`, (venue) =>
    Effect.gen(function* () {
      const { get } = yield* RestClient
      const markets = yield* MarketClient
      const [ann, ben] = [yield* person(venue, "ann", 1_000_000), yield* person(venue, "ben", 1_000_000)]
      yield* TestClock.adjust("24 hours")
      yield* deal(venue, ann, ben, 10, 200)
      yield* markets.setTradingState(aapl, "HALTED")
      yield* markets.splitContract(aapl, { exDay: 20_000, numerator: 4, denominator: 1 })
      yield* TestClock.adjust(waits)
      yield* venue.price(aapl, 55)
      yield* venue.settle
      const rows = yield* rowsOf(get)
      assert.deepStrictEqual(yield* rowsOf(yield* newGateway), rows)
      assert.deepStrictEqual(
        [rows[0][0].current_mark_price, rows[0][0].mark_price_change_24h_pct, rows[1][0].last_price],
        [55, 10, "50"]
      )
    })
  )
}

/** Figures whose daily statistics come from `day`, so that a test can delay them. */
const later = (day: () => Day | undefined) =>
  Layer.succeed(Figures)({
    nowMillis: () => 0,
    isFunding: () => true,
    stats: () => undefined,
    of: (symbol) =>
      symbol === aapl
        ? ({ prices: { oracleE8: 1, markE8: 2 }, openInterestLots: 0, rateE12: 0 } as ReturnType<
            Figures["Service"]["of"]
          >)
        : undefined,
    day
  })

const known: Day = { volume: { lots: 1n, notional: 5n }, changePercent: 1, lastTicks: 3 }
const marketsNow = Effect.flatten(MarketFigures.make(problems("http://venue.test")))

it.effect("a new gateway does not respond before all market figures are available", () => {
  let day: Day | undefined
  return Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(marketsNow)
    yield* TestClock.adjust("1 second")
    assert.isUndefined(fiber.pollUnsafe())
    day = known
    yield* TestClock.adjust("20 millis")
    assert.deepStrictEqual(
      (yield* Fiber.join(fiber)).map(({ instrument, notional }) => [instrument.symbol, notional]),
      [[aapl, 5n]]
    )
  }).pipe(Effect.provide(later(() => day)))
})

it.effect("returns 503 if market figures are unavailable for 2 s", () =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.flip(marketsNow))
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual((yield* Fiber.join(fiber)).status, 503)
  }).pipe(Effect.provide(later(() => undefined)))
)
