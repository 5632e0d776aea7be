/** Frames and responses from a running venue have exactly the members and types of the published examples. */
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as RestServer from "@venue/gateway/rest/RestServer"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { bodies, commands, frames, shapeOf } from "../api/Examples.ts"
import { call, layerQuiet, RestClient, sockets } from "../gateway/rest/RestClient.ts"
import { deal, person } from "./Ruin.ts"
import { friday, gold, limit } from "./Story.ts"

const oil = MarketSymbol.make("CL-USD")
const day = 86_400_000
const iso = (millis: number) => new Date(millis).toISOString()
const settings = {
  ...defaults,
  instruments: new Map([gold, oil].map((symbol) => [symbol, defaults.instruments.get(symbol)!] as const))
}

/** Gold has trades, a book away from the price, and funding. A settled future determines the oil price. */
const scene = Effect.gen(function* () {
  const venue = yield* TestVenue
  const { admin } = yield* RestClient
  yield* venue.price(gold, 3_410.9)
  const [ann, ben] = [yield* person(venue, "ann", 1_000_000), yield* person(venue, "ben", 1_000_000)]
  yield* deal(venue, ann, ben, 3, 3_411, gold)
  yield* ann.client.send(limit("BUY", 20, 3_412, { symbol: gold }))
  yield* ben.client.send(limit("SELL", 20, 3_414.5, { symbol: gold }))
  const now = yield* Clock.currentTimeMillis
  const futures = [{ future_symbol: "CLX6", active_until: iso(now + day), expiration: iso(now + 2 * day) }]
  yield* admin("POST", "/settlement-calendar", { symbol: oil, active_from: iso(now - day), futures, reason: "known" })
  const prices = { day: iso(now - day).slice(0, 10), official_close: 71.05, settlement: 71.32, future_symbol: "CLX6" }
  yield* admin("POST", "/settlement-prices", { symbol: oil, ...prices, reason: "as published" })
  yield* TestClock.adjust("125 minutes")
  yield* venue.settle
  return { venue, ann, ben }
})

const running = <E, R>(tell: Effect.Effect<void, E, R>) =>
  Effect.andThen(TestClock.setTime(friday), Effect.provide(tell, layerQuiet)).pipe(
    Effect.provideService(VenueSettings, settings)
  )

it.effect("market-data frames have exactly the members and types of the published examples", () =>
  running(
    Effect.gen(function* () {
      const { ann, ben, venue } = yield* scene
      const socket = yield* venue.marketData
      yield* socket.sendText(commands[2]!)
      yield* socket.sendText(commands[1]!)
      yield* socket.send({ type: "subscribe", channels: ["bbo"], symbols: ["FOO-USD"] })
      const others = ["bbo", "trade", "candle", "underlier", "mark_price", "funding", "open_interest", "minmax_price"]
      yield* socket.send({ type: "subscribe", channels: others, symbols: [gold], intervals: ["1MIN"] })
      yield* socket.send({ type: "subscribe", channels: ["market_stats"], symbols: ["*"] })
      yield* deal(venue, ann, ben, 1, 3_412.5, gold)
      const sent = (yield* socket.drain) as ReadonlyArray<{ readonly type?: string }>
      for (const text of frames) {
        const example = JSON.parse(text)
        const alike = sent.find(({ type }) => type === example.type)
        assert.deepStrictEqual(shapeOf(alike), shapeOf(example), text)
      }
    })
  )
)

it.effect("public REST responses have exactly the members and types of the published examples", () =>
  running(
    Effect.gen(function* () {
      const { venue } = yield* scene
      const { url } = yield* RestServer.open({ host: "127.0.0.1", port: 0, brand: "svc", sockets })
      const range = `fromISO=${iso(friday + 60 * 60_000)}&toISO=${iso(friday + day)}`
      const paths: Readonly<Record<keyof typeof bodies, string>> = {
        RefdataResponse: `/refdata?ticker=${gold}`,
        CandlesResponseBody: `/candles/${gold}?resolution=1HOUR&${range}`,
        FundingHistoricResponseBody: `/funding/${gold}?intervalMinutes=60&${range}`,
        OpenInterestHistoricResponseBody: `/open-interest/${gold}?intervalMinutes=60&${range}`,
        SymbolLongShortHistoricResponseBody: `/symbol-long-short/${gold}?interval=1h&${range}`,
        TakerVolumeHistoricResponseBody: `/taker-volume/${gold}?intervalMinutes=60&${range}`,
        UnderlierHistoricResponseBody: `/underlier/${gold}?interval=1h&${range}`,
        SettlementCalendarEntry: `/settlement-calendar?symbol=${oil}`,
        SettlementPricesResponseBody: "/settlement-prices",
        SymbolMetricsResponseBody: "/symbols/metrics",
        ContractsResponseBody: "/md/contracts",
        OrderBookResponseBody: `/md/orderbook/${gold}`
      }
      // Charts need their tables, which are written only while the clock advances.
      const timePasses = Effect.forever(Effect.andThen(TestClock.adjust("100 millis"), venue.settle))
      for (const [name, path] of Object.entries(paths)) {
        const { body, status } = yield* Effect.raceFirst(call(`${url}${path}`), timePasses)
        assert.strictEqual(status, 200, path)
        assert.deepStrictEqual(shapeOf(body), shapeOf(JSON.parse(bodies[name as keyof typeof bodies])), path)
      }
    })
  )
)
