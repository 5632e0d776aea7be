/** Tests of the double-entry ledger, projected from trader journals and market logs. */
import { AccountId } from "@venue/domain/AccountId"
import { initialInstruments } from "@venue/domain/Instrument"
import type { MarketEvent } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { quarterHourMillis } from "@venue/domain/QuarterHour"
import type { TraderEvent } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import type { CommittedRow } from "@venue/storage/history/Projection"
import * as Projections from "@venue/storage/history/Projections"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { postgresLayer } from "../../Postgres.ts"
import { credited, traded, transferred } from "../../journal/EventsByHand.ts"

const tables = Effect.map(ReadTables, ({ position, project, read }) => ({
  project: (symbol: MarketSymbol, rows: ReadonlyArray<CommittedRow<MarketEvent>>) =>
    project(Projections.ofMarket({ ...initialInstruments[0]!, symbol }), symbol, rows),
  projectTrader: (userId: UserId, rows: ReadonlyArray<CommittedRow<TraderEvent>>) =>
    project(Projections.ofTraders, userId, rows),
  ledgerPosition: (userId: UserId) => position(LedgerEntries.projection, userId),
  sumByAsset: () => read(LedgerEntries.sumByAsset),
  ledgerBalance: (accountId: AccountId) => read(LedgerEntries.balance(accountId))
}))

/** Each test has a separate market and users, so that all tests can share one database. */
const suite = (name: string, readTables: Layer.Layer<ReadTables, unknown>) =>
  layer(readTables, { timeout: "2 minutes" })(name, (it) => {
    it.effect("I9, I10: all entries sum to zero, and each balance equals the account's credits plus transfers", () =>
      Effect.gen(function* () {
        const { ledgerBalance, ledgerPosition, projectTrader, sumByAsset } = yield* tables
        const before = yield* ledgerBalance(LedgerEntries.fundingAccount)
        const rows = [
          { seq: 1, events: [] },
          {
            seq: 2,
            events: [
              credited(AccountId.make("alice"), 100_000_000_000n),
              transferred(AccountId.make("alice"), AccountId.make("alice-2"), 40_000_000_000n)
            ]
          },
          {
            seq: 3,
            events: [
              credited(AccountId.make("alice"), -1n),
              { _tag: "Joined", symbol: MarketSymbol.make("GOLD-USD") },
              credited(AccountId.make("alice"), 2n ** 70n)
            ]
          }
        ] satisfies ReadonlyArray<{ seq: number; events: ReadonlyArray<TraderEvent> }>
        yield* projectTrader(UserId.make("alice"), rows.slice(0, 2))
        yield* projectTrader(UserId.make("alice"), rows)
        assert.strictEqual(yield* ledgerPosition(UserId.make("alice")), 3)
        assert.strictEqual(yield* ledgerBalance(AccountId.make("alice")), 59_999_999_999n + 2n ** 70n)
        assert.strictEqual(yield* ledgerBalance(AccountId.make("alice-2")), 40_000_000_000n)
        assert.strictEqual((yield* ledgerBalance(LedgerEntries.fundingAccount)) - before, -99_999_999_999n - 2n ** 70n)
        assert.strictEqual(yield* ledgerBalance(AccountId.make("stranger")), 0n)
        assert.deepStrictEqual(yield* sumByAsset(), [{ asset: "USD", sum: 0n }])
      })
    )

    it.effect(
      "I9, I10: records deposits, withdrawals, reversals and returned withdrawals with an entry on each side",
      () =>
        Effect.gen(function* () {
          const { ledgerBalance, projectTrader, sumByAsset } = yield* tables
          const { read } = yield* ReadTables
          const account = AccountId.make("treasury-user")
          const outside = LedgerEntries.externalAccount("TRON")
          const inFlight = LedgerEntries.inFlightAccount("BANK")
          const atMillis = 1_790_000_000_000
          const deposit = (depositId: string, amount: bigint) =>
            ({ _tag: "Deposited", depositId, rail: "TRON", amount, atMillis }) as const
          const accepted = (withdrawalId: string, amount: bigint) =>
            ({
              _tag: "WithdrawalAccepted",
              withdrawalId,
              method: "wire",
              amount,
              fee: 25n,
              destination: "bank account",
              reasons: [],
              atMillis
            }) as const
          const events: ReadonlyArray<TraderEvent> = [
            deposit("a", 1_000n),
            deposit("b", 10n),
            { ...deposit("b", 10n), _tag: "DepositReversed", reason: "bank-return" },
            accepted("v", 300n),
            accepted("w", 200n),
            {
              _tag: "WithdrawalReturned",
              withdrawalId: "v",
              ending: "REJECTED",
              reason: { _tag: "Rejected", text: "" },
              method: "wire",
              amount: 300n,
              atMillis
            }
          ]
          yield* projectTrader(UserId.make(account), [{ seq: 1, events }])
          assert.strictEqual(yield* ledgerBalance(account), 800n)
          assert.strictEqual(yield* ledgerBalance(outside), -1_000n)
          assert.strictEqual(yield* ledgerBalance(inFlight), 200n)
          assert.deepStrictEqual(yield* sumByAsset(), [{ asset: "USD", sum: 0n }])
          const moments = { first: Math.floor(atMillis / quarterHourMillis) + 1, step: 1, count: 1 }
          const [cash] = yield* read(LedgerEntries.cashAt(account, moments))
          assert.deepInclude(cash, { amount: 800n, deposited: 800n })
        })
    )

    it.effect(
      "rule 8.11: returns an account's cash just before each given time, and the part of the cash that was deposited",
      () =>
        Effect.gen(function* () {
          const { projectTrader } = yield* tables
          const { read } = yield* ReadTables
          const [first, account, other] = [1_990_000, AccountId.make("past"), AccountId.make("past-2")]
          const at = (quarters: number, millis = 0) => (first + quarters) * quarterHourMillis + millis
          const dated = (event: TraderEvent, atMillis: number) => ({ ...event, atMillis }) as TraderEvent
          const events = [
            dated(credited(account, 1_000n), at(-90)),
            dated(credited(account, 100n), at(2, -1)),
            dated(transferred(account, other, 30n), at(2)),
            dated({ _tag: "ReferralsCredited", day: 1, amount: 7n, atMillis: 0 }, at(5)),
            dated(credited(account, 5n), at(6))
          ]
          yield* projectTrader(UserId.make("past"), [{ seq: 1, events }])
          const cash = yield* read(LedgerEntries.cashAt(account, { first, step: 2, count: 4 }))
          assert.deepStrictEqual(
            cash.map(({ amount, deposited, moment }) => [moment - first, amount, deposited]),
            [
              [0, 1_000n, 1_000n],
              [2, 1_100n, 1_100n],
              [4, 1_070n, 1_070n],
              [6, 1_077n, 1_070n]
            ]
          )
          assert.deepStrictEqual(yield* read(LedgerEntries.cashAt(account, { first, step: 2, count: 0 })), [])
        })
    )

    it.effect("I9: records an operator's payment into a reserve fund with its reason", () =>
      Effect.gen(function* () {
        const { ledgerBalance, project, sumByAsset } = yield* tables
        const symbol = MarketSymbol.make("TOP-UP-USD")
        const toppedUp = (topUpId: string, amount: number): MarketEvent => ({
          _tag: "FundToppedUp",
          topUpId,
          amount,
          reason: "for a bad day",
          atMillis: 1_790_503_244_118
        })
        const before = yield* ledgerBalance(LedgerEntries.operatorAccount)
        const rows = [
          { seq: 1, events: [toppedUp("first", 150_000_000), traded("top-up", 1, {}), toppedUp("second", 250_000)] },
          { seq: 2, events: [toppedUp("third", 1)] }
        ]
        yield* project(symbol, rows.slice(0, 1))
        yield* project(symbol, rows)
        assert.strictEqual(yield* ledgerBalance(LedgerEntries.reserveFundAccount(symbol)), 150_250_001n)
        assert.strictEqual((yield* ledgerBalance(LedgerEntries.operatorAccount)) - before, -150_250_001n)
        for (const { sum } of yield* sumByAsset()) assert.strictEqual(sum, 0n)
      })
    )
  })

