/** Tests of charts over real sockets, on a venue with trades. */
import { resolutions } from "@venue/api/rest/ChartRange"
import { Feed } from "@venue/cluster/feed/Feed"
import { initialInstruments } from "@venue/domain/Instrument"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as OpenInterest from "@venue/domain/OpenInterest"
import { ApiBaseUrl } from "@venue/gateway/http/ApiBaseUrl"
import { Charts } from "@venue/gateway/rest/Charts"
import * as Prices from "@venue/storage/history/Prices"
import { emptyMemory } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { priced } from "../../storage/history/ChartEvents.ts"
import { type Answer, layer, RestClient } from "./RestClient.ts"

const order = { symbol: "GOLD-USD", order_type: "LIMIT", order_time_in_force: "GTC", price: 3_400 }

/** Executes three trades: Alice sells to Bob at 3,400 twice, then sells to his resting bid. */
const trade = Effect.gen(function* () {
  const venue = yield* TestVenue
  yield* venue.price("GOLD-USD", 3_400)
  const alice = yield* venue.trade(yield* venue.user("alice"))
  const bob = yield* venue.trade(yield* venue.user("bob"))
  yield* alice.send({ type: "add_order", params: { ...order, side: "SELL", quantity: 3 } })
  yield* alice.take("order_response")
  yield* bob.send({ type: "add_order", params: { ...order, side: "BUY", quantity: 2 } })
  yield* bob.take("fill_response")
  yield* bob.send({ type: "add_order", params: { ...order, side: "BUY", quantity: 1.5 } })
  yield* bob.take("fill_response")
  yield* alice.send({ type: "add_order", params: { ...order, side: "SELL", price: 3_399, quantity: 0.5 } })
  yield* bob.take("fill_response")
})

const day = 86_400_000
const iso = (millis: number) => new Date(millis).toISOString()

const ranged = Effect.map(Clock.currentTimeMillis, (now) => {
  const today = Math.floor(now / day) * day
  return `fromISO=${iso(today)}&toISO=${iso(today + 7 * day)}`
})

