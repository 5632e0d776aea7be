/** Tests of order previews over REST: body, account and refusals. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, RestClient } from "./RestClient.ts"

const aapl = MarketSymbol.make("AAPL-USD")
const limit = {
  symbol: aapl,
  side: "BUY",
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  quantity: 5,
  price: 200.5
}

const previewed = Effect.fnUntraced(function* (user: TestUser, body: unknown, headers: Record<string, string> = {}) {
  const { post, signed } = yield* RestClient
  return yield* post("/user/orders/preview", body, { ...(yield* signed(user)), ...headers })
})

it.layer(layer, { excludeTestServices: true })("previews over REST", (it) => {
  /** Venue with AAPL at 200 and an offer of 2 at 200.10. */
  const scene = Effect.gen(function* () {
    const venue = yield* TestVenue
    yield* venue.price(aapl, 200)
    const maker = yield* venue.trade(yield* venue.user("maker"))
    yield* maker.send({ type: "add_order", params: { ...limit, side: "SELL", quantity: 2, price: 200.1 } })
    yield* maker.take("order_response")
    return { venue, maker, user: yield* venue.user("asker", 1_000) }
  })

  it.effect("rule 4.19: returns the same preview over REST as on the socket, and accepts decimals as strings", () =>
    Effect.gen(function* () {
      const { user, venue } = yield* scene
      const { restUrl } = yield* RestClient
      const answer = yield* previewed(user, { ...limit, symbol: "aapl-usd", quantity: "5", price: "200.50" })
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"])
      const client = yield* venue.trade(user)
      yield* client.send({ type: "preview_order", params: limit })
      const { preview_response } = yield* client.take("preview_response")
      expect(answer.body).toEqual({
        $schema: `${restUrl}/schemas/PreviewOrderResponseBody.json`,
        ...preview_response
      })
      expect(answer.body).toMatchObject({
        user_id: user.userId,
        status: "FILLED",
        refusal: null,
        filled_quantity: 2,
        average_price: 200.1,
        resting_quantity: 3,
        order_margin: 102.75,
        venue_fee: 0.4002,
        venue_fee_share_bps: 10_000
      })
      expect((yield* previewed(user, limit)).body).toEqual(answer.body)
    })
  )

  it.effect("a preview itself reports a refused order, an unknown symbol, or a close without a position", () =>
    Effect.gen(function* () {
      const { user } = yield* scene
      const statusOf = (body: object) =>
        Effect.map(previewed(user, body), ({ body, status }) => [status, body.status, body.refusal?.status])
      const refused = (status: string) => [200, status, status]
      expect(yield* statusOf({ ...limit, quantity: 500 })).toEqual(refused("FAILED_MARGIN_CHECK"))
      // A double with a rounding error counts as the nearest tick, but a decimal in a string is exact (rule 0.5).
      const noisy = yield* previewed(user, { ...limit, price: 200.50000000000003 })
      expect(noisy.body).toMatchObject({ price: 200.5, refusal: null })
      expect((yield* previewed(user, { ...limit, price: "200.50000000000003" })).status).toBe(422)
      expect(yield* statusOf({ ...limit, symbol: "XYZ-USD" })).toEqual(refused("BAD_SYMBOL"))
      expect(yield* statusOf({ symbol: aapl, close_position: true })).toEqual(refused("REJECTED"))
      const { price: _, ...market } = { ...limit, order_type: "MARKET", order_time_in_force: "IOC" }
      expect(yield* statusOf(market)).toEqual([200, "IOC_PARTIALLY_FILLED", undefined])
    })
  )

  it.effect("previews a close of the given account's whole position", () =>
    Effect.gen(function* () {
      const { maker, user, venue } = yield* scene
      const accountId = yield* venue.subaccount(user, 1_000)
      const client = yield* venue.trade(user, ["fills"], { accountId })
      yield* client.send({ type: "add_order", params: { ...limit, quantity: 2 } })
      yield* client.take("fill_response")
      yield* maker.send({ type: "add_order", params: { ...limit, quantity: 2, price: 199.5 } })
      yield* maker.take("order_response")
      const close = { symbol: aapl, close_position: true }
      const { body } = yield* previewed(user, close, { "x-acme-requested-account-id": accountId })
      expect(body).toMatchObject({
        user_id: accountId,
        side: "SELL",
        reduce_only: true,
        status: "FILLED",
        filled_quantity: 2,
        average_price: 199.5,
        realised_pnl: -1.2
      })
      expect((yield* previewed(user, close)).body.status).toBe("REJECTED")
    })
  )

  it.effect("splits a preview's fees only if the builder code is active", () =>
    Effect.gen(function* () {
      const { user } = yield* scene
      const { admin, post, signed } = yield* RestClient
      const builder = yield* (yield* TestVenue).user("builder", 0)
      const shares = { acme_fee_share_bps: 5_000, builder_fee_share_bps: 3_000 }
      const { builder_code } = (yield* post("/user/builder-code", shares, yield* signed(builder))).body
      const order = { ...limit, quantity: 2, builder_code }
      const branded = yield* previewed(user, { ...order, builder_code: builder_code.toUpperCase() })
      expect(branded.body).toMatchObject({
        fee: 0.4002,
        builder_reward: 0.12006,
        venue_fee: 0.2001,
        reserve_fund_fee: 0.08004,
        builder_fee_share_bps: 3_000,
        venue_fee_share_bps: 5_000
      })
      yield* admin("POST", "/builder-codes/deactivate", { builder_code, reason: "a test" })
      const inactive = yield* Effect.repeat(previewed(user, order), {
        until: ({ body }) => body.builder_fee_share_bps === 0
      })
      expect(inactive.body).toMatchObject({ builder_reward: 0, venue_fee_share_bps: 10_000 })
    })
  )

  it.effect("refuses a preview without permission, or of an invalid order", () =>
    Effect.gen(function* () {
      const { user, venue } = yield* scene
      const reader = yield* venue.user("reader", 0, ["view_orders", "view_positions"])
      expect((yield* previewed(reader, limit)).status).toBe(403)
      const { post } = yield* RestClient
      expect((yield* post("/user/orders/preview", limit)).status).toBe(401)
      const stranger = { "x-acme-requested-account-id": AccountId.make(reader.userId) }
      expect((yield* previewed(user, limit, stranger)).status).toBe(403)
      const { price: _, ...priceless } = limit
      for (const body of [
        {},
        priceless,
        { ...limit, side: "LONG" },
        { ...limit, quantity: "1e3" },
        { ...limit, take_profit: -1 },
        { ...limit, client_order_id: "mine" },
        { ...limit, builder_code: "none" },
        { symbol: aapl, close_position: false }
      ])
        expect([body, (yield* previewed(user, body)).status]).toEqual([body, 422])
    })
  )

  it.effect("returns 503 with Retry-After while the market does not respond, and keeps the account usable", () =>
    Effect.gen(function* () {
      const { user, venue } = yield* scene
      const { markets } = yield* LocalEntities
      const here = markets.get(aapl)!
      markets.set(aapl, { ...here, preview: () => Effect.never })
      const silent = yield* previewed(user, limit)
      expect([silent.status, silent.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)])
      markets.set(aapl, here)
      expect((yield* previewed(user, limit)).body.status).toBe("FILLED")
      const client = yield* venue.trade(user)
      yield* client.send({ type: "add_order", params: limit })
      expect((yield* client.take("fill_response")).fill_response.quantity).toBe(2)
    })
  )
})
