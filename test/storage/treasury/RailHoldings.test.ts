/** Tests of rail holdings, their audits and the venue's own money. */
import { RailAudits } from "@venue/storage/audit/RailAudits"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { OwnMoney } from "@venue/storage/treasury/OwnMoney"
import { RailHoldings } from "@venue/storage/treasury/RailHoldings"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const held = {
  rail: "TRON",
  amount: 5_000_000n,
  position: "final block 7",
  block: 7,
  asOfMillis: 1_000,
  leftIds: ["w-1"],
  waitingIds: []
} as const

const audited = {
  rail: "TRON",
  number: 2,
  amount: 5_000_000n,
  books: 5_000_001n,
  uncredited: 3n,
  position: "final block 7",
  asOfMillis: 1_000,
  times: 1
} as const

type Services = RailHoldings | RailAudits | OwnMoney | ReadTables

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("keeps each rail's newest holdings, numbered consecutively", () =>
      Effect.gen(function* () {
        const { newest, record } = yield* RailHoldings
        assert.deepStrictEqual(yield* newest, [])
        yield* record(held)
        yield* record({ ...held, amount: -1n, waitingIds: ["w-2", "w-3"], asOfMillis: 2_000 })
        yield* record({ ...held, rail: "BANK", block: null })
        assert.deepStrictEqual(yield* newest, [
          { ...held, rail: "BANK", block: null, number: 1 },
          { ...held, amount: -1n, waitingIds: ["w-2", "w-3"], asOfMillis: 2_000, number: 2 }
        ])
      })
    )

    it.effect("keeps each rail's newest audit even when a late auditor writes an older audit", () =>
      Effect.gen(function* () {
        const { newest, record } = yield* RailAudits
        yield* record([])
        assert.deepStrictEqual(yield* newest, [])
        yield* record([audited, { ...audited, rail: "BANK", number: 1 }])
        yield* record([{ ...audited, times: 7 }])
        yield* record([{ ...audited, number: 1, times: 7 }])
        assert.deepStrictEqual(yield* newest, [{ ...audited, rail: "BANK", number: 1 }, audited])
        yield* record([{ ...audited, number: 3, times: 2 }])
        assert.deepInclude((yield* newest)[1], { number: 3, times: 2 })
      })
    )

    it.effect(
      "I9: records a movement of the venue's own money once per id, and reports a repeated id with another amount",
      () =>
        Effect.gen(function* () {
          const { move } = yield* OwnMoney
          const { read } = yield* ReadTables
          yield* TestClock.adjust(9)
          const moved = { id: "first", rail: "TRON", amount: 70n, reason: "a beginning" } as const
          assert.strictEqual(yield* move(moved), "new")
          assert.strictEqual(yield* move(moved), "known")
          assert.strictEqual(yield* move({ ...moved, amount: 71n }), "other")
          assert.strictEqual(yield* move({ ...moved, rail: "BANK" }), "other")
          assert.strictEqual(yield* move({ ...moved, id: "second", amount: -20n }), "new")
          const balances = [LedgerEntries.ownAccount, LedgerEntries.externalAccount("TRON")].map((account) =>
            read(LedgerEntries.balance(account))
          )
          assert.deepStrictEqual(yield* Effect.all(balances), [50n, -50n])
        })
    )
  })

suite(
  "on Postgres",
  Layer.mergeAll(RailHoldings.layer, RailAudits.layer, OwnMoney.layer, ReadTables.layer).pipe(
    Layer.provide(postgresLayer)
  )
)
suite(
  "in memory",
  Layer.mergeAll(RailHoldings.layerMemory, RailAudits.layerMemory, OwnMoney.layerMemory, ReadTables.layerMemory)
)
