/**
 * Rows of release 0.1.0 after all migrations: the tables that contain rows, the journal, histories, charts and
 * prices.
 */
import * as MarketSnapshot from "@venue/cluster/entities/market/MarketSnapshot"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { initialInstruments } from "@venue/domain/Instrument"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import * as Candles from "@venue/storage/history/Candles"
import * as DailyFees from "@venue/storage/history/DailyFees"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import * as Holders from "@venue/storage/history/Holders"
import * as Orders from "@venue/storage/history/Orders"
import * as Prices from "@venue/storage/history/Prices"
import * as Profits from "@venue/storage/history/Profits"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Trades from "@venue/storage/history/Trades"
import * as Twaps from "@venue/storage/history/Twaps"
import { Listings } from "@venue/storage/listing/Listings"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { assert, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { alice, apple, bob } from "./RestoredRows.ts"
import * as RestoredRows from "./RestoredRows.ts"

/** Tables without rows from 0.1.0. Add a new table here, or give it rows in its release's file. */
const emptyTables = [
  "alarm_message",
  "alarm_sender",
  "alarm_webhook",
  "audit_checkpoint",
  "audit_checkpoint_piece",
  "dead_price_source",
  "funding_hour",
  "journal_archive",
  "node",
  "node_report",
  "operator_session",
  "recovery",
  "recovery_decision",
  "recovery_fact",
  "recovery_loss",
  "referral_reward",
  "running_setting",
  "setting_change",
  "setting_decision",
  "sign_in_attempt",
  "sweep",
  "tracked_alarm"
]

const account = primaryAccountOf(alice)
const filter = { accountId: account, limit: 10, offset: 0 }
const day = 20_784
const minute = 29_930_341
const windows = { symbol: apple, minutes: 1, fromMinute: minute - 1, beforeMinute: minute + 2 }

layer(RestoredRows.layer, { excludeTestServices: true })("history rows of release 0.1.0", (it) => {
  it.effect("the fixture has rows of release 0.1.0 in every table, except for tables listed as empty", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ readonly name: string }>`
        select tablename as name from pg_tables where schemaname = 'public' order by tablename`
      const empty = yield* Effect.filter(tables, ({ name }) =>
        Effect.map(sql`select from ${sql(name)} limit 1`, ({ length }) => length === 0)
      )
      assert.deepStrictEqual(
        empty.map(({ name }) => name),
        emptyTables
      )
    })
  )

  it.effect("reads the trades, orders and TWAPs that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      const { read } = yield* ReadTables
      const ids = { accountId: account, userId: alice, symbol: apple }
      const terms = { side: "BUY", orderType: "MARKET", timeInForce: "IOC", clientOrderId: "a1", quantity: 1_000 }
      const orderId = "3e8a7a05-1a7b-4611-b3bc-36d40bf0f64d"
      const atMillis = 1_795_820_502_364
      const trade = { orderId, number: 1, price: 20_018, fee: 200_180, marginUsed: 40_036_000, liquidation: "NONE" }
      expect(yield* read(Trades.page(filter))).toMatchObject([{ ...ids, ...terms, ...trade, atMillis }])
      const fills = { filledQuantity: 1_000, filledCost: 20_018_000n, firstFillAtMillis: atMillis }
      expect(yield* read(Orders.page(filter))).toMatchObject([
        { ...ids, ...terms, ...fills, orderId, status: "FILLED", askedPrice: null },
        { ...ids, status: "INVALID_TICK_SIZE_PRECISION_PRICE", clientOrderId: "a2", askedPrice: 200.001, quantity: 0 }
      ])
      const filled = { filledQuantity: 2_000, filledValue: 400_370_000, slices: 2, filledSlices: 2 }
      const start = { startAtMillis: 1_795_820_502_357, intervalMillis: 30_000 }
      expect(yield* read(Twaps.page(filter))).toMatchObject([
        { ...ids, ...filled, ...start, clientTwapId: "t1", status: "COMPLETED", side: "BUY", totalQuantity: 2_000 }
      ])
    })
  )

  it.effect("reads the volumes, fees, profits and positions of projections that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      const { position, read } = yield* ReadTables
      const volume = 150_598_645_510n
      assert.deepStrictEqual(yield* read(DailyVolumes.ofUsers([alice], day, day + 1)), [
        { userId: alice, symbol: apple, volume }
      ])
      assert.deepStrictEqual(yield* read(DailyFees.ofUsers([alice], day, day + 1)), [
        { userId: alice, day, volume, base: 150_598_661n }
      ])
      const moments = { first: 1_995_357, step: 1, count: 1 }
      expect(yield* read(Profits.at({ accountId: account, instruments: initialInstruments, moments }, 10))).toEqual([
        {
          moment: moments.first,
          symbol: apple,
          quantityLots: 2_995,
          cashFlow: -692_567_650,
          basis: 599_299_412,
          fees: 150_598_661,
          funding: 0,
          rewards: 0,
          markE8: 19_978_990_241
        }
      ])
      assert.strictEqual(yield* position(Candles.projection, apple), 886)
    })
  )

  it.effect("reads the candles, prices and position holders that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      const { read } = yield* ReadTables
      expect(yield* read(Candles.ofWindows(windows))).toMatchObject([
        { startMinute: minute, openTicks: 20_018, closeTicks: 20_018, volumeLots: 2_000n, trades: 2 },
        { startMinute: minute + 1, openTicks: 20_019, notional: 200_190_000n, takerBuyLots: 1_000n, trades: 1 }
      ])
      const oracle = { oracleOpenE8: 20_000_000_000, oracleHighE8: 20_003_183_002 }
      const middle = { middleOpenHalfTicks: 40_003, openInterestCloseLots: 0 }
      expect(yield* read(Prices.ofWindows(windows))).toMatchObject([
        { startMinute: minute - 1, ...oracle, ...middle, markCloseE8: 20_003_183_002 }
      ])
      expect(yield* read(Holders.atStarts(windows))).toMatchObject([
        { symbol: apple, minute: minute + 1, longUsers: 1, shortUsers: 1 }
      ])
    })
  )

  it.effect("reads the listings, settlement prices, holidays and futures that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      expect(yield* (yield* Listings).all).toMatchObject([
        { symbol: "ZZZ-USD", clobPairId: 1_001, category: "EQUITY", tickE8: 1_000_000, maxLeverage: 10 }
      ])
      const { calendar, holidays, latest } = yield* FuturesReference
      const symbol = MarketSymbol.make("CL-USD")
      expect(yield* latest).toMatchObject([
        { symbol, day: "2026-11-26", officialCloseE8: 7_100_000_000, settlementE8: 7_126_980_000, futureSymbol: null }
      ])
      assert.deepStrictEqual(yield* holidays, ["2026-12-25"])
      const period = { activeFromMillis: Date.UTC(2025, 0, 1), activeUntilMillis: Date.UTC(2025, 0, 14) }
      expect(yield* calendar(symbol)).toMatchObject([
        { symbol, ...period, futureSymbol: "CLG5", expirationMillis: Date.UTC(2025, 0, 21) }
      ])
    })
  )

  it.effect("reads the journal, the snapshot and the wake-up entries that release 0.1.0 stored", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const [claim, credit] = yield* journal.read(`trader/${bob}`, 0, 10)
      assert.deepStrictEqual([claim!.seq, claim!.epoch, claim!.events.length], [1, 1, 0])
      expect(TraderRecord.decode(credit!.events)).toMatchObject([
        { _tag: "Credited", accountId: bob, amount: 100_000_000_000n, reason: "dev start" }
      ])
      const snapshots: Array<readonly [seq: number, isReadable: boolean]> = []
      const restore = (state: Uint8Array, seq: number) => {
        snapshots.push([seq, MarketSnapshot.decode(state) !== undefined])
        return true
      }
      yield* journal.claim("market/GBP-USD", { restore, replay: () => {} }, Effect.succeed(true))
      assert.deepStrictEqual(snapshots, [[6, true]])
      assert.deepStrictEqual(yield* journal.wakeUps("7"), [{ userId: alice, reason: "joined", detail: apple }])
    })
  )
})
