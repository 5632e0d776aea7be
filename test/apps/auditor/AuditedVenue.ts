/** A venue on Postgres in this process with an auditor, and its owners' periodic work. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { initialInstruments } from "@venue/domain/Instrument"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { RailName } from "@venue/domain/Rail"
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as TraderRecord from "@venue/journal/TraderRecord"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Seal } from "@venue/postgres/Seal"
import { Listings } from "@venue/storage/listing/Listings"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import * as Ledger from "@venue/ledger/Ledger"
import * as Engine from "@venue/matching/Engine"
import { Context, Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SqlClient } from "effect/sql"
import { pack } from "msgpackr"
import * as Audit from "../../../apps/auditor/Audit.ts"
import * as Reading from "../../../apps/auditor/Reading.ts"
import * as MarketSnapshot from "@venue/cluster/entities/market/MarketSnapshot"
import * as Changes from "../../storage/treasury/Changes.ts"

const seal = Seal.layer(Redacted.make("0123456789abcdef0123456789abcdef"))

const tables = (url: Redacted.Redacted) =>
  Layer.mergeAll(AccessTables.layer, Listings.layer).pipe(
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(seal),
    Layer.provideMerge(Layer.fresh(PgClient.layer({ url, maxConnections: 3 })))
  )

/**
 * Returns an auditor of the venue on this database that runs one audit per round. `through` can change the data it
 * reads. It continues from `checkpoint` if there is one.
 */
export const auditor = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  through: (reading: Reading.Reading) => Reading.Reading = (reading) => reading,
  checkpoint?: Uint8Array
) {
  const services = yield* Layer.build(tables(url))
  const audit = yield* Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) => Audit.on(sql, through(Reading.make(sql)), checkpoint)),
    services
  )
  const modes = Context.get(services, VenueModes)
  const sql = Context.get(services, SqlClient.SqlClient)
  const round = Effect.gen(function* () {
    const fault = yield* audit.round
    yield* modes.audited({ fault, difference: null })
    return fault
  })
  return { audit, books: audit.books, modes, round, sql }
})

/** Saves a market's state, as its owner does once a minute. */
export const saveMarket = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, symbol: string) {
  const instrument = initialInstruments.find((listed) => listed.symbol === symbol)!
  const engine = Engine.make(instrument, Engine.defaults)
  const rows = yield* rowsOf(sql, `market/${symbol}`)
  for (const { events } of rows) {
    if (events.length > 0) for (const event of MarketRecord.decode(events)) Engine.apply(engine, event)
  }
  const state = Buffer.concat([...MarketSnapshot.encode(Engine.snapshot(engine))])
  yield* save(sql, `market/${symbol}`, rows.at(-1)!.seq, state)
})

/** Saves a trader's state, as its desk does after a long replay. */
export const saveTrader = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, userId: UserId) {
  const instruments = new Map(initialInstruments.map((instrument) => [instrument.symbol, instrument]))
  const trader = Ledger.make(userId, instruments, new Map(), OpenInterest.none(), Ledger.defaults)
  const rows = yield* rowsOf(sql, traderStream(userId))
  for (const { events } of rows) {
    if (events.length > 0) for (const event of TraderRecord.decode(events)) Ledger.apply(trader, event)
  }
  yield* save(sql, traderStream(userId), rows.at(-1)!.seq, pack(Ledger.snapshot(trader)))
})

/** Sends all withdrawals of the rail, and lets the payments arrive. */
export const arrive = Effect.fnUntraced(
  function* (rail: RailName, _sql: SqlClient.SqlClient) {
    const { queued, sequences, settle, submit, submitted } = yield* Changes.withdrawals
    for (const withdrawal of yield* queued(rail, 100)) {
      const { next: sequence } = yield* sequences(rail)
      yield* submit(withdrawal, sequence)
    }
    for (const withdrawal of yield* submitted(rail, -1)) yield* settle(withdrawal, withdrawal.withdrawalId)
  },
  (arrived, _rail, sql) =>
    Effect.provide(
      arrived,
      Withdrawals.layer.pipe(Layer.provide(seal), Layer.provide(Layer.succeed(SqlClient.SqlClient)(sql)))
    )
)

const rowsOf = (sql: SqlClient.SqlClient, stream: string) =>
  sql<{ readonly seq: string; readonly events: Uint8Array }>`
    select seq, events from journal where stream = ${stream} order by seq`

const save = (sql: SqlClient.SqlClient, stream: string, seq: string, state: Uint8Array) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`delete from snapshot_piece where stream = ${stream}`
      yield* sql`insert into snapshot_piece (stream, seq, number, piece) values (${stream}, ${seq}, 0, ${state})`
      yield* sql`
        insert into snapshot (stream, seq, bytes) values (${stream}, ${seq}, ${state.length})
        on conflict (stream) do update set seq = excluded.seq, bytes = excluded.bytes`
    })
  )
