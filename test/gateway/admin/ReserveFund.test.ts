/**
 * Tests of reserve fund top-ups by an operator. Each id counts once, and the books name the source of the money (rule
 * 9.10).
 */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Audit } from "@venue/storage/access/Audit"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { expect, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { layer, RestClient } from "../rest/RestClient.ts"

const topUp = {
  symbol: "aapl-usd",
  top_up_id: "5B1F0A52-7C2E-4F0E-9A51-0D2F6C9BE001",
  amount: "150.25",
  reason: "for a bad day"
}
const apple = MarketSymbol.make("AAPL-USD")

it.layer(layer, { excludeTestServices: true })("the reserve fund", (it) => {
  it.effect("adds a top-up to the reserve fund once per id, and records the source of the money in the books", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      for (const repeat of [topUp, topUp]) {
        expect(yield* admin("POST", "/reserve-fund", repeat)).toMatchObject({
          status: 200,
          body: { symbol: "AAPL-USD", top_up_id: topUp.top_up_id.toLowerCase(), amount: 150.25 }
        })
      }
      const other = yield* admin("POST", "/reserve-fund", { ...topUp, amount: 9 })
      expect([other.status, other.body.detail]).toEqual([
        409,
        `Top-up ${topUp.top_up_id.toLowerCase()} of AAPL-USD already has the amount 150.25 USD; this request added nothing. Send a new top_up_id.`
      ])

      const { body } = yield* admin("GET", "/proof")
      expect(body.balanced).toBe(true)
      expect(body.reserve_funds).toContainEqual({ symbol: "AAPL-USD", amount: 150.25, topped_up: 150.25 })
      expect(body.reserve_funds).toContainEqual({ symbol: "GOLD-USD", amount: 0, topped_up: 0 })

      const tables = yield* ReadTables
      const balances = Effect.all(
        [LedgerEntries.reserveFundAccount(apple), LedgerEntries.operatorAccount].map((account) =>
          tables.read(LedgerEntries.balance(account))
        )
      )
      // Projections run on their own clock and lag at most 2 s behind.
      const follow = { until: ([amount]: ReadonlyArray<bigint>) => amount !== 0n, times: 100 }
      expect(yield* Effect.repeat(balances, { ...follow, schedule: Schedule.spaced("20 millis") })).toEqual([
        150_250_000n,
        -150_250_000n
      ])
      expect((yield* (yield* Audit).about(apple)).at(-1)).toMatchObject({
        action: "reserve_fund_top_up_asked",
        facts: { topUpId: topUp.top_up_id.toLowerCase(), amount: 150.25, reason: "for a bad day" }
      })
    })
  )

  it.effect("refuses an invalid top-up of the reserve fund and adds nothing", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const good = { ...topUp, symbol: "MSFT-USD" }
      for (const [body, status] of [
        [{ ...good, symbol: "NOPE-USD" }, 404],
        [{ ...good, top_up_id: "first" }, 422],
        [{ ...good, amount: 0 }, 422],
        [{ ...good, amount: -1 }, 422],
        [{ ...good, amount: 0.0000001 }, 422],
        [{ ...good, amount: 1_000_000_001 }, 422],
        [{ ...good, reason: "" }, 422]
      ] as const) {
        expect([body, (yield* admin("POST", "/reserve-fund", body)).status]).toEqual([body, status])
      }
      const nil = "00000000-0000-0000-0000-000000000000"
      const { body, status } = yield* admin("POST", "/reserve-fund", { ...good, top_up_id: nil })
      expect([status, body.errors]).toEqual([
        422,
        [{ location: "body.top_up_id", message: "Expected a UUID that is not all zeros", value: nil }]
      ])
      expect(yield* (yield* Audit).about("MSFT-USD")).toEqual([])
    })
  )

  it.effect("refuses a top-up that raises the reserve fund above 9 billion USD", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const most = { ...topUp, symbol: "EUR-USD", amount: 1_000_000_000 }
      const statuses = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => n),
        (n) =>
          Effect.map(
            admin("POST", "/reserve-fund", { ...most, top_up_id: `${topUp.top_up_id.slice(0, -1)}${n}` }),
            ({ status }) => status
          )
      )
      expect(statuses).toEqual([...Array.from({ length: 9 }, () => 200), 422])
    })
  )
})