it.layer(layer, { excludeTestServices: true })("charts", (it) => {
  it.effect("a chart includes every trade before the request, and covers the days from the first price until now", () =>
    Effect.gen(function* () {
      const { get, restUrl } = yield* RestClient
      yield* trade
      const range = yield* ranged
      const candles = yield* get(`/candles/gold-usd?resolution=1DAY&${range}`)
      expect([candles.status, candles.headers.get("cache-control")]).toEqual([200, "public, max-age=1"])
      expect(candles.body).toEqual({
        $schema: `${restUrl}/schemas/CandlesResponseBody.json`,
        candles: [
          expect.objectContaining({
            ticker: "GOLD-USD",
            resolution: "1DAY",
            open: "3400",
            high: "3400",
            low: "3400",
            close: "3400",
            baseTokenVolume: "3.5",
            usdVolume: "11900",
            trades: 3,
            startingOpenInterest: "0"
          })
        ]
      })
      const volume = yield* get(`/taker-volume/GOLD-USD?intervalMinutes=1440&${range}`)
      expect(volume.body).toMatchObject({
        count: 1,
        data: [
          {
            symbol: "GOLD-USD",
            intervalMinutes: 1440,
            takerBuyQty: 3,
            takerSellQty: 0.5,
            takerBuyNotional: 10200,
            takerSellNotional: 1700,
            netTakerQty: 2.5
          }
        ]
      })
      const underlier = yield* get(`/underlier/GOLD-USD?interval=1d&${range}`)
      expect(underlier.body).toMatchObject({
        count: 1,
        data: [{ symbol: "GOLD-USD", interval: "1d", openPrice: 3400, closePrice: 3400 }]
      })
      expect((yield* get(`/funding/GOLD-USD?intervalMinutes=1440&${range}`)).body).toMatchObject({
        count: 1,
        data: [{ rate: null }]
      })
      expect((yield* get(`/open-interest/GOLD-USD?intervalMinutes=1440&${range}`)).body).toMatchObject({
        count: 1,
        data: [{ openInterest: null }]
      })
      expect((yield* get(`/symbol-long-short/GOLD-USD?interval=1DAY&${range}`)).body).toMatchObject({
        count: 1,
        data: [{ interval: "1DAY", longUsers: 0, shortUsers: 0 }]
      })
    })
  )

  it.effect(
    "sums the venue's metrics over all markets, whether the interval is given in minutes or in nanoseconds",
    () =>
      Effect.gen(function* () {
        const { get } = yield* RestClient
        const range = yield* ranged
        const metrics = (query: string) => get(`/defillama/metrics?${range}&${query}`)
        // Charts wait until their tables are up to date; the metrics read the tables as they are.
        const { candles } = (yield* get(`/candles/GOLD-USD?resolution=1DAY&${range}`)).body
        yield* get(`/open-interest/GOLD-USD?intervalMinutes=1440&${range}`)
        const { body } = yield* metrics("intervalMinutes=1440")
        expect(body.data).toHaveLength(1)
        expect([body.data[0].windowStart, body.data[0].dailyVolumeUSD]).toEqual([
          candles[0].startedAt,
          Number(candles[0].usdVolume)
        ])
        expect((yield* metrics("interval=86400000000000")).body).toEqual(body)
        const statuses = Effect.forEach(
          ["", "interval=86400000000001", "intervalMinutes=7", "intervalMinutes=-1", "intervalMinutes=480"],
          (query) => Effect.map(metrics(query), ({ status }) => status)
        )
        expect(yield* statuses).toEqual([422, 400, 400, 422, 200])
        const long = "fromISO=2020-01-01T00:00:00Z&toISO=2020-02-02T00:00:00Z&intervalMinutes=1440"
        expect((yield* get(`/defillama/metrics?${long}`)).status).toBe(400)
      })
  )

  it.effect("returns an empty chart for an empty range and for a market without a price", () =>
    Effect.gen(function* () {
      const { get } = yield* RestClient
      const range = yield* ranged
      expect((yield* get(`/candles/AUD-USD?resolution=1MIN&${range}`)).body.candles).toEqual([])
      const none = "fromISO=2020-01-01T00:00:00Z&toISO=2020-01-01T00:00:00Z"
      expect((yield* get(`/funding/GOLD-USD?intervalMinutes=1&${none}`)).body).toMatchObject({ data: [], count: 0 })
    })
  )

  it.effect("refuses a chart with an unknown symbol, interval or range", () =>
    Effect.gen(function* () {
      const { get, restUrl } = yield* RestClient
      const range = yield* ranged
      const paths = [
        ["candles", "resolution", "1MIN", "15m"],
        ["underlier", "interval", "1m", "7m"],
        ["symbol-long-short", "interval", "1m", "1M"],
        ["funding", "intervalMinutes", "1", "7"],
        ["open-interest", "intervalMinutes", "1", "-1"],
        ["taker-volume", "intervalMinutes", "1", "10080"]
      ] as const
      for (const [path, parameter, offered, refusedLength] of paths) {
        const chart = (symbol: string, length: string, within: string) =>
          get(`/${path}/${symbol}?${parameter}=${length}&${within}`)
        expect((yield* chart("NOPE-USD", offered, range)).status).toBe(404)
        const notOffered = yield* chart("GOLD-USD", refusedLength, range)
        expect([path, notOffered.status, notOffered.body.type]).toEqual([
          path,
          400,
          `${restUrl}/problems/interval-not-offered`
        ])
        const backwards = "fromISO=2026-09-27T14:00:01Z&toISO=2026-09-27T14:00:00Z"
        expect((yield* chart("GOLD-USD", offered, backwards)).body.type).toBe(`${restUrl}/problems/range-not-allowed`)
        const missing = yield* get(`/${path}/GOLD-USD?fromISO=yesterday`)
        expect(missing.status).toBe(422)
        expect(missing.body.errors.map(({ location }: { readonly location: string }) => location)).toEqual(
          expect.arrayContaining([`query.${parameter}`, "query.fromISO", "query.toISO"])
        )
      }
    })
  )
})

const since2020 = "fromISO=2019-01-01T00:00:00Z&toISO=2030-01-01T00:00:00Z"

