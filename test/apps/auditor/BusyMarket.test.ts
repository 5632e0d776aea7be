/**
 * Markets that write more than a page of rows between two reads: the auditor finds every difference in bounded
 * memory.
 */
import type { FundToppedUp } from "@venue/domain/ReserveFund"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { pack } from "msgpackr"
import * as Books from "../../../apps/auditor/Books.ts"
import type * as Reading from "../../../apps/auditor/Reading.ts"
import { freshDatabase } from "../../Postgres.ts"
import { auditor } from "./AuditedVenue.ts"

const symbol = "AAPL-USD"
const stream = `market/${symbol}`
const user = "ann"
/** More rows than two pages hold. */
const manyRows = 1_100

const topUp: FundToppedUp = { _tag: "FundToppedUp", topUpId: "t", amount: 1, reason: "", atMillis: 0 }
const events = Buffer.from(MarketRecord.encode([topUp]))

/** Appends rows to the market's journal; each adds 1e-6 USD to the reserve fund. */
const append = (sql: SqlClient.SqlClient, after: number, rows: number) => sql`
  insert into journal (stream, seq, epoch, events)
  select ${stream}, ${after}::int + g, 1, ${events} from generate_series(1, ${rows}::int) g`

const begin = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`insert into journal (stream, seq, epoch, events) values (${stream}, 1, 1, '')`
  yield* append(sql, 1, 1)
})

/** Writes a desk's report of a position at a row of the market. The journal contains no position of this user. */
const report = (sql: SqlClient.SqlClient, desk: string, seq: number, lots: number, atMillis: number) => {
  const account = { accountId: user, deposit: "0", referralRewards: "0", positions: [[symbol, lots, 0, 0, 0, 0, 0]] }
  const traders = [{ userId: user, seq: 0, markets: [[symbol, seq]], accounts: [account] }]
  return sql`
    insert into desk_report values (${desk}, ${new Date(atMillis)}, ${JSON.stringify(traders)}::jsonb)
    on conflict (desk) do update set reported_at = excluded.reported_at, traders = excluded.traders`
}

/** Writes a saved state of the market at a row, with `toppedUp` in the reserve fund. */
const save = (sql: SqlClient.SqlClient, seq: number, toppedUp: number) => {
  const value = pack({ accounts: [], totals: { venueFees: 0, reserveFund: toppedUp, toppedUp } })
  const length = Buffer.alloc(4)
  length.writeUInt32BE(value.length)
  const state = Buffer.concat([length, value])
  return sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`delete from snapshot_piece where stream = ${stream}`
      yield* sql`insert into snapshot_piece (stream, seq, number, piece) values (${stream}, ${seq}, 0, ${state})`
      yield* sql`
        insert into snapshot (stream, seq, bytes) values (${stream}, ${seq}, ${state.length})
        on conflict (stream) do update set seq = excluded.seq, bytes = excluded.bytes`
    })
  )
}

/**
 * Returns an auditor. `before` runs before each database snapshot that the auditor takes, with the snapshot's number.
 */
const audited = Effect.fnUntraced(function* (
  before: (sql: SqlClient.SqlClient, snapshot: number) => Effect.Effect<void>
) {
  const url = yield* freshDatabase
  const { sql } = yield* auditor(url)
  yield* begin(sql)
  let snapshots = 0
  const through = (reading: Reading.Reading): Reading.Reading => ({
    ...reading,
    begin: Effect.andThen(
      Effect.suspend(() => before(sql, ++snapshots)),
      reading.begin
    )
  })
  const { books, round } = yield* auditor(url, through)
  return { books, round, sql }
})

it.effect("detects a wrong report even if the market writes more than a page of rows before the second read", () =>
  Effect.gen(function* () {
    const { round, sql } = yield* audited((sql, snapshot) =>
      snapshot === 3 ? Effect.orDie(append(sql, 2, manyRows)) : Effect.void
    )
    assert.isNull(yield* round)
    yield* report(sql, "0", 2, 1, 1_000)
    assert.include(yield* round, `account ${user} in ${symbol}, row 2`)
  })
)

it.effect("compares a report in the first read even if more than a page of rows follows the reported row", () =>
  Effect.gen(function* () {
    const { round, sql } = yield* audited(() => Effect.void)
    assert.isNull(yield* round)
    yield* append(sql, 2, manyRows)
    yield* report(sql, "0", 3, 1, 1_000)
    assert.include(yield* round, `account ${user} in ${symbol}, row 3`)
    yield* append(sql, 2 + manyRows, manyRows)
    yield* report(sql, "0", 3 + manyRows, 0, 2_000)
    assert.isNull(yield* round)
  })
)

