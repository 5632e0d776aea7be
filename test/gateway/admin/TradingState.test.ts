/** Tests of trading states that an operator sets: a halt, and the steps back to trading (rule 1.7, I53). */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { Audit } from "@venue/storage/access/Audit"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { settable } from "../../cluster/SettableClock.ts"
import { adminToken, call, layer, RestClient } from "../rest/RestClient.ts"
import { gold, goldOrder } from "./GoldOrder.ts"

const cancel = { type: "cancel_order", params: { symbol: gold, client_order_id: "first" } }

const set = Effect.fnUntraced(function* (state: string, symbols: ReadonlyArray<string> = [gold]) {
  const { admin } = yield* RestClient
  return yield* admin("POST", "/trading-state", { symbols, state, reason: "a bad hour" })
})

/**
 * Returns 15:00 UTC on the first Wednesday after a time. Stock prices are live then, and all earlier prices are
 * stale.
 */
const wednesdayAfter = (millis: number): number => {
  const at = new Date(millis)
  at.setUTCDate(at.getUTCDate() + ((10 - at.getUTCDay()) % 7 || 7))
  return at.setUTCHours(16, 0, 0, 0)
}

/** A clock that continues from a Wednesday, because prices from sources are not accepted on weekends. */
const midweek = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real) => {
    const { clock, set } = settable(real)
    set(wednesdayAfter(real.currentTimeMillisUnsafe()))
    return clock
  })
)

it.layer(layer.pipe(Layer.provideMerge(midweek)), { excludeTestServices: true })("trading states", (it) => {
  it.effect("I53: refuses orders and cancels during a halt, and resumes trading only after cancel-only mode", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin, get } = yield* RestClient
      yield* venue.price(gold, 3_400)
      const alice = yield* venue.trade(yield* venue.user("alice"), ["order_responses"])
      const statusOf = Effect.fnUntraced(function* (message: object) {
        yield* alice.send(message)
        return (yield* alice.take("order_response")).order_response.status
      })
      const listed = Effect.map(get(`/refdata?ticker=${gold}`), ({ body }) => body.data[0].status)

      expect(yield* statusOf(goldOrder(1, "first"))).toBe("ACK")
      expect((yield* set("HALTED")).body).toEqual({ data: [{ symbol: gold, state: "HALTED" }], count: 1 })
      expect(yield* statusOf(goldOrder(1, "late"))).toBe("REJECTED_MARKET_CLOSED")
      expect(yield* statusOf(cancel)).toBe("REJECTED_MARKET_CLOSED")
      expect(yield* listed).toBe("INACTIVE")
      const states = (yield* admin("GET", "/trading-state")).body.data
      expect(states).toContainEqual({ symbol: gold, state: "HALTED" })
      expect(states).toContainEqual({ symbol: "AAPL-USD", state: "TRADING" })

      const early = yield* set("TRADING")
      expect([early.status, early.body.detail]).toEqual([
        409,
        `${gold} is halted; set CANCEL_ONLY first with POST /trading-state.`
      ])
      expect((yield* set("CANCEL_ONLY")).status).toBe(200)
      expect(yield* statusOf(goldOrder(1, "late"))).toBe("REJECTED_MARKET_CLOSED")
      expect(yield* statusOf(cancel)).toBe("CANCELLED")
      expect((yield* set("TRADING")).status).toBe(200)
      expect(yield* statusOf(goldOrder(1, "again"))).toBe("ACK")
      expect(yield* listed).toBe("ACTIVE")

      const entries = yield* (yield* Audit).about(gold)
      expect(entries.map(({ action, facts }) => [action, facts])).toEqual(
        ["TRADING", "CANCEL_ONLY", "HALTED"].map((state) => ["trading_state_asked", { state, reason: "a bad hour" }])
      )
    })
  )

  it.effect(
    "sets the trading state of all symbols in one request, but resumes none of them if one symbol has no price",
    () =>
      Effect.gen(function* () {
        const venue = yield* TestVenue
        const { admin } = yield* RestClient
        yield* venue.price(gold, 3_400)
        const halted = yield* set("CANCEL_ONLY", ["*"])
        expect([halted.status, halted.body.count]).toEqual([200, 14])
        const unpriced = yield* set("TRADING", [gold, "EUR-USD", "GBP-USD"])
        const entries = ["EUR-USD", "GBP-USD"]
          .map((symbol) => `${symbol} has no price yet; wait for a price, or set one with POST /prices.`)
          .join(" ")
        expect([unpriced.status, unpriced.body.detail]).toEqual([409, entries])
        const { data } = (yield* admin("GET", "/trading-state")).body
        expect(new Set(data.map(({ state }: { readonly state: string }) => state))).toEqual(new Set(["CANCEL_ONLY"]))
        const symbolsOf = (rows: ReadonlyArray<{ readonly symbol: string }>) => rows.map(({ symbol }) => symbol)
        expect(symbolsOf(data)).toEqual(symbolsOf((yield* admin("GET", "/instruments")).body.data))
        expect((yield* set("TRADING", ["gold-usd", gold])).body.data).toEqual([{ symbol: gold, state: "TRADING" }])
      })
  )

  it.effect("I29: refuses to resume a symbol whose price is stale", () =>
    Effect.gen(function* () {
      const symbol = MarketSymbol.make("AAPL-USD")
      yield* (yield* MarketClient).observe(symbol, 200_00000000, "external")
      expect((yield* set("CANCEL_ONLY", [symbol])).status).toBe(200)
      const clock = yield* TestClock.make()
      yield* clock.setTime(wednesdayAfter(yield* Clock.currentTimeMillis))
      const { url } = yield* AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) }).pipe(
        Effect.provideService(Clock.Clock, clock)
      )
      const { body, status } = yield* call(`${url}/trading-state`, {
        method: "POST",
        headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
        body: JSON.stringify({ symbols: [symbol], state: "TRADING", reason: "too early" })
      })
      expect([status, body.detail]).toEqual([
        409,
        "The price of AAPL-USD is stale; wait for a fresh price, or set one with POST /prices."
      ])
    })
  )

  it.effect("refuses an invalid trading state and changes nothing", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const halt = { symbols: [gold], state: "HALTED", reason: "why" }
      for (const [body, status] of [
        [{ ...halt, symbols: [gold, "NOPE-USD"] }, 404],
        [{ ...halt, symbols: [] }, 422],
        [{ ...halt, state: "CLOSED" }, 422],
        [{ ...halt, reason: "" }, 422],
        [{ symbols: [gold], state: "HALTED" }, 422]
      ] as const) {
        expect((yield* admin("POST", "/trading-state", body)).status).toBe(status)
      }
      expect((yield* admin("POST", "/trading-state", halt, "wrong")).status).toBe(401)
      expect((yield* (yield* Audit).about(MarketSymbol.make("NOPE-USD"))).length).toBe(0)
    })
  )
})
