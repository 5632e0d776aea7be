/** Tests of an account's lists of trades, orders and TWAPs over real sockets: pages and CSV files. */
import { Unavailable } from "@venue/cluster/protocol/Market"
import { initialInstruments } from "@venue/domain/Instrument"
import type { MarketEvent } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { TwapId, unplaced } from "@venue/domain/Twap"
import { History } from "@venue/gateway/History"
import { primaryAccountOf } from "@venue/domain/AccountId"
import * as Projections from "@venue/storage/history/Projections"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { id } from "../../Id.ts"
import { order, traded } from "../../journal/EventsByHand.ts"
import { layer, layerReading, RestClient } from "./RestClient.ts"

const gold = MarketSymbol.make("GOLD-USD")

const trade = Effect.gen(function* () {
  const venue = yield* TestVenue
  yield* venue.price(gold, 3_400)
  const [maker, taker] = [yield* venue.user("maker"), yield* venue.user("taker")]
  const [making, taking] = [yield* venue.trade(maker), yield* venue.trade(taker)]
  const limit = { symbol: gold, order_type: "LIMIT", order_time_in_force: "GTC", price: 3_400 }
  yield* making.send({ type: "add_order", params: { ...limit, side: "SELL", quantity: 3, client_order_id: "=cmd" } })
  yield* making.take("order_response")
  yield* taking.send({ type: "add_order", params: { ...limit, side: "BUY", quantity: 2, client_order_id: "mine" } })
  yield* taking.take("fill_response")
  yield* making.send({ type: "cancel_all_orders", params: {} })
  yield* Effect.repeat(making.take("order_response"), {
    until: (message) => message.order_response.status === "CANCELLED"
  })
  yield* taking.send({ type: "add_order", params: { ...limit, side: "BUY", quantity: 2, price: 3_400.01 } })
  yield* taking.take("order_response")
  return { maker, taker }
})

it.live("returns an account's history newest first in pages, and the same rows oldest first in a file", () =>
  Effect.gen(function* () {
    const { get, restUrl, signed } = yield* RestClient
    const { maker, taker } = yield* trade
    const read = Effect.fnUntraced(function* (user: TestUser, path: string) {
      return yield* get(path, yield* signed(user))
    })
    const { body: made } = yield* read(maker, "/user/historic-orders")
    expect(made).toMatchObject({
      $schema: `${restUrl}/schemas/HistoricOrdersResponseBody.json`,
      count: 1,
      data: [
        {
          terminal_status: "CANCELLED",
          client_order_id: "=cmd",
          quantity: 3,
          price: 3_400,
          passive_qty: 2,
          filled_qty: 2,
          avg_price: 3_400,
          execution_state: "PARTIALLY_FILLED"
        }
      ]
    })
    const { body: taken } = yield* read(taker, "/user/historic-orders")
    expect(taken.data).toMatchObject([
      { terminal_status: "INVALID_TICK_SIZE_PRECISION_PRICE", price: 3_400.01, quantity: 2, avg_price: null },
      { terminal_status: "FILLED", client_order_id: "mine", passive_qty: 0, filled_qty: 2, execution_state: "FILLED" }
    ])
    expect((yield* read(taker, "/user/historic-orders?client_order_id=mine&symbol=gold-usd")).body.count).toBe(1)
    expect((yield* read(taker, "/user/historic-orders?limit=1&offset=1")).body.data).toMatchObject([
      { terminal_status: "FILLED" }
    ])
    expect((yield* read(taker, "/user/historic-orders?end=2020-01-01T00:00:00Z")).body.data).toEqual([])
    expect((yield* read(taker, "/user/historic-orders?start=2020-01-01T00:00:00Z")).body.count).toBe(2)

    const orders = yield* read(taker, "/historic-orders-csv")
    expect([orders.status, ...["content-type", "content-disposition"].map((name) => orders.headers.get(name))]).toEqual(
      [200, "text/csv; charset=utf-8", 'attachment; filename="historic-orders.csv"']
    )
    expect(orders.text.split("\r\n").map((line) => line.split(",")[1])).toEqual([
      "terminal_status",
      "FILLED",
      "INVALID_TICK_SIZE_PRECISION_PRICE",
      undefined
    ])
    expect((yield* read(maker, "/historic-orders-csv")).text).toContain(",'=cmd,2,2,3400,")

    const [fill] = (yield* read(taker, "/user/trade")).body.data
    const trades = yield* read(taker, "/trades-csv")
    const at = new Date(Math.round(fill.order_timestamp * 1_000)).toISOString().replace("Z", "000Z")
    expect(trades.text).toBe(
      "id,order_timestamp,symbol,side,price,quantity,fee,realised_pnl_change,margin_used,order_type,tif,order_id," +
        "order_origin,liquidation,execution_type\r\n" +
        `${fill.id},${at},GOLD-USD,BUY,3400,2,${fill.fee},0,${fill.margin_used},LIMIT,GTC,${fill.order_id},USER,NONE,NEW\r\n`
    )
    expect((yield* read(taker, "/historic-twaps-csv")).text.split("\r\n")).toHaveLength(2)
    expect((yield* read(taker, "/user/historic-twaps")).body).toMatchObject({ count: 0, data: [] })
  }).pipe(Effect.provide(layer))
)