it.live("a chart starts at the first price, ends now, and has at most 20,000 points", () =>
  Effect.gen(function* () {
    const { get, restUrl } = yield* RestClient
    const { position, project } = yield* ReadTables
    const symbol = MarketSymbol.make("AUD-USD")
    const group = [Prices.projection]
    const first = {
      seq: (yield* position(Prices.projection, symbol)) + 1,
      events: [priced(Date.UTC(2020, 0, 1), 5, 0, 7)]
    }
    yield* project(group, symbol, [first])
    const { body } = yield* get(`/open-interest/AUD-USD?intervalMinutes=1440&${since2020}`)
    const days = Math.floor((yield* Clock.currentTimeMillis) / day) - Date.UTC(2020, 0, 1) / day + 1
    expect([body.count, body.data[0], body.data.at(-1).openInterest]).toEqual([
      days,
      { symbol, intervalMinutes: 1440, windowStart: "2020-01-01T00:00:00Z", openInterest: null },
      7
    ])
    const tooLong = yield* get(`/candles/AUD-USD?resolution=1MIN&${since2020}`)
    expect([tooLong.status, tooLong.body.type]).toEqual([400, `${restUrl}/problems/range-too-long`])
    expect(tooLong.body.detail).toMatch(
      /^The largest range for 1-minute windows is 20000 minutes \(20000 windows\): got \d{7} minutes\. Shorten the range, or choose a longer interval\.$/
    )
  }).pipe(Effect.provide(layer))
)

const minutesFrom = (start: number, count: number) => `fromISO=${iso(start)}&toISO=${iso(start + count * 60_000)}`

it.live(
  "a chart of 20,000 windows has the same rows as shorter charts, and costs a weight of 1 per 1,000 windows",
  () =>
    Effect.gen(function* () {
      const { get } = yield* RestClient
      const { position, project } = yield* ReadTables
      const symbol = MarketSymbol.make("AUD-USD")
      const begin = Date.UTC(2020, 0, 1)
      const events = Array.from({ length: 50 }, (_, index) =>
        priced(begin + index * 397 * 60_000, 5 + index, 0, 7 + index)
      )
      const first = { seq: (yield* position(Prices.projection, symbol)) + 1, events }
      yield* project([Prices.projection], symbol, [first])
      const charts = [
        ["/candles/AUD-USD?resolution=1MIN", "candles"],
        ["/underlier/AUD-USD?interval=1m", "data"],
        ["/open-interest/AUD-USD?intervalMinutes=1", "data"],
        ["/taker-volume/AUD-USD?intervalMinutes=1", "data"]
      ] as const
      const remaining = (answer: Answer) => Number(answer.headers.get("ratelimit-remaining"))
      for (const [path, member] of charts) {
        const before = remaining(yield* get(`${path}&${minutesFrom(begin, 1)}`))
        const long = yield* get(`${path}&${minutesFrom(begin, 20_000)}`)
        expect(before - remaining(long)).toBeGreaterThanOrEqual(18)
        expect(before - remaining(long)).toBeLessThanOrEqual(20)
        const short = yield* Effect.forEach([0, 999, 1_000, 12_345, 19_999], (at) =>
          Effect.map(get(`${path}&${minutesFrom(begin + at * 60_000, 1)}`), ({ body }) => [at, body[member][0]])
        )
        const rows = member === "candles" ? long.body.candles.toReversed() : long.body.data
        expect([rows.length, long.body.count]).toEqual([20_000, member === "data" ? 20_000 : undefined])
        expect(short.map(([at]) => [at, rows[at]])).toEqual(short)
        expect((yield* get(`${path}&${minutesFrom(begin, 20_001)}`)).status).toBe(400)
      }
    }).pipe(Effect.provide(layer))
)

it.live("accepts every window length that divides a day evenly", () =>
  Effect.gen(function* () {
    const { get } = yield* RestClient
    yield* trade
    const range = yield* ranged
    const lengths = (path: string, all: ReadonlyArray<string>) =>
      Effect.forEach(all, (length) => Effect.map(get(`${path}${length}&${range}`), ({ status }) => [length, status]))
    const good = ["1", "3", "160", "288", "480", "720", "1440"]
    const bad = ["0", "-480", "7", "481", "2880"]
    expect(yield* lengths("/funding/GOLD-USD?intervalMinutes=", [...good, ...bad])).toEqual([
      ...good.map((length) => [length, 200]),
      ...bad.map((length) => [length, 400])
    ])
    const words = ["3m", "90m", "2h", "8h", "12h", "24h", "1d", "4HOURS"]
    const strange = ["7m", "5h", "2d", "0m", "1.5h", "60", "01h"]
    for (const path of ["/underlier/GOLD-USD?interval=", "/symbol-long-short/GOLD-USD?interval="]) {
      expect(yield* lengths(path, [...words, ...strange])).toEqual([
        ...words.map((length) => [length, 200]),
        ...strange.map((length) => [length, 400])
      ])
    }
    const { body } = yield* get(`/funding/GOLD-USD?intervalMinutes=481&${range}`)
    expect(body.detail).toBe(
      "Expected a whole number of minutes that divides the 1440 minutes of a day, got 481; the nearest is 480."
    )
  }).pipe(Effect.provide(layer))
)

