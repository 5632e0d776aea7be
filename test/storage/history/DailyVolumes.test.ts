/** Tests of daily volumes, projected from market logs. */
import { AccountId } from "@venue/domain/AccountId"
import { dayMillis, dayOf } from "@venue/domain/Day"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import type { CommittedRow } from "@venue/storage/history/Projection"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"
import { traded } from "../../journal/EventsByHand.ts"

const tables = Effect.map(ReadTables, ({ project, read }) => ({
  project: (symbol: MarketSymbol, rows: ReadonlyArray<CommittedRow<MarketEvent>>) =>
    project([DailyVolumes.projection], symbol, rows),
  volumes: (...query: Parameters<typeof DailyVolumes.ofUsers>) => read(DailyVolumes.ofUsers(...query)),
  largest: (...query: Parameters<typeof DailyVolumes.largest>) => read(DailyVolumes.largest(...query))
}))

const suite = (name: string, readTables: Layer.Layer<ReadTables, unknown>) =>
  layer(readTables, { timeout: "2 minutes" })(name, (it) => {
    it.effect(
      "sums volume by user, account, symbol and day, and counts each trade once for the maker and once for the taker",
      () =>
        Effect.gen(function* () {
          const { largest, project, volumes } = yield* tables
          const [one, two] = [MarketSymbol.make("VOLUME-USD"), MarketSymbol.make("EMULOV-USD")]
          const friday = dayOf(1_790_503_244_118)
          const midnight = (friday + 1) * dayMillis
          const at = (number: number, atMillis: number) =>
            traded("volume", number, { atMillis, price: 1, quantity: 1_000_000 })
          const sub = (trade: Traded): Traded => ({
            ...trade,
            taker: { ...trade.taker, order: { ...trade.taker.order, accountId: AccountId.make("volume-sub") } }
          })
          const rows = [
            { seq: 1, events: [at(1, midnight - dayMillis), at(2, midnight - 1)] },
            { seq: 2, events: [at(3, midnight), sub(at(4, midnight))] },
            { seq: 3, events: [at(5, midnight + dayMillis)] }
          ]
          yield* project(one, rows.slice(0, 2))
          yield* project(one, rows)
          yield* project(one, rows)
          yield* Effect.all([project(two, rows), project(two, rows)], { concurrency: "unbounded" })
          const maker = UserId.make("volume-maker")
          const taker = UserId.make("volume-taker")
          const read = Effect.fnUntraced(function* (userIds: ReadonlyArray<UserId>, from: number, before: number) {
            const rows = yield* volumes(userIds, friday + from, friday + before)
            return rows.map(({ symbol, userId, volume }) => `${userId} ${symbol[0]} ${volume}`)
          })
          assert.deepStrictEqual(yield* read([taker, maker, UserId.make("volume-nobody")], 0, 1), [
            "volume-maker E 2000000",
            "volume-maker V 2000000",
            "volume-taker E 2000000",
            "volume-taker V 2000000"
          ])
          assert.deepStrictEqual(yield* read([taker], 0, 2), ["volume-taker E 4000000", "volume-taker V 4000000"])
          assert.deepStrictEqual(yield* read([taker], 2, 30), ["volume-taker E 1000000", "volume-taker V 1000000"])
          assert.deepStrictEqual(yield* read([taker], -30, 0), [])
          assert.deepStrictEqual(yield* read([], -30, 30), [])
          const ranked = Effect.fnUntraced(function* (userIds: ReadonlyArray<UserId>, limit: number) {
            const rows = yield* largest(userIds, friday + 1, limit)
            return rows.map(({ accountId, volume }) => `${accountId} ${volume}`)
          })
          const [first, ...others] = yield* ranked([maker, taker], 10)
          assert.strictEqual(first, "volume-maker 6000000")
          assert.deepStrictEqual(others, ["volume-taker 4000000", "volume-sub 2000000"])
          assert.deepStrictEqual(yield* ranked([maker, taker], 1), [first])
          assert.deepStrictEqual(yield* ranked([UserId.make("volume-nobody")], 9), [])
          assert.deepStrictEqual(yield* ranked([], 9), [])
        })
    )
  })

suite("DailyVolumes in memory", ReadTables.layerMemory)
suite("DailyVolumes on Postgres", Layer.provide(ReadTables.layer, postgresLayer))