/** History that reads the given tables directly. */
const reading = (tables: ReadTables["Service"]) => {
  const read = <A>(query: Parameters<typeof tables.read<A>>[0]) =>
    Effect.mapError(tables.read(query), () => new Unavailable({ what: "a test" }))
  return History.of({
    read: (_reader, _source, query) => read(query),
    readOn: read,
    count: (query) => Effect.orDie(read(query))
  })
}

const memory = Effect.runSync(Effect.provide(Effect.service(ReadTables), ReadTables.layerMemory))

it.live("filters TWAPs by symbol, and sends a large file of TWAPs in several parts", () =>
  Effect.gen(function* () {
    const { get, signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("owner")
    const accountId = primaryAccountOf(user.userId)
    const closed = (name: string, atMillis: number): MarketEvent => ({
      _tag: "TwapClosed",
      commandId: null,
      twap: unplaced(
        {
          twapId: TwapId.make(id(name).text),
          userId: user.userId,
          accountId,
          clientTwapId: name,
          side: "SELL",
          totalLots: 12_000,
          slices: 6,
          intervalMillis: 45_000,
          reduceOnly: false,
          worstTicks: 0,
          builderCode: "",
          startMillis: 2_000,
          createdAtMillis: 1_000
        },
        atMillis
      ),
      ending: "REQUEST",
      atMillis
    })
    const silver = MarketSymbol.make("SILVER-USD")
    yield* memory.project(Projections.ofMarket({ ...initialInstruments[0]!, symbol: silver }), silver, [
      { seq: 1, events: [closed("b", 5_000)] }
    ])
    const fills = Array.from({ length: 4_500 }, (_, index): MarketEvent => {
      const one = traded("file", index + 1, { atMillis: 1_000 + Math.floor(index / 700) })
      return { ...one, taker: { ...one.taker, order: order("file", accountId, { userId: user.userId }) } }
    })
    yield* memory.project(Projections.ofMarket({ ...initialInstruments[0]!, symbol: gold }), gold, [
      { seq: 1, events: [closed("a", 4_000), ...fills] }
    ])
    const read = Effect.fnUntraced(function* (path: string) {
      return yield* get(path, yield* signed(user))
    })
    const names = (body: { readonly data: ReadonlyArray<{ readonly client_twap_id: string }> }) =>
      body.data.map(({ client_twap_id }) => client_twap_id)
    expect(names((yield* read("/user/historic-twaps")).body)).toEqual(["b", "a"])
    expect(names((yield* read("/user/historic-twaps?limit=1")).body)).toEqual(["b"])
    expect(names((yield* read("/user/historic-twaps?limit=1&offset=1")).body)).toEqual(["a"])
    const counts = Effect.fnUntraced(function* (path: string) {
      const { body } = yield* read(path)
      return [body.data.length, body.count]
    })
    expect(yield* counts("/user/historic-twaps?limit=1")).toEqual([1, 2])
    expect(yield* counts("/user/historic-twaps?limit=1&offset=5")).toEqual([0, 2])
    expect(yield* counts("/user/trade?limit=10")).toEqual([10, fills.length])
    expect(yield* counts("/user/trade?limit=1000&offset=4400")).toEqual([100, fills.length])
    expect(yield* counts("/user/trade?limit=10&orderdirection=BUY")).toEqual([10, fills.length])
    expect(yield* counts("/user/trade?limit=10&symbol=AAPL-USD")).toEqual([0, 0])
    expect(names((yield* read("/user/historic-twaps?symbol=gold-usd")).body)).toEqual(["a"])
    const lines = (text: string) => text.split("\r\n").slice(1, -1)
    expect(lines((yield* read("/historic-twaps-csv")).text).map((line) => line.split(",")[1])).toEqual(["a", "b"])
    expect(lines((yield* read("/historic-twaps-csv?symbol=SILVER-USD")).text)).toHaveLength(1)
    expect((yield* read("/historic-twaps-csv?symbol=NOPE-USD")).status).toBe(400)
    const ids = lines((yield* read("/trades-csv")).text).map((line) => line.split(",")[0])
    expect(ids).toEqual(fills.map((_, index) => id(`file-trade-${index + 1}`).text))
  }).pipe(Effect.provide(layerReading(reading(memory))))
)

it.live("refuses a large offset, an unknown symbol, and a range that ends before it starts", () =>
  Effect.gen(function* () {
    const { get, signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("deep")
    for (const path of ["/user/trade", "/user/historic-orders"]) {
      const read = Effect.fnUntraced(function* (query: string) {
        const { body, status } = yield* get(`${path}?${query}`, yield* signed(user))
        return [status, body.type?.split("/").at(-1), body.detail ?? ""] as const
      })
      expect((yield* read("offset=100000"))[0]).toBe(200)
      const [status, page, detail] = yield* read("offset=100001")
      expect([path, status, page]).toEqual([path, 400, "offset-too-large"])
      expect(detail).toMatch(/100001.*end.*CSV/)
      expect((yield* read("symbol=NOPE-USD")).slice(0, 2)).toEqual([400, "unknown-symbol"])
      const backwards = "start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z"
      expect((yield* read(backwards)).slice(0, 2)).toEqual([400, "range-not-allowed"])
      const empty = yield* get(`${path}?start=2026-01-01T00:00:00Z&end=2026-01-01T00:00:00Z`, yield* signed(user))
      expect([empty.status, empty.body.data]).toEqual([200, []])
      expect((yield* read("limit=1001"))[0]).toBe(422)
    }
  }).pipe(Effect.provide(layer))
)

it.live("sets a time limit only on searches, and names a way to narrow a search that exceeds the limit", () =>
  Effect.gen(function* () {
    const { get, signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("searching")
    for (const query of ["ordertype=LIMIT", "orderdirection=buy&symbol=GOLD-USD"]) {
      const { body, status } = yield* get(`/user/trade?${query}`, yield* signed(user))
      expect([status, body.type.split("/").at(-1)]).toEqual([400, "range-too-long"])
      expect(body.detail).toMatch(/Shorten the range: set start/)
    }
    expect((yield* get("/user/trade?symbol=GOLD-USD&limit=7", yield* signed(user))).body.count).toBe(0)
  }).pipe(
    Effect.provide(
      layerReading(
        History.of({
          // The result of a time-limited search is optional. Option.none means that the database cancelled the
          // search.
          read: (_reader, _source, query) =>
            Effect.sync(() => {
              const result = query.memory({ tables: new Map(), positions: new Map() })
              return Option.isOption(result) ? (Option.none() as typeof result) : result
            }),
          readOn: () => Effect.die("no further part is read"),
          count: () => Effect.die("a page that is not full needs no count")
        })
      )
    )
  )
)