it.live("charges a weight of 5 for a chart that is requested without credentials", () =>
  Effect.gen(function* () {
    const { get } = yield* RestClient
    const path = "/candles/NOPE-USD?resolution=1MIN&fromISO=2026-01-01T00:00:00Z&toISO=2026-01-01T00:00:00Z"
    const requests = Array.from({ length: 400 }, () => get(path))
    const statuses = (yield* Effect.all(requests, { concurrency: 10 })).map(({ status }) => status)
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(240)
    expect(new Set(statuses)).toEqual(new Set([404, 429]))
  }).pipe(Effect.provide(layer))
)

const gold = initialInstruments.find(({ symbol }) => symbol === "GOLD-USD")!

/** Feed members that charts do not use. */
const untold = {
  follow: () => () => {},
  followMarket: () => () => {},
  watch: () => () => {},
  prices: new Map(),
  sampling: new Map(),
  splitMillis: new Map(),
  openInterest: OpenInterest.none(),
  takeovers: new Map(),
  tradingStates: new Map(),
  depth: () => undefined
}

/** Charts of a gateway that has published row 5; its tables reach each row of `seqs` in turn. */
const behind = (...seqs: Array<number>) =>
  over({
    positions: () => Effect.sync(() => [seqs.length > 1 ? seqs.shift()! : seqs[0]!]),
    read: ({ memory }) => Effect.sync(() => memory(emptyMemory()))
  })

const over = (tables: Pick<ReadTables["Service"], "positions" | "read">) =>
  Layer.provide(
    Charts.layer({ makeChargeMore: Effect.succeed(() => Effect.void), sender: Effect.succeed("192.0.2.1") }),
    [
      Layer.mock(Feed)({
        ...untold,
        instruments: new Map([[gold.symbol, gold]]),
        head: () => ({ epoch: 1, seq: 5, aliveAtMillis: 0 })
      }),
      Layer.mock(ReadTables)(tables),
      Layer.succeed(ApiBaseUrl)("http://venue.test")
    ]
  )

const openedFor = (length: "1HOUR" | "1MIN", toMillis: number) =>
  Effect.flatMap(Charts, ({ open }) =>
    open({ symbol: "gold-usd", length, fromMillis: 0, toMillis }, resolutions, [])
  ).pipe(
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request("http://venue.test/candles/GOLD-USD"))
    )
  )
const opened = Effect.scoped(openedFor("1HOUR", 1))

it.effect("computes at most eight charts of more than 1,000 windows concurrently for one IP address", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(day)
    const [short, long] = [openedFor("1MIN", 1_000 * 60_000), openedFor("1MIN", 1_001 * 60_000)]
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Effect.replicateEffect(long, 8)
        assert.strictEqual((yield* Effect.flip(long)).status, 429)
        yield* short
      })
    )
    yield* Effect.scoped(long)
    // The stub returns minute 0 as the time of the first price.
  }).pipe(Effect.provide(over({ positions: () => Effect.succeed([5]), read: () => Effect.succeed(0 as never) })))
)

it.effect("a chart request waits until the tables contain the last row that the gateway has published", () =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(opened)
    yield* TestClock.adjust("30 millis")
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("20 millis")
    assert.strictEqual((yield* Fiber.join(fiber)).instrument, gold)
  }).pipe(Effect.provide(behind(3, 4, 5)))
)

it.effect("returns 503 for a chart if the tables are still behind after 2 s", () =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.flip(opened))
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual((yield* Fiber.join(fiber)).status, 503)
  }).pipe(Effect.provide(behind(4)))
)
