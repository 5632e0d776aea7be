/** Tests of lists of trades, ended orders and TWAPs: every filter, both directions, pages and concurrent inserts. */
import { initialInstruments } from "@venue/domain/Instrument"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { OrderType, Side } from "@venue/domain/Order"
import * as Orders from "@venue/storage/history/Orders"
import * as Projections from "@venue/storage/history/Projections"
import * as PublicTrades from "@venue/storage/history/PublicTrades"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import type { Listing } from "@venue/storage/history/RowOrder"
import * as SearchLimit from "@venue/storage/history/SearchLimit"
import * as Trades from "@venue/storage/history/Trades"
import * as Twaps from "@venue/storage/history/Twaps"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { postgresLayer } from "../../Postgres.ts"
import { accounts, clientOrderIds, eventsOf, symbols } from "./HistoryEvents.ts"

const rowsOfStart = 60

const add = (tables: ReadTables["Service"], symbol: MarketSymbol, seq: number) =>
  tables.project(Projections.ofMarket({ ...initialInstruments[0]!, symbol }), symbol, [
    { seq, events: eventsOf(symbol, seq === 1 ? 1 : rowsOfStart + 1 + (seq - 2) * 4, seq === 1 ? rowsOfStart : 4) }
  ])

/** Returns every combination of values; `undefined` omits the name. */
const combinations = <A extends Record<string, ReadonlyArray<unknown>>>(choices: A) =>
  Object.entries(choices).reduce<ReadonlyArray<Record<string, unknown>>>(
    (all, [name, values]) =>
      all.flatMap((before) => values.map((value) => (value === undefined ? before : { ...before, [name]: value }))),
    [{}]
  ) as ReadonlyArray<{ readonly [N in keyof A]?: Exclude<A[N][number], undefined> }>

const times = { startMillis: [undefined, 3_000], endMillis: [undefined, 3_000, 7_000] }
const pages = [
  { limit: 1_000, offset: 0 },
  { limit: 5, offset: 2 }
]
const aSymbol = [undefined, symbols[1], MarketSymbol.make("HIST-NONE-USD")]

const walk = Effect.fnUntraced(function* <Row>(
  read: ReadTables["Service"]["read"],
  list: Listing<Row>,
  limit: number,
  between: Effect.Effect<unknown, unknown> = Effect.void
) {
  const last = yield* read(list.last)
  if (last === undefined) return []
  const parts: Array<ReadonlyArray<Row>> = []
  for (;;) {
    const part = yield* read(list.part({ after: parts.at(-1)?.at(-1), last, limit }))
    if (part.length === 0) return parts.flat()
    parts.push(part)
    yield* between
  }
})

const listings: Readonly<Record<string, Listing<unknown>>> = {
  trades: Trades.listing({ accountId: accounts[0]! }) as Listing<unknown>,
  orders: Orders.listing({ accountId: accounts[0]! }) as Listing<unknown>,
  twaps: Twaps.listing({ accountId: accounts[0]! }) as Listing<unknown>,
  "twaps of a symbol": Twaps.listing({ accountId: accounts[0]!, symbol: symbols[1] }) as Listing<unknown>
}

const textOf = (row: unknown) =>
  JSON.stringify(row, (_, value) => (typeof value === "bigint" ? `${value}n` : (value as unknown)))

