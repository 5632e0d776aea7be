/** Tests of the rails' proof of holdings in the operator interface, and of the venue's own money on the rails. */
import { Audit } from "@venue/storage/access/Audit"
import { RailAudits } from "@venue/storage/audit/RailAudits"
import { RailHoldings } from "@venue/storage/treasury/RailHoldings"
import * as TestRails from "@venue/testing/TestRails"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { layerOver, RestClient } from "../rest/RestClient.ts"
import * as Changes from "../../storage/treasury/Changes.ts"

const withRails = layerOver.pipe(Layer.provideMerge(TestRails.layer), Layer.provideMerge(layerMemory))

const ownMoney = {
  own_money_id: "5B1F0A52-7C2E-4F0E-9A51-0D2F6C9BE001",
  rail: "TRON",
  amount: "1000.5",
  reason: "to begin with"
}

it.layer(withRails, { excludeTestServices: true })("rails", (it) => {
  it.effect("I12: shows a rail's holdings after its first report, and the rail's books after the first audit", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      yield* (yield* TestVenue).user("amy", 250)
      const proof = Effect.map(admin("GET", "/proof"), ({ body }) => body)
      const railOf = (body: { readonly rails: ReadonlyArray<{ readonly rail: string }> }, name: string) =>
        body.rails.find(({ rail }) => rail === name)
      const { newest } = yield* RailHoldings
      yield* Effect.repeat(newest, { until: (all) => all.length === 3, schedule: Schedule.spaced("50 millis") })
      const before = yield* proof
      expect(before.rails).toHaveLength(3)
      expect(railOf(before, "BANK")).toMatchObject({ asset: "USD", simulated: true, holdings: 0, in_flight: 0 })
      expect(railOf(before, "BANK")).toMatchObject({ books: null, difference: null, uncredited: null })

      const audit = { rail: "BANK", amount: 7_000_000n, books: 7_500_000n, uncredited: 250_000n, times: 1 } as const
      yield* (yield* RailAudits).record([{ ...audit, number: 1, position: "entry 3", asOfMillis: 1_000 }])
      const after = yield* proof
      expect(railOf(after, "BANK")).toEqual({
        rail: "BANK",
        asset: "USD",
        simulated: true,
        position: "entry 3",
        as_of: "1970-01-01T00:00:01.000Z",
        holdings: 7,
        books: 7.5,
        difference: -0.5,
        uncredited: 0.25,
        in_flight: 0
      })
      const { uncovered } = yield* Effect.repeat(proof, {
        until: ({ uncovered }) => uncovered.total > 0,
        schedule: Schedule.spaced("20 millis")
      })
      expect(uncovered).toEqual({ total: 250, operator_credits: 250, reserve_funds: 0, simulated_rails: 0 })
      expect(after.suspense).toBe(0)
    })
  )

  it.effect(
    "records a transfer of the venue's own money once per id, and refuses the same id with a different amount",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        for (const repeat of [ownMoney, ownMoney]) {
          expect(yield* admin("POST", "/own-money", repeat)).toMatchObject({
            status: 200,
            body: { own_money_id: ownMoney.own_money_id.toLowerCase(), rail: "TRON", amount: 1000.5 }
          })
        }
        const other = yield* admin("POST", "/own-money", { ...ownMoney, amount: 9 })
        expect([other.status, other.body.type]).toEqual([409, expect.stringContaining("own-money-exists")])
        const rows = (yield* (yield* Audit).about("TRON")).filter(({ action }) => action === "own_money_told")
        expect(rows).toHaveLength(1)
        expect(rows[0]).toMatchObject({ facts: { amount: 1000.5, reason: "to begin with" } })
        for (const change of [{ amount: 0 }, { rail: "MOON" }, { own_money_id: "first" }, { reason: "" }]) {
          expect((yield* admin("POST", "/own-money", { ...ownMoney, ...change })).status).toBe(422)
        }
        const nil = "00000000-0000-0000-0000-000000000000"
        const { body, status } = yield* admin("POST", "/own-money", { ...ownMoney, own_money_id: nil })
        expect([status, body.errors]).toEqual([
          422,
          [
            {
              location: "body.own_money_id",
              message: "Expected a UUID that is not all zeros",
              value: nil
            }
          ]
        ])
        expect((yield* admin("GET", "/proof")).body.balanced).toBe(true)
      })
  )

  it.effect(
    "records an unmatched deposit as the venue's own money once, under the name of the treasurer who decided",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        const { confirm, detect, finish } = yield* Changes.deposits
        const seen = { rail: "BANK", txHash: "top-up", logIndex: 0, method: "wire", userId: null, block: null } as const
        const depositId = "BANK/top-up/0"
        yield* detect({ ...seen, address: "for the venue", amount: 70_000_000n })
        const assignment = { deposit_id: depositId, reason: "to pay withdrawals" }
        const early = yield* admin("POST", "/deposits/own", assignment)
        expect([early.status, early.body.type]).toEqual([409, expect.stringContaining("not-unmatched")])
        yield* confirm(depositId, "unknown-message")
        yield* finish(depositId)
        expect((yield* admin("GET", "/proof")).body.suspense).toBe(70)
        const nobodys = { data: [{ deposit_id: depositId, sent_to: "for the venue", amount: 70 }], count: 1 }
        expect((yield* admin("GET", "/deposits/unmatched")).body).toMatchObject(nobodys)
        expect((yield* admin("POST", "/deposits/own", assignment)).status).toBe(204)
        expect((yield* admin("POST", "/deposits/own", assignment)).status).toBe(409)
        expect((yield* admin("GET", "/deposits/unmatched")).body).toEqual({ data: [], count: 0 })
        const { body } = yield* admin("GET", "/proof")
        expect([body.suspense, body.balanced]).toEqual([0, true])
        const rows = (yield* (yield* Audit).about("BANK")).filter(({ action }) => action === "deposit_taken_as_own")
        expect(rows).toHaveLength(1)
        expect(rows[0]).toMatchObject({ facts: { depositId, amount: "70000000", reason: "to pay withdrawals" } })
        expect((yield* admin("POST", "/deposits/own", { ...assignment, deposit_id: "BANK/other/0" })).status).toBe(404)
        expect((yield* admin("POST", "/deposits/own", { ...assignment, reason: "" })).status).toBe(422)
      })
  )

  it.effect("changes a simulated rail's holdings without a reported transfer, and refuses a change of 0", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      expect((yield* admin("POST", "/simulated-rails/add-untold", { rail: "TRON", amount: -0.000001 })).status).toBe(
        204
      )
      expect((yield* admin("POST", "/simulated-rails/add-untold", { rail: "TRON", amount: 0 })).status).toBe(422)
    })
  )
})