suite("LedgerEntries in memory", ReadTables.layerMemory)
suite("LedgerEntries on Postgres", Layer.provide(ReadTables.layer, postgresLayer))

describe("ledger on Postgres", () => {
  it.effect("I9: rejects updates and deletions of ledger entries", () =>
    Effect.gen(function* () {
      const { projectTrader } = yield* tables
      const sql = yield* SqlClient.SqlClient
      yield* projectTrader(UserId.make("bob"), [{ seq: 1, events: [credited(AccountId.make("bob"), 5n)] }])
      yield* Effect.flip(sql`update ledger_entry set amount = 6`)
      yield* Effect.flip(sql`delete from ledger_entry`)
      yield* Effect.flip(sql`truncate ledger_entry`)
      const rows = yield* sql`select amount::text as amount from ledger_entry order by place`
      assert.deepStrictEqual(
        rows.map(({ amount }) => amount),
        ["5", "-5"]
      )
    }).pipe(Effect.provide(Layer.provideMerge(ReadTables.layer, postgresLayer)))
  )

  it.effect("records a returned withdrawal with the tag of its reason and the payment rail's error code", () =>
    Effect.gen(function* () {
      const { projectTrader } = yield* tables
      const sql = yield* SqlClient.SqlClient
      const returned = (withdrawalId: string, code: string | null) =>
        ({
          _tag: "WithdrawalReturned",
          withdrawalId,
          ending: "FAILED",
          reason: { _tag: "PayoutFailed", code },
          method: "wire",
          amount: 300n,
          atMillis: 1
        }) as const
      yield* projectTrader(UserId.make("zoe"), [
        { seq: 1, events: [returned("coded", "account_closed"), returned("plain", null)] }
      ])
      const rows = yield* sql`select distinct reason from ledger_entry order by reason`
      assert.deepStrictEqual(
        rows.map(({ reason }) => reason),
        ["PayoutFailed", "PayoutFailed account_closed"]
      )
    }).pipe(Effect.provide(Layer.provideMerge(ReadTables.layer, postgresLayer)))
  )
})
