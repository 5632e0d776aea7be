/** Tests of external prices in the operator interface: set, confirm, pause and resume. */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Audit } from "@venue/storage/access/Audit"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { limit } from "../../venue/Story.ts"
import { layer, RestClient } from "../rest/RestClient.ts"

const copper = MarketSymbol.make("COPPER-USD")

it.layer(layer, { excludeTestServices: true })("operator prices", (it) => {
  it.effect("rule 3.6: requires confirmation of a price below 0.5 times or above 1.5 times the current price", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const set = (price: number, confirm?: boolean) =>
        admin("POST", "/prices", { symbol: "GBP-USD", price, ...(confirm === undefined ? {} : { confirm }) })
      expect((yield* set(2)).status).toBe(200)
      for (const price of [3, 4.5, 2.25]) expect((yield* set(price)).status).toBe(200)
      for (const [price, confirm] of [[1.12499999], [3.37500001, false], [22.5, false]] as const) {
        const { body, status } = yield* set(price, confirm)
        expect([status, body.errors[0].location]).toEqual([422, "body.price"])
        expect(body.errors[0].message).toBe(
          'Expected 1.125 to 3.375, or "confirm": true for a price outside this range'
        )
      }
      expect((yield* set(22.5, true)).status).toBe(200)
      const actions = (yield* (yield* Audit).about("GBP-USD")).map(({ facts }) => [facts["price"], facts["confirm"]])
      expect(actions).toEqual([
        [22.5, true],
        [2.25, false],
        [4.5, false],
        [3, false],
        [2, false]
      ])
    })
  )

  it.effect(
    "rule 3.2: refuses a price at which open positions cannot be valued exactly, even if the operator confirms it",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* RestClient
        const venue = yield* TestVenue
        yield* venue.price("EUR-USD", 1.1)
        const [seller, buyer] = [yield* venue.trade(yield* venue.user("s")), yield* venue.trade(yield* venue.user("b"))]
        for (const [client, side] of [
          [seller, "SELL"],
          [buyer, "BUY"]
        ] as const) {
          yield* client.send(limit(side, 1_000, 1.1, { symbol: "EUR-USD" }))
          yield* client.take("order_response")
        }
        yield* buyer.take("fill_response")
        // The feed publishes the open interest together with the next price.
        yield* venue.price("EUR-USD", 1.2)
        const set = (price: number) => admin("POST", "/prices", { symbol: "EUR-USD", price, confirm: true })
        const { body, status } = yield* set(4_500_000.01)
        expect([status, body.errors[0].location]).toEqual([422, "body.price"])
        expect(body.errors[0].message).toContain("Expected at most 4500000")
        expect((yield* set(4_500_000)).status).toBe(200)
        expect((yield* Feed).prices.get(MarketSymbol.make("EUR-USD"))!.oracleE8).toBe(450_000_000_000_000)
      })
  )

  it.effect("rule 3.6: pauses and resumes a symbol's price sources, and records an audit entry for each", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const markets = yield* MarketClient
      const feed = yield* Feed
      const command = { symbol: "copper-usd", reason: "the vendor is wrong" }
      const early = yield* admin("POST", "/prices/pause", command)
      expect([early.status, early.body.errors[0].location]).toEqual([422, "body.symbol"])
      yield* markets.observe(copper, 450_000_000, "operator")
      expect((yield* admin("POST", "/prices/pause", command)).status).toBe(204)
      yield* markets.observe(copper, 451_000_000, "external")
      expect(feed.prices.get(copper)).toMatchObject({ toldE8: 450_000_000, paused: true })
      expect((yield* admin("POST", "/prices/resume", command)).status).toBe(204)
      expect(feed.prices.get(copper)).toMatchObject({ paused: false })
      expect((yield* admin("POST", "/prices/pause", { ...command, symbol: "NOPE-USD" })).status).toBe(404)
      expect((yield* admin("POST", "/prices/pause", { symbol: "copper-usd" })).status).toBe(422)
      const actor = "operator"
      const facts = { reason: "the vendor is wrong" }
      expect(yield* (yield* Audit).about(copper)).toMatchObject([
        { action: "sources_resumed", actor, facts },
        { action: "sources_paused", actor, facts }
      ])
    })
  )

  it.effect("lists the current price of each symbol that has one", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      yield* (yield* MarketClient).observe(MarketSymbol.make("NATGAS-USD"), 320_000_000, "operator")
      const { body, status } = yield* admin("GET", "/prices")
      expect(status).toBe(200)
      expect(body.count).toBe(body.data.length)
      expect(body.data.find(({ symbol }: { symbol: string }) => symbol === "NATGAS-USD")).toEqual({
        symbol: "NATGAS-USD",
        source: "operator",
        price: 3.2,
        mark: 3.2,
        told_price: 3.2,
        told_at: expect.stringMatching(/Z$/),
        rejections: 0,
        paused: false
      })
      expect(body.data.some(({ symbol }: { symbol: string }) => symbol === "TSLA-USD")).toBe(false)
    })
  )
})
