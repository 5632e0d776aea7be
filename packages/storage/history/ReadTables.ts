/**
 * The read tables tell what was: trades, ended orders and ledger entries, written once for each event, after its
 * commit.
 */
import type { AccountId } from "@venue/domain/AccountId"
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type TraderEvent, traderStream } from "@venue/domain/Trader"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "@venue/domain/UserId"
import type { Batch } from "@venue/postgres/Table"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { projectionTable, writeProjection } from "./ProjectionWrite.ts"
import * as LedgerEntries from "./LedgerEntries.ts"
import * as Migrations from "@venue/postgres/Migrations"
import * as Orders from "./Orders.ts"
import * as Trades from "./Trades.ts"

/** This is a committed row of the journal, decoded; that of a claim has no events and is named all the same. */
export interface CommittedRow<Event> {
  readonly seq: number
  readonly events: ReadonlyArray<Event>
}

/** The rows do not go on where the projection stands: they are to be read from the journal, from `position` on. */
export class ProjectionGap extends Schema.TaggedError<ProjectionGap>()("ProjectionGap", {
  stream: Schema.String,
  expected: Schema.Number,
  found: Schema.Number
}) {}

type Seq = { readonly seq: number }
type Projected = Effect.Effect<void, ProjectionGap | DatabaseUnavailable>

export class ReadTables extends Context.Service<
  ReadTables,
  {
    /** Rows at or below the position are skipped, so a repeat changes nothing; a hole is refused whole. */
    readonly project: (symbol: MarketSymbol, rows: ReadonlyArray<CommittedRow<MarketEvent>>) => Projected
    readonly projectTrader: (userId: UserId, rows: ReadonlyArray<CommittedRow<TraderEvent>>) => Projected
    /** Tells the last seq that was projected of a stream of the journal; it is 0 before the first. */
    readonly position: (stream: string) => Effect.Effect<number, DatabaseUnavailable>
    readonly trades: (query: Trades.TradeQuery) => Effect.Effect<ReadonlyArray<Trades.TradeRow>, DatabaseUnavailable>
    readonly orders: (
      query: Orders.OrderQuery
    ) => Effect.Effect<ReadonlyArray<Orders.HistoricOrder>, DatabaseUnavailable>
    /** The sum is zero in every asset, always. */
    readonly sumByAsset: () => Effect.Effect<ReadonlyArray<LedgerEntries.AssetSum>, DatabaseUnavailable>
    /** Tells what the entries of one account sum to. */
    readonly ledgerBalance: (accountId: AccountId) => Effect.Effect<bigint, DatabaseUnavailable>
  }