it.effect("detects a wrong saved state even if the market writes more than a page of rows before the second read", () =>
  Effect.gen(function* () {
    const { round, sql } = yield* audited((sql, snapshot) =>
      snapshot === 3 ? Effect.orDie(append(sql, 2, manyRows)) : Effect.void
    )
    assert.isNull(yield* round)
    yield* save(sql, 2, 2)
    assert.include(yield* round, `saved state of ${stream}`)
    assert.include(yield* round, `saved state of ${stream}`)
  })
)

it.effect("compares a saved state even if the auditor has already read two pages of rows past it", () =>
  Effect.gen(function* () {
    const { round, sql } = yield* audited(() => Effect.void)
    assert.isNull(yield* round)
    yield* append(sql, 2, manyRows)
    assert.isNull(yield* round)
    yield* save(sql, 3, 3)
    assert.include(yield* round, `saved state of ${stream}`)
    yield* save(sql, 3, 2)
    assert.isNull(yield* round)
  })
)

it.effect("a report of a row whose balances were discarded leaves a fault unchanged", () =>
  Effect.gen(function* () {
    const { books, round, sql } = yield* audited(() => Effect.void)
    assert.isNull(yield* round)
    yield* append(sql, 2, manyRows)
    assert.isNull(yield* round)
    yield* TestClock.adjust("1 minute")
    assert.isNull(yield* round)
    yield* report(sql, "0", 2, 1, 60_000)
    assert.isNull(yield* round)
    yield* report(sql, "1", 2 + manyRows, 1, 61_000)
    assert.include(yield* round, `row ${2 + manyRows}`)
    yield* report(sql, "0", 2, 0, 62_000)
    assert.include(yield* round, `row ${2 + manyRows}`)
    assert.strictEqual(books.faults.suspected.size, 0)
  })
)

it.effect("after a failed audit round, compares the same reports again and lists all streams", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const listedSince: Array<boolean> = []
    let isAway = false
    const { round, sql } = yield* auditor(url, (reading) => ({
      ...reading,
      tradersSince: (cursor) => {
        listedSince.push(cursor !== undefined)
        return reading.tradersSince(cursor)
      },
      projected: (positions) => (isAway ? Effect.die("the database is away") : reading.projected(positions))
    }))
    yield* begin(sql)
    assert.isNull(yield* round)
    assert.isNull(yield* round)
    yield* report(sql, "0", 2, 0, 1_000)
    isAway = true
    assert.strictEqual((yield* Effect.exit(round))._tag, "Failure")
    isAway = false
    yield* sql`update desk_report set traders = jsonb_set(traders, '{0,accounts,0,deposit}', '"1"')`
    assert.include(yield* round, "net deposits 1; the journal has 0")
    assert.isNotNull(yield* round)
    assert.deepStrictEqual(listedSince, [false, true, true, false, true])
  })
)

it.effect("lists all streams after a crash recovery of Postgres, which resets the statistics", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const listedSince: Array<boolean> = []
    const { round, sql } = yield* auditor(url, (reading) => ({
      ...reading,
      tradersSince: (cursor) => {
        listedSince.push(cursor !== undefined)
        return reading.tradersSince(cursor)
      }
    }))
    yield* begin(sql)
    assert.isNull(yield* round)
    yield* sql`select pg_stat_reset_shared('bgwriter')`
    assert.isNull(yield* round)
    assert.deepStrictEqual(listedSince, [false, false])
  })
)

it.live(
  "keeps the balances of at most 32,768 rows of a market, unless a difference is suspected",
  () =>
    Effect.gen(function* () {
      const { books, round, sql } = yield* audited(() => Effect.void)
      const kept = () => books.markets.get(symbol)!.fold.house.before.get("house")?.length ?? 0
      yield* append(sql, 2, 50_000)
      assert.isNull(yield* round)
      assert.isAtMost(kept(), 512)
      yield* append(sql, 50_002, 50_000)
      assert.isNull(yield* round)
      assert.isAtLeast(kept(), 16_384)
      assert.isAtMost(kept(), 32_768)
      Books.need(books, [{ stream, seq: 1 }])
      assert.strictEqual(books.neededFrom.get(stream), 2)
    }),
  900_000
)
