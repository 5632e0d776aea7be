/** Tests of contract limits that an operator sets. They apply at once, also to current traders (rule 1.9). */
import { initialInstruments } from "@venue/domain/Instrument"
import { limitShareBps, period } from "@venue/domain/MarketHours"
import { Audit } from "@venue/storage/access/Audit"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { aapl, limit, say } from "../../venue/Story.ts"
import { layer, RestClient } from "../rest/RestClient.ts"

const change = { symbol: "aapl-usd", reason: "thin book" }
/**
 * Yields a function from a limit that should apply now to the limit to set. They differ outside trading hours, when
 * only a share of the set limit applies (rule 6.3).
 */
const inForceNow = Effect.map(Clock.currentTimeMillis, (now) => {
  const instrument = initialInstruments.find(({ symbol }) => symbol === aapl)!
  const shareBps = limitShareBps(period(instrument, now))
  return (money: number) => (money * 10_000) / shareBps
})
const before = { symbol: aapl, min_quantity: 0.1, max_quantity: 100_000, position_limit: 2_500_000 }

it.layer(layer, { excludeTestServices: true })("limits", (it) => {
  it.effect(
    "applies limits on quantity, position and open interest from the next order onwards, without changing existing positions",
    () =>
      Effect.gen(function* () {
        const venue = yield* TestVenue
        const { admin, get } = yield* RestClient
        const whole = yield* inForceNow
        yield* venue.price(aapl, 200)
        const [alice, ben] = [
          yield* venue.trade(yield* venue.user("alice")),
          yield* venue.trade(yield* venue.user("ben"))
        ]
        const statusOf = Effect.fnUntraced(function* (message: object) {
          yield* alice.drain
          yield* alice.send(message)
          return (yield* alice.take("order_response")).order_response.status
        })
        const set = Effect.fnUntraced(function* (limits: object) {
          const answer = (yield* admin("POST", "/instruments/limits", { ...change, ...limits })).body
          yield* venue.settle
          return answer
        })
        yield* ben.send(limit("SELL", 10, 200))
        yield* ben.take("order_response")
        expect(yield* statusOf(limit("BUY", 10, 200))).toBe("ACK")
        expect(yield* set({ min_quantity: 1, max_quantity: 20 })).toEqual({
          ...before,
          min_quantity: 1,
          max_quantity: 20,
          open_interest_limit: 25_000_000
        })
        expect(yield* statusOf(limit("BUY", 0.5, 199))).toBe("QUANTITY_LESS_THAN_MIN_QUANTITY")
        expect(yield* statusOf(limit("BUY", 21, 199))).toBe("QUANTITY_GREATER_THAN_MAX_QUANTITY")
        const [inForce] = (yield* admin("GET", "/instruments")).body.data
        expect(inForce).toMatchObject({ ...before, min_quantity: 1, max_quantity: 20, open_interest_limit: 25_000_000 })
        const [listed] = (yield* get(`/refdata?ticker=${aapl}`)).body.data
        expect(listed).toMatchObject({ min_quantity: "1", max_quantity: "20" })

        // The trader holds 10 units, so a limit of 2,500 USD at maximum leverage leaves room for two more units.
        expect(yield* set({ position_limit: whole(2_500) })).toMatchObject({
          position_limit: whole(2_500),
          max_quantity: 20
        })
        expect(yield* statusOf(limit("BUY", 3, 200))).toBe("REJECTED_WOULD_BREACH_MAX_NOTIONAL")
        expect(yield* statusOf(limit("BUY", 2, 200))).toBe("ACK")
        expect(yield* statusOf(say("cancel_all_orders"))).toBe("CANCELLED")
        yield* set({ open_interest_limit: whole(2_500) })
        expect(yield* statusOf(limit("BUY", 2, 200))).toBe("ACK")
        expect(yield* statusOf(limit("SELL", 10, 210, { reduce_only: true }))).toBe("ACK")
        yield* set({ position_limit: whole(2_000), open_interest_limit: whole(2_000) })
        expect(yield* statusOf(limit("BUY", 1, 200))).toBe("REJECTED_WOULD_BREACH_MAX_NOTIONAL")

        const again = yield* set({})
        expect(again).toEqual({
          ...before,
          min_quantity: 1,
          max_quantity: 20,
          position_limit: whole(2_000),
          open_interest_limit: whole(2_000)
        })
        const entries = yield* (yield* Audit).about(aapl)
        expect(entries.at(-1)).toMatchObject({
          action: "limits_asked",
          facts: { min_quantity: 1, reason: "thin book" }
        })
      })
  )

  it.effect("refuses an invalid limit, and names the invalid member", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const good = { ...change, symbol: "MSFT-USD" }
      for (const [field, value] of [
        ["min_quantity", 0.0005],
        ["max_quantity", 0.05],
        ["max_quantity", 5_000_000],
        ["position_limit", 0.5],
        ["position_limit", 100_000_000],
        ["open_interest_limit", 1_000],
        ["tick_size", 0.1]
      ] as const) {
        const { body, status } = yield* admin("POST", "/instruments/limits", { ...good, [field]: value })
        expect([field, status, body.errors[0].location]).toEqual([field, 422, `body.${field}`])
      }
      expect((yield* admin("POST", "/instruments/limits", { ...good, symbol: "NOPE-USD" })).status).toBe(404)
      expect(yield* (yield* Audit).about("MSFT-USD")).toEqual([])
    })
  )
})