>()("@venue/storage/history/ReadTables") {
  static readonly layer = Layer.effect(
    ReadTables,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const position = Effect.fnUntraced(function* (stream: string) {
        const at = yield* projectionTable.first(
          sql`select ${projectionTable.columns} from projection where stream = ${stream}`
        )
        return Option.match(at, { onNone: () => 0, onSome: ({ seq }) => seq })
      })

      /** Rows are taken to follow the position; where they do not, it is asked for. */
      const advance = Effect.fnUntraced(function* (
        stream: string,
        rows: ReadonlyArray<Seq>,
        write: (skip: number) => ReadonlyArray<Batch>
      ) {
        let skip = 0
        while (skip < rows.length) {
          const before = rows[skip]!.seq - 1
          const isWhole = rows.every(({ seq }, index) => index < skip || seq === before + 1 + index - skip)
          if (isWhole) {
            const projection = { stream, before, last: rows.at(-1)!.seq, batches: write(skip) }
            if (yield* writeProjection(sql, projection)) return
          }
          skip = yield* seen(stream, yield* position(stream), rows)
        }
      }, orUnavailable)

      return ReadTables.of({
        project: Effect.fn("ReadTables.project")((symbol, rows) =>
          advance(marketStream(symbol), rows, (skip) => {
            const { orders, trades } = written(symbol, rows.slice(skip))
            return [Trades.tradeTable.batch(trades), Orders.batch(orders.values())]
          })
        ),
        projectTrader: Effect.fn("ReadTables.projectTrader")((userId, rows) => {
          const stream = traderStream(userId)
          return advance(stream, rows, (skip) => [
            LedgerEntries.ledgerEntryTable.batch(
              rows.slice(skip).flatMap(({ events, seq }) => LedgerEntries.entriesOf(stream, seq, events))
            )
          ])
        }),
        position: Effect.fn("ReadTables.position")((stream) => orUnavailable(position(stream))),
        trades: Effect.fn("ReadTables.trades")((query) => orUnavailable(Trades.page(sql, query))),
        orders: Effect.fn("ReadTables.orders")((query) => orUnavailable(Orders.page(sql, query))),
        sumByAsset: Effect.fn("ReadTables.sumByAsset")(() => orUnavailable(LedgerEntries.sumByAsset(sql))),
        ledgerBalance: Effect.fn("ReadTables.ledgerBalance")((accountId) =>
          orUnavailable(LedgerEntries.balance(sql, accountId))
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  /** Forgets the oldest trades and orders beyond `maxKept`; balances are kept whole. */
  static readonly layerMemory = Layer.sync(ReadTables, () => {
    const positions = new Map<string, number>()
    const trades: Array<Trades.TradeRow> = []
    const orders = new Map<string, Orders.EndedOrder>()
    const balances = new Map<string, bigint>()

    const advance = (stream: string, rows: ReadonlyArray<Seq>, write: (skip: number) => void) =>
      Effect.suspend(() =>
        Effect.map(seen(stream, positions.get(stream) ?? 0, rows), (skip) => {
          if (skip === rows.length) return
          write(skip)
          positions.set(stream, rows.at(-1)!.seq)
        })
      )

    return ReadTables.of({
      project: (symbol, rows) =>
        advance(marketStream(symbol), rows, (skip) => {
          const next = written(symbol, rows.slice(skip))
          trades.push(...next.trades)
          if (trades.length > 2 * maxKept) trades.splice(0, trades.length - maxKept)
          Orders.merge(orders, Array.from(next.orders.values()))
          for (const orderId of orders.keys()) {
            if (orders.size <= maxKept) break
            orders.delete(orderId)
          }
        }),
      projectTrader: (userId, rows) =>
        advance(traderStream(userId), rows, (skip) => {
          for (const { events, seq } of rows.slice(skip)) {
            for (const { account, amount } of LedgerEntries.entriesOf(traderStream(userId), seq, events)) {
              balances.set(account, (balances.get(account) ?? 0n) + amount)
            }
          }
        }),
      position: (stream) => Effect.sync(() => positions.get(stream) ?? 0),
      trades: (query) => Effect.sync(() => Trades.pageIn(trades, query)),
      orders: (query) => Effect.sync(() => Orders.pageIn(Array.from(orders.values()), trades, query)),
      sumByAsset: () =>
        Effect.sync(() =>
          balances.size === 0
            ? []
            : [{ asset: LedgerEntries.asset, sum: Array.from(balances.values()).reduce((a, b) => a + b, 0n) }]
        ),
      ledgerBalance: (accountId) => Effect.sync(() => balances.get(accountId) ?? 0n)
    })
  })
}

const maxKept = 100_000

/** How many of the rows, in order, the projection has had. */
const seen = (stream: string, position: number, rows: ReadonlyArray<Seq>): Effect.Effect<number, ProjectionGap> => {
  let skip = 0
  while (skip < rows.length && rows[skip]!.seq <= position) skip++
  for (let index = skip; index < rows.length; index++) {
    const expected = position + 1 + index - skip
    const found = rows[index]!.seq
    if (found !== expected) return Effect.fail(new ProjectionGap({ stream, expected, found }))
  }
  return Effect.succeed(skip)
}

const written = (symbol: MarketSymbol, rows: ReadonlyArray<CommittedRow<MarketEvent>>) => {
  const trades: Array<Trades.TradeRow> = []
  const orders = new Map<string, Orders.EndedOrder>()
  for (const { events } of rows) {
    for (const event of events) {
      if (event._tag === "Traded") trades.push(...Trades.rowsOf(symbol, event))
      Orders.merge(orders, Orders.endedBy(symbol, event))
    }
  }
  return { trades, orders }
}
