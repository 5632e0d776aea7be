/** Tests of an account's history and fees over real sockets, on the test clock. */
import { noCost } from "@venue/cluster/protocol/Desk"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import { Profiles } from "@venue/storage/access/Profiles"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { aapl, friday, gold, limit } from "../../venue/Story.ts"
import { layer, RestClient } from "./RestClient.ts"

/** Sells 10 units, then closes the connections, because open ones slow down every advance of the clock. */
const sell = (seller: TestUser, buyer: TestUser, price: number) =>
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const [selling, buying] = [yield* venue.trade(seller), yield* venue.trade(buyer)]
    yield* selling.send(limit("SELL", 10, price))
    yield* selling.take("order_response")
    yield* buying.send(limit("BUY", 10, price))
    yield* buying.take("fill_response")
  }).pipe(Effect.scoped)

/**
 * Friday 15:00 UTC: Bob buys 10 AAPL-USD at 200 from Alice, the maker. At 15:10 the mark is 210. At 15:20 Bob
 * receives a deposit of 50,000. The tests start at 15:40.
 */
const began = Effect.gen(function* () {
  const venue = yield* TestVenue
  const desks = yield* DeskClient
  yield* venue.price(aapl, 200)
  const alice = yield* venue.user("alice")
  const bob = yield* venue.user("bob")
  yield* sell(alice, bob, 200)
  yield* TestClock.adjust("10 minutes")
  yield* venue.price(aapl, 210)
  yield* TestClock.adjust("10 minutes")
  const more = { creditId: "more", accountId: primaryAccountOf(bob.userId), amount: 50_000_000_000n, reason: "test" }
  yield* desks.ask(bob.userId, (desk) => desk.Credit({ userId: bob.userId, cost: noCost, ...more }))
  yield* TestClock.adjust("20 minutes")
  yield* venue.settle
  return { alice, bob }
})

/** Only the markets in use, because each market slows down every advance of the clock. */
const settings = {
  ...defaults,
  instruments: new Map([aapl, gold].map((symbol) => [symbol, defaults.instruments.get(symbol)!] as const))
}

class Past extends Context.Service<Past, { readonly alice: TestUser; readonly bob: TestUser }>()(
  "test/gateway/rest/Past"
) {}

const past = Layer.unwrap(
  Effect.as(
    TestClock.setTime(friday),
    Layer.effect(Past, began).pipe(Layer.provideMerge(layer), Layer.provide(Layer.succeed(VenueSettings, settings)))
  )
)

const getAs = Effect.fnUntraced(function* (user: TestUser, path: string) {
  const { get, signed } = yield* RestClient
  return yield* get(path, yield* signed(user))
})

const points = (body: { readonly data: ReadonlyArray<{ readonly window_start: string; readonly value: number }> }) =>
  body.data.map(({ value, window_start }) => [window_start.slice(11, 16), value])

/**
 * The clock advances from test to test and never stops at a full hour, because the rows of the hour are projected
 * shortly after it.
 */
