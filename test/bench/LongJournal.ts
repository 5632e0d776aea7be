/** A market's long journal with its trades in the read tables, and the deposits of many users. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import { traderStream } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as TraderRecord from "@venue/journal/TraderRecord"
import * as Migrations from "@venue/postgres/Migrations"
import { rowsOf, tradeTable, type TradeRow } from "@venue/storage/history/Trades"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { EngineRun, name, startMillis, us500 } from "./EngineFlow.ts"
import { makeFlow } from "./Flow.ts"
import { say } from "./Report.ts"

export interface LongJournal {
  readonly rows: number
  readonly events: number
  readonly trades: number
  readonly bytes: number
}

/** Writes rows of 50 commands each, as a busy market flushes them, until the market has `events` events. */
export const write = (url: string, events: number, users: number): Promise<LongJournal> =>
  Effect.runPromise(
    Effect.gen(function* () {
      yield* Layer.build(Migrations.layer)
      const written = yield* writeMarket(events)
      yield* writeUsers(users)
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe("vacuum (analyze) journal, trade")
      return written
    }).pipe(Effect.scoped, Effect.provide(DatabaseClient.layer({ url: Redacted.make(url), maxConnections: 2 })))
  )

const stream = `market/${us500.symbol}`

const writeMarket = Effect.fnUntraced(function* (events: number) {
  const { records } = makeFlow(Math.ceil(events / leastEventsOfCommand))
  const part: Part = { events: [], trades: [] }
  const written = { rows: 1, events: 0, trades: 0, bytes: 0 }
  const run = new EngineRun(records, name(records), (row) => {
    part.events.push(MarketRecord.encode(row).slice())
    part.trades.push(...tradesOf(row))
    written.events += row.length
  })
  yield* insertRows([{ stream, seq: 1, events: new Uint8Array(0) }])
  for (let from = 0; written.events < events; from += commandsInRow) {
    run.prepare(from, from + commandsInRow)
    run.run()
    if (part.events.length < rowsInPart && written.events < events) continue
    yield* insertRows(part.events.map((row, place) => ({ stream, seq: written.rows + 1 + place, events: row })))
    yield* insertTrades(part.trades)
    written.rows += part.events.length
    written.trades += part.trades.length / 2
    written.bytes += part.events.reduce((sum, { length }) => sum + length, 0)
    part.events.length = part.trades.length = 0
    if (written.rows % (100 * rowsInPart) < rowsInPart) say(`  ${written.events.toLocaleString("en-US")} events`)
  }
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into projection (position, seq) values (${`trading:${stream}`}, ${written.rows})`
  return written
})

const writeUsers = Effect.fnUntraced(function* (users: number) {
  for (let from = 0; from < users; from += usersInPart) {
    const rows = Array.from({ length: Math.min(usersInPart, users - from) }, (_, place) => {
      const userId = UserId.make(`user-${from + place}`)
      const accountId = primaryAccountOf(userId)
      const events = TraderRecord.encode([
        {
          _tag: "Credited",
          creditId: `credit-${userId}`,
          accountId,
          amount: 1_000_000n,
          reason: "",
          atMillis: startMillis
        }
      ])
      const of = traderStream(userId)
      return [
        { stream: of, seq: 1, events: new Uint8Array(0) },
        { stream: of, seq: 2, events }
      ]
    })
    yield* insertRows(rows.flat())
  }
})

const insertRows = Effect.fnUntraced(function* (
  rows: ReadonlyArray<{ readonly stream: string; readonly seq: number; readonly events: Uint8Array }>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `insert into journal (stream, seq, epoch, events)
     select stream, seq, 1, events from unnest($1::text[], $2::bigint[], $3::bytea[]) as r (stream, seq, events)`,
    [rows.map(({ stream }) => stream), rows.map(({ seq }) => BigInt(seq)), rows.map(({ events }) => events)]
  )
})

const insertTrades = Effect.fnUntraced(function* (trades: ReadonlyArray<TradeRow>) {
  if (trades.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`${tradeTable.batch(trades).insert(0, trades.length)}`
})

const tradesOf = (row: ReadonlyArray<MarketEvent>): ReadonlyArray<TradeRow> =>
  row.flatMap((event) => (event._tag === "Traded" ? rowsOf(us500.symbol, event) : []))

interface Part {
  readonly events: Array<Uint8Array>
  readonly trades: Array<TradeRow>
}

const commandsInRow = 50
const rowsInPart = 100
const usersInPart = 5_000
/** Lower bound of the events of one command in the benchmark flow. */
const leastEventsOfCommand = 1