layer(Layer.provideMerge(ReadTables.layer, postgresLayer), { timeout: "60 seconds" })("lists", (it) => {
  const twins = Effect.gen(function* () {
    const sql = yield* ReadTables
    const memory = yield* Effect.provide(Effect.service(ReadTables), ReadTables.layerMemory)
    for (const symbol of symbols) for (const tables of [sql, memory]) yield* add(tables, symbol, 1)
    return { sql, memory }
  })

  it.effect(
    "lists the same rows in memory and on Postgres for every filter and page",
    () =>
      Effect.gen(function* () {
        const { memory, sql } = yield* twins
        let rowCount = 0
        const same = Effect.fnUntraced(function* <A>(query: ReadQuery<ReadonlyArray<A>>, filter: object) {
          const rows = yield* sql.read(query)
          assert.deepStrictEqual(rows, yield* memory.read(query), JSON.stringify(filter))
          rowCount += rows.length
        })
        const sameCount = Effect.fnUntraced(function* (query: ReadQuery<number>, filter: object) {
          assert.strictEqual(yield* sql.read(query), yield* memory.read(query), JSON.stringify(filter))
        })
        const one = (yield* sql.read(Trades.page({ accountId: accounts[0]!, limit: 1, offset: 3 })))[0]!.orderId
        for (const page of pages) {
          for (const accountId of accounts) {
            for (const filter of combinations({
              symbol: aSymbol,
              orderId: [undefined, one],
              orderType: [undefined, OrderType.literals[0]],
              side: [undefined, ...Side.literals],
              ...times
            })) {
              yield* same(Trades.page({ accountId, ...filter, ...page }), { accountId, ...filter, ...page })
              yield* sameCount(Trades.count({ accountId, ...filter }), { accountId, ...filter })
            }
            for (const filter of combinations({
              symbol: aSymbol,
              clientOrderId: [undefined, ...clientOrderIds],
              ...times
            })) {
              yield* same(Orders.page({ accountId, ...filter, ...page }), { accountId, ...filter, ...page })
              yield* sameCount(Orders.count({ accountId, ...filter }), { accountId, ...filter })
            }
            for (const filter of combinations({ symbol: aSymbol })) {
              yield* same(Twaps.page({ accountId, ...filter, ...page }), { accountId, ...filter, ...page })
              yield* sameCount(Twaps.count({ accountId, ...filter }), { accountId, ...filter })
            }
          }
        }
        for (const wanted of [symbols, symbols.slice(0, 1), [MarketSymbol.make("NOPE-USD")]]) {
          for (const page of pages) {
            const query = PublicTrades.page({ symbols: wanted, ...page })
            assert.deepStrictEqual(yield* sql.read(query), yield* memory.read(query))
          }
        }
        assert.isAbove(rowCount, 2_000)
        for (const [name, list] of Object.entries(listings)) {
          const rows = yield* walk(sql.read, list, 7)
          assert.isAbove(rows.length, 1, name)
          assert.deepStrictEqual(rows, yield* walk(memory.read, list, 7), name)
        }
      }),
    900_000
  )

  it.effect("pages of any length in ascending order add up to the reverse of the newest-first list", () =>
    Effect.gen(function* () {
      const { read } = yield* ReadTables
      const accountId = accounts[0]!
      const whole = { limit: 1_000, offset: 0 }
      for (const limit of [1, 7, 1_000]) {
        const trades = yield* read(Trades.page({ accountId, ...whole }))
        assert.deepStrictEqual((yield* walk(read, Trades.listing({ accountId }), limit)).toReversed(), trades)
        const orders = yield* read(Orders.page({ accountId, ...whole }))
        assert.deepStrictEqual((yield* walk(read, Orders.listing({ accountId }), limit)).toReversed(), orders)
        const twaps = yield* read(Twaps.page({ accountId, ...whole }))
        assert.deepStrictEqual((yield* walk(read, Twaps.listing({ accountId }), limit)).toReversed(), twaps)
      }
    })
  )

  it.effect("neither loses nor repeats rows while other rows are inserted between pages", () =>
    Effect.gen(function* () {
      const tables = yield* ReadTables
      let seq = 1
      for (const [name, list] of Object.entries(listings)) {
        const before = (yield* walk(tables.read, list, 1_000)).map(textOf)
        // Some inserted rows are older than the last row that was read, and some are newer than all rows.
        const more = Effect.suspend(() => {
          seq += 1
          return Effect.forEach(symbols, (symbol) => add(tables, symbol, seq))
        })
        const texts = (yield* walk(tables.read, list, 5, more)).map(textOf)
        assert.strictEqual(new Set(texts).size, texts.length, name)
        const orders = new Set(texts)
        // An order's fills are allowed to grow between pages, but the set of orders is not.
        const known = (rows: ReadonlyArray<string>) =>
          rows.map((row) => (JSON.parse(row) as { orderId?: string }).orderId)
        if (name === "orders") assert.includeMembers(known(texts), known(before))
        else for (const row of before) assert.isTrue(orders.has(row), `${name}: ${row}`)
      }
      assert.isAbove(seq, 10)
    })
  )

  it.effect("aborts a search at its time limit, and returns the result of a faster search", () =>
    Effect.gen(function* () {
      const { read } = yield* ReadTables
      const page = Trades.page({ accountId: accounts[0]!, side: "SELL", limit: 3, offset: 0 })
      assert.deepStrictEqual(yield* read(SearchLimit.limited(page, 60_000)), Option.some(yield* read(page)))
      const endless: ReadQuery<unknown> = { sql: (sql) => sql`select pg_sleep(60)`, memory: () => [] }
      assert.deepStrictEqual(yield* read(SearchLimit.limited(endless, 20)), Option.none())
      const sql = yield* SqlClient.SqlClient
      // The time limit does not apply to later statements on the same connection.
      assert.deepStrictEqual(yield* sql`select current_setting('statement_timeout') as limit`, [{ limit: "0" }])
    })
  )

  it.effect("reads each page of a long list by a scan of a single index range", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Returns the query plan, with sequential and bitmap scans disabled.
      const plan = (statement: string) =>
        sql.withTransaction(
          Effect.gen(function* () {
            // Uses a table without statistics, because an analyze between two statements could change the chosen
            // index.
            yield* sql`create temporary table t (like trade including indexes) on commit drop`
            yield* sql`set local enable_seqscan = off`
            yield* sql`set local enable_bitmapscan = off`
            const rows = yield* sql<{ readonly "QUERY PLAN": string }>`explain ${sql.literal(statement)}`
            return rows.map((row) => row["QUERY PLAN"]).join("\n")
          })
        )
      const key = "(at_millis, symbol, number)"
      for (const [statement, index] of [
        [
          `account_id = 'a' order by at_millis desc, symbol desc, number desc limit 100`,
          "t_account_id_at_millis_symbol_number_idx"
        ],
        [
          `account_id = 'a' and symbol = 's' order by at_millis desc, symbol desc, number desc limit 100`,
          "t_account_id_symbol_at_millis_number_idx"
        ],
        [
          `account_id = 'a' and ${key} > (1, 's', 1) and ${key} <= (2, 't', 1) order by at_millis, symbol, number limit 9`,
          "t_account_id_at_millis_symbol_number_idx"
        ]
      ] as const) {
        const text = yield* plan(`select * from t where ${statement}`)
        assert.include(text, index)
        assert.notInclude(text, "Sort")
        assert.notInclude(text, "Filter")
      }
    })
  )
})