it.layer(past, { timeout: "60 seconds" })("history from 15:40 on", (it) => {
  it.effect(
    "returns the cumulative profit at the end of each window, net of fees, optionally for given symbols only",
    () =>
      Effect.gen(function* () {
        const { alice, bob } = yield* Past
        const { restUrl } = yield* RestClient
        const { body, headers, status } = yield* getAs(bob, "/user/historic-pnl?duration=1d")
        expect([status, headers.get("cache-control")]).toEqual([200, "no-store"])
        const { data, ...rest } = body
        expect(rest).toEqual({
          $schema: `${restUrl}/schemas/HistoricUserPnlResponseBody.json`,
          duration: "1d",
          unit: "number",
          interval_minutes: 15,
          start: "2026-11-19T15:45:00Z",
          end: "2026-11-20T15:45:00Z",
          count: 96
        })
        // The taker fee is 0.1 % of 2,000.
        expect(points(body).slice(-4)).toEqual([
          ["14:45", 0],
          ["15:00", 98],
          ["15:15", 98],
          ["15:30", 98]
        ])
        expect(data[0]).toEqual({ window_start: "2026-11-19T15:45:00Z", value: 0 })
        // The maker fee is 0.02 %.
        expect(points((yield* getAs(alice, "/user/historic-pnl?duration=1d")).body).at(-1)).toEqual(["15:30", -100.4])
        const filtered = yield* getAs(bob, "/user/historic-pnl?duration=1d&symbol=aapl-usd,,%20GOLD-USD,AAPL-USD")
        expect([filtered.body.symbols, points(filtered.body).at(-1)]).toEqual([
          ["AAPL-USD", "GOLD-USD"],
          ["15:30", 98]
        ])
        const other = yield* getAs(bob, "/user/historic-pnl?duration=1d&symbol=GOLD-USD")
        expect(points(other.body).at(-1)).toEqual(["15:30", 0])
        const week = yield* getAs(bob, "/user/historic-pnl?symbol=")
        expect([week.body.duration, week.body.interval_minutes, week.body.count, week.body.symbols]).toEqual([
          "1w",
          60,
          168,
          undefined
        ])
        const month = yield* getAs(bob, "/user/historic-pnl?duration=1m")
        expect([month.body.start, month.body.end, month.body.count]).toEqual([
          "2026-10-21T16:00:00Z",
          "2026-11-20T16:00:00Z",
          180
        ])
        const year = yield* getAs(bob, "/user/historic-pnl?duration=ytd")
        expect([year.body.start, year.body.count]).toEqual(["2026-01-01T00:00:00Z", 324])
        const all = yield* getAs(bob, "/user/historic-pnl?duration=all")
        expect([all.body.start, all.body.end, all.body.data, all.body.count]).toEqual([
          "2026-11-20T00:00:00Z",
          "2026-11-21T00:00:00Z",
          [{ window_start: "2026-11-20T00:00:00Z", value: 98 }],
          1
        ])
      })
  )

  it.effect(
    "returns profit as a percentage of the equity at the start plus later deposits, truncated to six decimals",
    () =>
      Effect.gen(function* () {
        const { alice, bob } = yield* Past
        const of = (user: TestUser) =>
          Effect.map(getAs(user, "/user/historic-pnl?duration=1d&unit=percent"), ({ body }) => points(body).slice(-3))
        expect(yield* of(bob)).toEqual([
          ["15:00", 0.098],
          // 98 of 150,000 is 0.065333 %.
          ["15:15", 0.065333],
          ["15:30", 0.065333]
        ])
        expect((yield* of(alice)).at(-1)).toEqual(["15:30", -0.1004])
        const nobody = yield* (yield* TestVenue).user("nobody", 0)
        expect((yield* of(nobody)).at(-1)).toEqual(["15:30", 0])
      })
  )

  it.effect("refuses invalid durations, units, symbols and hours", () =>
    Effect.gen(function* () {
      const { bob } = yield* Past
      const status = (path: string) => Effect.map(getAs(bob, path), ({ status }) => status)
      for (const path of [
        "/user/historic-pnl?duration=2w",
        "/user/historic-pnl?unit=euro",
        "/user/account-equity?duration=1y",
        "/user/volume?range=1d",
        "/pnl?limit_hours=0",
        "/pnl?limit_hours=2161",
        "/pnl?start=yesterday"
      ]) {
        expect([path, yield* status(path)]).toEqual([path, 422])
      }
      for (const path of [
        "/user/historic-pnl?symbol=AAPL-USD,NOPE-USD",
        "/user/volume?symbol=NOPE-USD",
        "/pnl?symbol=NOPE-USD",
        "/pnl?start=2026-11-20T00:00:00Z&end=2026-11-19T00:00:00Z"
      ]) {
        expect([path, yield* status(path)]).toEqual([path, 400])
      }
    })
  )

  it.effect("returns the volume of whole days including today, and the fees of the user's tier", () =>
    Effect.gen(function* () {
      const { alice, bob } = yield* Past
      const { body } = yield* getAs(bob, "/user/volume")
      expect([body.range, body.interval, body.start, body.end, body.count]).toEqual([
        "1w",
        "1d",
        "2026-11-14T00:00:00Z",
        "2026-11-20T00:00:00Z",
        7
      ])
      expect(body.data.slice(-2)).toEqual([
        { date: "2026-11-19T00:00:00Z", maker_volume: 0, taker_volume: 0, volume: 0 },
        { date: "2026-11-20T00:00:00Z", maker_volume: 0, taker_volume: 2000, volume: 2000 }
      ])
      expect([body.total_maker_volume, body.total_taker_volume, body.total_volume]).toEqual([0, 2000, 2000])
      const count = (query: string) =>
        Effect.map(getAs(alice, `/user/volume?${query}`), ({ body }) => [body.count, body.total_maker_volume])
      expect(yield* count("range=1m")).toEqual([30, 2000])
      expect(yield* count("range=ytd")).toEqual([324, 2000])
      expect(yield* count("range=all&symbol=AAPL-USD")).toEqual([1, 2000])
      expect(yield* count("range=all&symbol=GOLD-USD")).toEqual([1, 0])

      const { body: paid } = yield* getAs(bob, "/user/fees")
      expect(Object.keys(paid.fees)).toEqual(["AAPL-USD", "GOLD-USD"])
      expect([paid.fees["AAPL-USD"], paid.fees["GOLD-USD"]]).toEqual([
        { maker_fee: 20_000, taker_fee: 100_000 },
        { maker_fee: 10_000, taker_fee: 50_000 }
      ])
      const { admin } = yield* RestClient
      const halt = { state: "HALTED", symbols: ["GOLD-USD"], reason: "a test" }
      expect((yield* admin("POST", "/trading-state", halt)).status).toBe(200)
      expect((yield* getAs(bob, "/user/fees")).body.fees).not.toHaveProperty("GOLD-USD")
    })
  )

  it.effect("returns the equity at the start of each window, consistent with the account's balance", () =>
    Effect.gen(function* () {
      const { bob } = yield* Past
      const venue = yield* TestVenue
      const { body } = yield* getAs(bob, "/user/account-equity?duration=1d")
      expect([body.start, body.end, body.count]).toEqual(["2026-11-19T15:45:00Z", "2026-11-20T15:45:00Z", 96])
      expect(points(body).slice(-2)).toEqual([
        ["15:15", 100_098],
        ["15:30", 150_098]
      ])
      yield* TestClock.adjust("6 minutes")
      yield* venue.settle
      const later = yield* getAs(bob, "/user/account-equity?duration=1d")
      const desks = yield* DeskClient
      const { balance } = yield* desks.summary({
        userId: bob.userId,
        accountId: primaryAccountOf(bob.userId),
        cost: noCost
      })
      expect(points(later.body).at(-1)).toEqual(["15:45", Number(balance.equity) / 1_000_000])
    })
  )

  it.effect("returns a subaccount's own history without the history of other accounts", () =>
    Effect.gen(function* () {
      const { bob } = yield* Past
      const venue = yield* TestVenue
      const { get, signed } = yield* RestClient
      const accountId = yield* venue.subaccount(bob, 10)
      yield* TestClock.adjust("16 minutes")
      yield* venue.settle
      const headers = { ...(yield* signed(bob)), "x-svc-requested-account-id": accountId }
      const { body } = yield* get("/user/account-equity?duration=1d", headers)
      expect(points(body).slice(-2)).toEqual([
        ["15:45", 0],
        ["16:00", 10]
      ])
      const fresh = { ...(yield* signed(bob)), "x-svc-requested-account-id": accountId }
      expect((yield* get("/user/volume", fresh)).body.total_volume).toBe(0)
    })
  )

  it.effect("returns the first state of each recorded hour, limited to the most recent hours", () =>
    Effect.gen(function* () {
      const { alice, bob } = yield* Past
      const venue = yield* TestVenue
      yield* TestClock.adjust("60 minutes")
      yield* venue.settle
      const { body } = yield* getAs(alice, "/pnl")
      const state = { realised_pnl: 0, unrealised_pnl: -100, net_funding: 0, fees: 0.4, quantity: -10, cost: -2000 }
      const hour = (at: string) => ({ symbol: "AAPL-USD", hour: `2026-11-20T${at}:00:00Z`, ...state })
      expect([body.count, body.data]).toEqual([2, [hour("16"), hour("17")]])
      const hours = (query: string) =>
        Effect.map(getAs(bob, `/pnl?${query}`), ({ body }) =>
          body.data.map((row: { hour: string }) => row.hour.slice(11, 13))
        )
      expect(yield* hours("limit_hours=1")).toEqual(["17"])
      expect(yield* hours("start=2026-11-20T16:00:00Z&end=2026-11-20T17:00:00Z&symbol=aapl-usd")).toEqual(["16"])
      expect(yield* hours("start=2026-11-20T16:00:01Z&end=2030-01-01T00:00:00Z")).toEqual(["17"])
      expect(yield* hours("symbol=GOLD-USD")).toEqual([])
      expect(yield* hours("end=2026-11-20T15:00:00Z")).toEqual([])
    })
  )

  it.effect("shows public users to every caller, from data at most one second old, and hides all other users", () =>
    Effect.gen(function* () {
      const { alice, bob } = yield* Past
      const profiles = yield* Profiles
      const venue = yield* TestVenue
      const { get } = yield* RestClient
      const seen = (accountId: string) => get(`/public/accounts/${accountId}/positions`)
      const hidden = yield* seen(alice.userId)
      const unknown = yield* seen("00000000-0000-4000-8000-ffffffffffff")
      expect([hidden.status, unknown.status, hidden.body.detail]).toEqual([404, 404, unknown.body.detail])
      expect((yield* seen("alice")).status).toBe(422)

      yield* profiles.change(alice.userId, { isPublic: true, username: "alice" })
      expect((yield* seen(alice.userId)).status).toBe(404)
      yield* TestClock.adjust("1 second")
      const shown = yield* seen(alice.userId.toUpperCase())
      expect(shown.body).toMatchObject({
        account: { account_id: alice.userId, user_id: alice.userId, is_public: true, username: "alice" },
        positions: [{ symbol: "AAPL-USD", position: -10, average_price: 200, unrealised_pnl: -100 }]
      })
      assert.notProperty(shown.body.account, "avatar_url")

      yield* sell(bob, alice, 210)
      expect((yield* seen(alice.userId)).body.positions).toHaveLength(1)
      yield* TestClock.adjust("1 second")
      expect((yield* seen(alice.userId)).body.positions).toEqual([])
      yield* venue.settle
      const all = yield* get("/public/trades")
      expect([all.body.count, all.body.data.length]).toEqual([2, 2])
      expect(all.body.data.map(({ trade_id: _id, time: _time, ...trade }: Record<string, unknown>) => trade)).toEqual([
        { symbol: "AAPL-USD", side: "BUY", price: 210, quantity: 10 },
        { symbol: "AAPL-USD", side: "BUY", price: 200, quantity: 10 }
      ])
      expect(all.text).not.toContain(alice.userId)
      const second = yield* get("/public/trades?symbol=aapl-usd&limit=1&offset=1")
      expect([second.body.count, second.body.data]).toEqual([2, [all.body.data[1]]])
      expect((yield* get("/public/trades?symbol=GOLD-USD")).body).toMatchObject({ data: [], count: 0 })
      const remaining = (path: string) =>
        Effect.map(get(path), ({ headers }) => Number(headers.get("ratelimit-remaining")))
      const first = yield* remaining("/public/trades?symbol=AAPL-USD")
      expect(first - (yield* remaining("/public/trades"))).toBe(5)
      // 11,000 rows for each of two markets cost a weight of 22.
      const deep = yield* remaining("/public/trades?limit=1000&offset=10000")
      expect(first - 5 - deep).toBe(22)
      const own = yield* get(`/public/account/${alice.userId}/trades`)
      expect([own.body.count, own.body.data.map(({ side }: { side: string }) => side)]).toEqual([2, ["BUY", "SELL"]])
      expect((yield* get(`/public/account/${bob.userId}/trades`)).status).toBe(404)

      const board = (query: string) => Effect.map(get(`/public/leaderboard?${query}`), ({ body }) => body)
      const profit = (yield* getAs(alice, "/user/historic-pnl?duration=1w")).body.data.at(-1).value
      const { data, ...rest } = yield* board("duration=1w")
      expect(rest).toMatchObject({ duration: "1w", sort: "absolute", count: 1 })
      expect(data).toEqual([
        {
          rank: 1,
          account: { account_id: alice.userId, user_id: alice.userId, is_public: true, username: "alice" },
          pnl: profit,
          return_percent: Number((profit / 1_000).toFixed(6)),
          volume: 4_100
        }
      ])
      yield* profiles.change(bob.userId, { isPublic: true })
      expect((yield* board("duration=1w")).count).toBe(1)
      yield* TestClock.adjust("30 seconds")
      const names = (body: { readonly data: ReadonlyArray<{ readonly account: { readonly user_id: string } }> }) =>
        body.data.map(({ account }) => account.user_id)
      // Bob gained the amount that Alice lost.
      expect(names(yield* board("duration=1w"))).toEqual([bob.userId, alice.userId])
      expect(names(yield* board("duration=1w&sort=percent&limit=1&offset=1"))).toEqual([alice.userId])
      expect(names(yield* board("duration=all&sort=volume"))).toHaveLength(2)
      expect((yield* get("/public/leaderboard?sort=luck")).status).toBe(422)

      // Users with the lowest ids do not displace those with the largest volume. A user who is no longer public
      // disappears within a second.
      yield* Effect.forEach(
        Array.from({ length: 5_000 }, (_, at) => UserId.make(`0-${String(at).padStart(4, "0")}`)),
        (userId) => profiles.change(userId, { isPublic: true }),
        { discard: true }
      )
      yield* profiles.change(bob.userId, { username: "bob" })
      yield* TestClock.adjust("30 seconds")
      const both = yield* board("duration=1w")
      expect([both.count, both.data[0].account.username]).toEqual([2, "bob"])
      yield* profiles.change(bob.userId, { isPublic: false })
      yield* TestClock.adjust("1 second")
      const left = yield* board("duration=1w")
      expect([left.count, names(left), left.data[0].rank]).toEqual([1, [alice.userId], 1])
    })
  )
})
