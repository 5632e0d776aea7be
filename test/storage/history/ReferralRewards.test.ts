/** Tests of daily fees for referrers and of referral rewards, in memory and on Postgres. */
import { AccountId } from "@venue/domain/AccountId"
import { dayMillis } from "@venue/domain/Day"
import type { Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import * as DailyFees from "@venue/storage/history/DailyFees"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import * as Projections from "@venue/storage/history/Projections"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as ReferralRewards from "@venue/storage/history/ReferralRewards"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"
import { traded } from "../../journal/EventsByHand.ts"

const day = 20_724
const [maker, taker] = [UserId.make("fees-maker"), UserId.make("fees-taker")]

const trade = (number: number, atDay: number, fees: { readonly takerFee: number; readonly makerFee: number }): Traded =>
  traded("fees", number, { atMillis: (day + atDay) * dayMillis, price: 10, quantity: 1_000, ...fees })

/** Gives a builder this amount of the taker's fee. */
const shared = (event: Traded, amount: number): Traded => ({
  ...event,
  taker: { ...event.taker, reward: { ownerId: UserId.make("builder"), amount, remainder: 0 } }
})

const suite = (name: string, readTables: Layer.Layer<ReadTables, unknown>) =>
  layer(readTables, { timeout: "2 minutes" })(name, (it) => {
    it.effect("sums fees by user and day without the builder's share, and counts a rebate as zero", () =>
      Effect.gen(function* () {
        const { project, read } = yield* ReadTables
        const rows = [
          { seq: 1, events: [shared(trade(1, 0, { takerFee: 100, makerFee: 20 }), 30)] },
          { seq: 2, events: [trade(2, 0, { takerFee: 5, makerFee: -7 }), trade(3, 1, { takerFee: 50, makerFee: 10 })] }
        ]
        const symbol = MarketSymbol.make("FEES-USD")
        yield* project([DailyFees.projection], symbol, rows.slice(0, 1))
        yield* project([DailyFees.projection], symbol, rows)
        assert.deepStrictEqual(yield* read(DailyFees.ofUsers([taker, maker], day, day + 9)), [
          { userId: maker, day, volume: 20_000n, base: 20n },
          { userId: taker, day, volume: 20_000n, base: 75n },
          { userId: maker, day: day + 1, volume: 10_000n, base: 10n },
          { userId: taker, day: day + 1, volume: 10_000n, base: 50n }
        ])
        assert.deepStrictEqual(yield* read(DailyFees.ofUsers([taker], day + 2, day + 9)), [])
        assert.deepStrictEqual(yield* read(DailyFees.volumesBefore([taker, UserId.make("fees-nobody")], day + 1)), [
          { userId: taker, volume: 20_000n }
        ])
      })
    )

    it.effect("I9: writes a referral reward as a row on its day, with one entry on each side", () =>
      Effect.gen(function* () {
        const { project, read } = yield* ReadTables
        const userId = UserId.make("rewarded")
        const credited = (at: number, amount: bigint) =>
          ({ _tag: "ReferralsCredited", day: day + at, amount, atMillis: 0 }) as const
        const before = yield* read(LedgerEntries.balance(LedgerEntries.referralAccount))
        const rows = [
          { seq: 1, events: [] },
          { seq: 2, events: [credited(0, 714_000n)] },
          { seq: 3, events: [credited(3, 2n ** 70n)] }
        ]
        yield* project(Projections.ofTraders, userId, rows)
        yield* project(Projections.ofTraders, userId, rows)
        const accountId = AccountId.make("rewarded")
        assert.deepStrictEqual(yield* read(ReferralRewards.ofUser(userId, day, day + 4)), [
          { userId, day, accountId, amount: 714_000n },
          { userId, day: day + 3, accountId, amount: 2n ** 70n }
        ])
        assert.lengthOf(yield* read(ReferralRewards.ofUser(userId, day + 1, day + 3)), 0)
        assert.deepStrictEqual(
          yield* read(ReferralRewards.lastDays([userId, UserId.make("never")])),
          new Map([[userId, day + 3]])
        )
        const given = 714_000n + 2n ** 70n
        assert.strictEqual(yield* read(LedgerEntries.balance(accountId)), given)
        assert.strictEqual((yield* read(LedgerEntries.balance(LedgerEntries.referralAccount))) - before, -given)
        assert.deepStrictEqual(yield* read(LedgerEntries.sumByAsset), [{ asset: "USD", sum: 0n }])
      })
    )
  })

suite("referral rewards in memory", ReadTables.layerMemory)
suite("referral rewards on Postgres", ReadTables.layer.pipe(Layer.provide(postgresLayer)))
