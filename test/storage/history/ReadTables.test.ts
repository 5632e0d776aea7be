import { AccountId } from "@venue/domain/AccountId"
import { initialInstruments } from "@venue/domain/Instrument"
import { type MarketEvent, marketStream, type Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { orderIdFrom } from "@venue/domain/OrderId"
import { UserId } from "@venue/domain/UserId"
import type { CommittedRow, MarketProjection } from "@venue/storage/history/Projection"
import * as Orders from "@venue/storage/history/Orders"
import * as Projections from "@venue/storage/history/Projections"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Trades from "@venue/storage/history/Trades"
import * as Trading from "@venue/storage/history/Trading"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"
import { id } from "../../Id.ts"
import { ended, order, refused, traded } from "../../journal/EventsByHand.ts"

const tables = Effect.map(ReadTables, ({ position, project, read }) => ({
  project: (symbol: MarketSymbol, rows: ReadonlyArray<CommittedRow<MarketEvent>>) =>
    project(Projections.ofMarket({ ...initialInstruments[0]!, symbol }), symbol, rows),
  position: (symbol: MarketSymbol) => position(Trading.projection, symbol),
  trades: (query: Trades.TradeQuery) => read(Trades.page(query)),
  orders: (query: Orders.OrderQuery) => read(Orders.page(query))
}))

/** Each test has a separate market and users, so that all tests can share one database. */
const suite = (name: string, readTables: Layer.Layer<ReadTables, unknown>) =>
  layer(readTables, { timeout: "2 minutes" })(name, (it) => {
    it.effect("writes a trade as one row per side", () =>
      Effect.gen(function* () {
        const { project, trades } = yield* tables
        const trade = traded("sides", 1, { takerFee: 2_558_250, makerFee: -511_650, realised: -42, marginUsed: 77 })
        yield* project(MarketSymbol.make("SIDES-USD"), [{ seq: 1, events: [trade] }])
        const [taker] = yield* trades({ accountId: AccountId.make("sides-taker"), ...all })
        const [maker] = yield* trades({ accountId: AccountId.make("sides-maker"), ...all })
        assert.deepStrictEqual(taker, {
          symbol: "SIDES-USD",
          number: 1,
          tradeId: id("sides-trade-1").text,
          side: "BUY",
          aggressorSide: "BUY",
          accountId: "sides-taker",
          userId: "sides-taker",
          orderId: id("sides-taker-order").text,
          clientOrderId: "mm-1",
          price: 34_110,
          quantity: 1_500,
          orderPrice: 34_112,
          remaining: 1_000,
          fee: 2_558_250,
          realised: -42,
          marginUsed: 77,
          orderType: "LIMIT",
          timeInForce: "GTC",
          origin: "USER",
          builderCode: "",
          liquidation: "NONE",
          executionType: "NEW",
          atMillis: 1_790_503_244_118
        })
        assert.deepInclude(maker, { side: "SELL", aggressorSide: "BUY", fee: -511_650, marginUsed: 0 })
      })
    )

    it.effect("I8: writes each row once, even if a later batch repeats some rows and adds new ones", () =>
      Effect.gen(function* () {
        const { position, project, trades } = yield* tables
        const rows = [1, 2, 3].map((seq) => ({ seq, events: [traded("again", seq, {})] }))
        yield* project(MarketSymbol.make("AGAIN-USD"), rows.slice(0, 2))
        yield* project(MarketSymbol.make("AGAIN-USD"), rows.slice(0, 2))
        yield* project(MarketSymbol.make("AGAIN-USD"), rows)
        yield* project(MarketSymbol.make("AGAIN-USD"), [])
        assert.strictEqual(yield* position(MarketSymbol.make("AGAIN-USD")), 3)
        const landed = yield* trades({ accountId: AccountId.make("again-taker"), ...all })
        assert.deepStrictEqual(
          landed.map(({ number }) => number),
          [3, 2, 1]
        )
      })
    )

    it.effect("rejects a batch with a gap in the row numbers, and writes none of its rows", () =>
      Effect.gen(function* () {
        const { position, project, trades } = yield* tables
        yield* project(MarketSymbol.make("HOLE-USD"), [{ seq: 1, events: [] }])
        const late = yield* Effect.flip(
          project(MarketSymbol.make("HOLE-USD"), [{ seq: 3, events: [traded("hole", 1, {})] }])
        )
        assert.deepInclude(late, { _tag: "ProjectionGap", position: "trading:market/HOLE-USD", expected: 2, found: 3 })
        const torn = yield* Effect.flip(
          project(
            MarketSymbol.make("HOLE-USD"),
            [2, 4].map((seq) => ({ seq, events: [traded("hole", seq, {})] }))
          )
        )
        assert.deepInclude(torn, { _tag: "ProjectionGap", expected: 3, found: 4 })
        const unborn = yield* Effect.flip(project(MarketSymbol.make("UNBORN-USD"), [{ seq: 2, events: [] }]))
        assert.deepInclude(unborn, { _tag: "ProjectionGap", expected: 1, found: 2 })
        assert.strictEqual(yield* position(MarketSymbol.make("HOLE-USD")), 1)
        assert.deepStrictEqual(yield* trades({ accountId: AccountId.make("hole-taker"), ...all }), [])
      })
    )

    it.effect(
      "I56: a projection group reads its own tables only if the write continues directly after the group's last row",
      () =>
        Effect.gen(function* () {
          const { project } = yield* ReadTables
          const symbol = MarketSymbol.make("ONWARD-USD")
          /** First row of each write for which the group read its own tables. */
          const begunAt: Array<number> = []
          const onward: MarketProjection = {
            group: "onward",
            stream: marketStream,
            writes: (_symbol, [first]) => {
              const read = () => {
                begunAt.push(first!.seq)
                return []
              }
              return { sql: () => Effect.sync(read), memory: read }
            }
          }
          const rows = [1, 2, 3].map((seq) => ({ seq, events: [] }))
          assert.strictEqual((yield* Effect.flip(project([onward], symbol, rows.slice(1))))._tag, "ProjectionGap")
          yield* project([onward], symbol, rows.slice(0, 2))
          yield* project([onward], symbol, rows)
          yield* project([onward], symbol, rows)
          assert.deepStrictEqual(begunAt, [1, 3])
        })
    )

    it.effect("I8: writes each event once when two owners write concurrently", () =>
      Effect.gen(function* () {
        const { project, trades } = yield* tables
        const rows = Array.from({ length: 40 }, (_, n) => ({ seq: n + 1, events: [traded("race", n + 1, {})] }))
        const owner = (step: number) =>
          Effect.forEach(
            Array.from({ length: Math.ceil(40 / step) }, (_, n) => n * step),
            (from) => project(MarketSymbol.make("RACE-USD"), rows.slice(from, from + step)).pipe(Effect.eventually)
          )
        yield* Effect.all([owner(1), owner(7), owner(40)], { concurrency: "unbounded" })
        assert.strictEqual((yield* trades({ accountId: AccountId.make("race-taker"), ...all })).length, 40)
      })
    )

    it.effect("fills a newly added projection group from the first row, and does not rewrite other groups", () =>
      Effect.gen(function* () {
        const { position, project } = yield* ReadTables
        const symbol = MarketSymbol.make("LATE-GROUP-USD")
        const had: Array<number> = []
        const late: MarketProjection = {
          ...Trading.projection,
          group: "late",
          writes: (_symbol, rows) => {
            had.push(...rows.map(({ seq }) => seq))
            return []
          }
        }
        const rows = [1, 2, 3, 4].map((seq) => ({ seq, events: [traded("late-group", seq, {})] }))
        yield* project([Trading.projection], symbol, rows.slice(0, 3))
        assert.deepStrictEqual([yield* position(Trading.projection, symbol), yield* position(late, symbol)], [3, 0])
        const gap = yield* Effect.flip(project([late], symbol, rows.slice(1)))
        assert.deepInclude(gap, { position: "late:market/LATE-GROUP-USD", expected: 1, found: 2 })
        had.length = 0
        yield* project([late], symbol, rows.slice(0, 1))
        assert.deepStrictEqual(had, [1])
        yield* project([Trading.projection, late], symbol, rows.slice(1))
        assert.deepStrictEqual([yield* position(Trading.projection, symbol), yield* position(late, symbol)], [4, 4])
        const { trades } = yield* tables
        assert.lengthOf(yield* trades({ accountId: AccountId.make("late-group-taker"), ...all }), 4)
      })
    )

    it.effect("returns trades newest first, and applies every filter", () =>
      Effect.gen(function* () {
        const { project, trades } = yield* tables
        const at = (seq: number) => ({ atMillis: 1_000 * Math.ceil(seq / 2) })
        const events = [1, 2, 3, 4].map((number) => traded("page", number, at(number)))
        yield* project(MarketSymbol.make("PAGE-USD"), [{ seq: 1, events }])
        const sold = { ...traded("page", 1, { atMillis: 2_000 }) }
        const other: Traded = {
          ...sold,
          taker: {
            ...sold.taker,
            order: { ...sold.taker.order, orderId: orderIdFrom(id("page-other")), side: "SELL", type: "ALO" }
          },
          maker: { ...sold.maker, order: { ...sold.maker.order, side: "BUY" } }
        }
        yield* project(MarketSymbol.make("QAGE-USD"), [{ seq: 1, events: [other] }])
        const read = Effect.fnUntraced(function* (query: object) {
          const rows = yield* trades({ accountId: AccountId.make("page-taker"), ...all, ...query })
          return rows.map(({ number, symbol }) => `${symbol[0]}${number}`).join(" ")
        })
        assert.strictEqual(yield* read({}), "Q1 P4 P3 P2 P1")
        assert.strictEqual(yield* read({ limit: 2, offset: 1 }), "P4 P3")
        assert.strictEqual(yield* read({ limit: 0 }), "")
        assert.strictEqual(yield* read({ symbol: "PAGE-USD" }), "P4 P3 P2 P1")
        assert.strictEqual(yield* read({ startMillis: 2_000 }), "Q1 P4 P3")
        assert.strictEqual(yield* read({ endMillis: 2_000 }), "P2 P1")
        assert.strictEqual(yield* read({ side: "SELL" }), "Q1")
        assert.strictEqual(yield* read({ orderType: "ALO" }), "Q1")
        assert.strictEqual(yield* read({ orderId: orderIdFrom(id("page-other")).text }), "Q1")
        assert.strictEqual(yield* read({ orderId: "nobody's \0" }), "")
        assert.strictEqual(yield* read({ accountId: "page-nobody" }), "")
      })
    )

    it.effect("lists a filled order at the time of its last fill, with the sum of its fills", () =>
      Effect.gen(function* () {
        const { orders, project } = yield* tables
        const first = traded("sum", 1, { atMillis: 5_000, quantity: 1_000, price: 100 })
        yield* project(MarketSymbol.make("SUM-USD"), [{ seq: 1, events: [first] }])
        assert.deepStrictEqual(yield* orders({ accountId: AccountId.make("sum-taker"), ...all }), [])
        const last = traded("sum", 2, { atMillis: 6_000, quantity: 3_000, price: 102, takerRemaining: 0 })
        yield* project(MarketSymbol.make("SUM-USD"), [{ seq: 2, events: [last] }])
        const [order] = yield* orders({ accountId: AccountId.make("sum-taker"), ...all })
        assert.deepStrictEqual(order, {
          orderId: id("sum-taker-order").text,
          status: "FILLED",
          endedAtMillis: 6_000,
          symbol: MarketSymbol.make("SUM-USD"),
          accountId: AccountId.make("sum-taker"),
          userId: UserId.make("sum-taker"),
          clientOrderId: "mm-1",
          side: "BUY",
          orderType: "LIMIT",
          timeInForce: "GTC",
          price: 34_112,
          quantity: 2_500,
          reduceOnly: false,
          askedPrice: null,
          askedQuantity: null,
          filledQuantity: 4_000,
          passiveQuantity: 0,
          filledCost: 406_000n,
          firstFillAtMillis: 5_000,
          lastFillAtMillis: 6_000
        })
      })
    )

    it.effect(
      "lists a cancelled order with the sum of its fills, or with null as the last fill's time if it has no fill",
      () =>
        Effect.gen(function* () {
          const { orders, project } = yield* tables
          const trade = traded("part", 1, { quantity: 400 })
          const events = [
            trade,
            ended(trade.maker.order, "CANCELLED_STP"),
            ended(order("part-second", AccountId.make("part-maker"), {}), "CANCELLED")
          ]
          yield* project(MarketSymbol.make("PART-USD"), [{ seq: 1, events }])
          const found = yield* orders({ accountId: AccountId.make("part-maker"), ...all })
          assert.deepStrictEqual(
            found.map((row) => [
              row.orderId,
              row.status,
              row.filledQuantity,
              row.passiveQuantity,
              row.filledCost,
              row.lastFillAtMillis
            ]),
            [
              [id("part-second").text, "CANCELLED", 0, 0, 0n, null],
              [id("part-maker-order").text, "CANCELLED_STP", 400, 400, 13_644_000n, 1_790_503_244_118]
            ]
          )
          const one = yield* orders({
            accountId: AccountId.make("part-maker"),
            ...all,
            clientOrderId: "mm-1",
            limit: 1,
            offset: 1
          })
          assert.deepStrictEqual(
            one.map(({ orderId }) => orderId),
            [id("part-maker-order").text]
          )
          assert.deepStrictEqual(
            yield* orders({ accountId: AccountId.make("part-maker"), ...all, symbol: MarketSymbol.make("OTHER-USD") }),
            []
          )
          assert.deepStrictEqual(
            yield* orders({ accountId: AccountId.make("part-maker"), ...all, endMillis: 1_790_503_250_000 }),
            []
          )
        })
    )

    it.effect("lists a rejected order under its command id, and does not list other rejected commands", () =>
      Effect.gen(function* () {
        const { orders, project } = yield* tables
        const events = [
          refused("no-1", "INVALID_TICK_SIZE_PRECISION_PRICE", { price: 10.12345, clientOrderId: "odd \0 空" }),
          refused("no-2", "CANNOT_MODIFY_NO_SUCH_ORDER", { orderId: "somebody's" }),
          refused("no-3", "NO_SUCH_ORDER", { side: null, type: null, timeInForce: null })
        ]
        yield* project(MarketSymbol.make("NO-USD"), [{ seq: 1, events }])
        const found = yield* orders({ accountId: AccountId.make("no"), ...all })
        assert.strictEqual(found.length, 1)
        assert.deepInclude(found[0], {
          orderId: id("no-1").text,
          status: "INVALID_TICK_SIZE_PRECISION_PRICE",
          price: 0,
          askedPrice: 10.12345,
          askedQuantity: 2.5,
          filledQuantity: 0
        })
      })
    )

    it.effect("lists an order whose command expired as failed, unless the order has another recorded end", () =>
      Effect.gen(function* () {
        const { orders, project } = yield* tables
        const late = (name: string) => refused(name, "EXPIRED", {})
        const mine = (name: string) => ended(order(name, AccountId.make("no"), {}), "CANCELLED")
        yield* project(MarketSymbol.make("LATE-USD"), [
          { seq: 1, events: [late("late-0"), mine("late-1"), late("late-1"), late("late-2")] }
        ])
        yield* project(MarketSymbol.make("LATE-USD"), [{ seq: 2, events: [mine("late-2"), late("late-1")] }])
        const found = yield* orders({
          accountId: AccountId.make("no"),
          symbol: MarketSymbol.make("LATE-USD"),
          limit: 10,
          offset: 0
        })
        assert.deepStrictEqual(
          new Map(found.map(({ orderId, status }) => [orderId, status])),
          new Map([
            [id("late-0").text, "REJECTED_FAILED_TO_PROCESS"],
            [id("late-1").text, "CANCELLED"],
            [id("late-2").text, "CANCELLED"]
          ])
        )
        assert.lengthOf(found, 3)
      })
    )

    it.effect("writes more rows than one statement accepts, each row once", () =>
      Effect.gen(function* () {
        const { orders, project, trades } = yield* tables
        const events = Array.from({ length: 2_500 }, (_, n) => [
          traded("many", n + 1, {}),
          ended(order(`many-${n}`, AccountId.make("many-taker"), {}), "CANCELLED")
        ]).flat()
        yield* project(MarketSymbol.make("MANY-USD"), [{ seq: 1, events }])
        yield* project(MarketSymbol.make("MANY-USD"), [{ seq: 1, events }])
        const last = yield* trades({ accountId: AccountId.make("many-maker"), limit: 5_000, offset: 2_000 })
        assert.deepStrictEqual([last.length, last.at(-1)?.number], [500, 1])
        assert.strictEqual(
          (yield* orders({ accountId: AccountId.make("many-taker"), limit: 5_000, offset: 0 })).length,
          1_000
        )
      })
    )
  })

suite("ReadTables in memory", ReadTables.layerMemory)
suite("ReadTables on Postgres", Layer.provide(ReadTables.layer, postgresLayer))

const all = { limit: 1_000, offset: 0 }
