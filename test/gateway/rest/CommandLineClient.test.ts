/**
 * Requests of a published command-line client, with its credentials: a token after a login in the browser, or a
 * signature in headers with the operator's prefix. The client treats every status below 400 as success.
 */
import * as TreasuryServer from "@venue/gateway/treasury/TreasuryServer"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Rails from "../treasury/Rails.ts"
import { options as treasuryOptions } from "../treasury/TreasuryClient.ts"
import { type Answer, ask, call, RestClient } from "./RestClient.ts"
import { Scene } from "./contract/Scene.ts"

const json = { accept: "application/json" }

/** Returns the headers of a signature, with the prefix of the client's operator. */
const bySignature = Effect.gen(function* () {
  const { trader } = yield* Scene
  const headers = yield* (yield* RestClient).signed(trader)
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace("x-svc-", "x-acme-"), value]))
})
const byLogin = Effect.gen(function* () {
  const { trader } = yield* Scene
  return { authorization: `Bearer ${yield* (yield* TestVenue).token(trader)}` }
})

/** Time range from one hour ago until one hour from now, in the client's format. */
const range = Effect.map(Clock.currentTimeMillis, (now) => ({
  from: new Date(now - 3_600_000).toISOString(),
  to: new Date(now + 3_600_000).toISOString()
}))

/** Asserts that the row contains each member with the given type. */
const has = (row: Record<string, unknown>, members: Record<string, "string" | "number">) => {
  for (const [name, type] of Object.entries(members)) expect([name, typeof row[name]]).toEqual([name, type])
}
const done = ({ status, text }: Answer) => expect([status < 400, text]).toEqual([true, text])

it.layer(Scene.layer, { excludeTestServices: true, timeout: "60 seconds" })("command-line client", (it) => {
  it.effect.each([
    ["logged in", byLogin],
    ["signing with a key", bySignature]
  ] as const)("returns account data and transfers money for a client that is %s", ([, credentials]) =>
    Effect.gen(function* () {
      const { trader } = yield* Scene
      const account = { "x-acme-requested-account-id": trader.userId }
      const get = Effect.fnUntraced(function* (path: string, more: Record<string, string> = account) {
        const answer = yield* ask("GET", path, { ...json, ...(yield* credentials), ...more })
        done(answer)
        return answer
      })
      const post = Effect.fnUntraced(function* (path: string, body: unknown) {
        const answer = yield* ask("POST", path, { ...json, ...(yield* credentials) }, body)
        done(answer)
        return answer
      })
      const { from, to } = yield* range

      const { fees } = (yield* get("/user/fees")).body
      has(fees["GOLD-USD"], { maker_fee: "number", taker_fee: "number" })
      const pnl = yield* get(`/pnl?symbol=GOLD-USD&start=${from}&end=${to}&limit_hours=24`)
      expect(Array.isArray(pnl.body.data)).toBe(true)

      const { account_id } = (yield* post("/user/subaccounts", {})).body
      expect((yield* get("/user/subaccounts", {})).body.account_ids).toContain(account_id)
      yield* post(`/user/transfer?src_account_id=${trader.userId}&dst_account_id=${account_id}`, { amount: 1.5 })
      yield* post(`/user/transfer?src_account_id=${account_id}&dst_account_id=${trader.userId}`, { amount: 1.5 })

      const span = `start=${from}&end=${to}&limit=10`
      const trades = (yield* get(`/user/trade?symbol=GOLD-USD&ordertype=limit&${span}&offset=0`)).body
      expect(trades.count).toBe(1)
      has(trades.data[0], { id: "string", price: "number", order_timestamp: "number", fee: "number" })
      const orders = (yield* get(`/user/historic-orders?symbol=GOLD-USD&${span}&offset=0`)).body
      expect(orders.count).toBe(orders.data.length)
      expect((yield* get("/user/historic-twaps?symbol=GOLD-USD&limit=10")).body).toMatchObject({ data: [], count: 0 })
      for (const path of ["/trades-csv", "/historic-orders-csv", "/historic-twaps-csv"]) {
        const { headers, text } = yield* get(path)
        expect(headers.get("content-type")).toBe("text/csv; charset=utf-8")
        expect(text).toMatch(/^[a-z_,]+\r\n/)
      }
    })
  )

  it.effect.each([
    ["logged in", byLogin],
    ["signing with a key", bySignature]
  ] as const)("returns a deposit address for a request without a query from a client that is %s", ([, credentials]) =>
    Effect.gen(function* () {
      const { url } = yield* Effect.provide(TreasuryServer.open(treasuryOptions), Rails.layer)
      const { trader } = yield* Scene
      const headers = { ...json, ...(yield* credentials), "x-acme-requested-account-id": trader.userId }
      const answer = yield* call(`${url}/address`, { headers })
      done(answer)
      has(answer.body, { address: "string", network: "string", asset: "string" })
      expect(answer.body.network).toBe("ARBITRUM_ONE")
    })
  )

  it.effect("returns market data to a command-line client", () =>
    Effect.gen(function* () {
      const get = Effect.fnUntraced(function* (path: string) {
        const answer = yield* ask("GET", path, json)
        done(answer)
        return answer.body
      })
      const { from, to } = yield* range
      const times = `fromISO=${from}&toISO=${to}`
      const { data } = yield* get("/refdata")
      expect(data.find(({ status }: { readonly status: string }) => status === "ACTIVE")).toMatchObject({
        symbol: expect.any(String)
      })
      has((yield* get("/symbols/metrics")).data[0], {
        symbol: "string",
        current_mark_price: "number",
        volume_24h_usd_notional: "number",
        mark_price_change_24h_pct: "number",
        open_interest: "number",
        funding_rate_bps: "number"
      })
      has((yield* get(`/candles/GOLD-USD?resolution=1MIN&${times}`)).candles[0], {
        startedAt: "string",
        close: "string",
        usdVolume: "string",
        trades: "number"
      })
      for (const path of ["/funding", "/open-interest", "/taker-volume"]) {
        const body = yield* get(`${path}/GOLD-USD?intervalMinutes=60&${times}`)
        expect([path, body.count]).toEqual([path, body.data.length])
      }
      for (const path of ["/symbol-long-short", "/underlier"]) {
        const body = yield* get(`${path}/GOLD-USD?interval=1h&${times}`)
        expect([path, body.count]).toEqual([path, body.data.length])
      }
      has(yield* get("/settlement-calendar?symbol=CL-USD"), { future_symbol: "string", expiration: "string" })
      expect((yield* get("/settlement-prices?symbol=CL-USD&limit=10")).data).toEqual([])
    })
  )

  it.effect("returns a problem that names the symbol if the client's request omits it", () =>
    Effect.gen(function* () {
      // The client is allowed to omit the symbol, and prints the response.
      const { headers, status, text } = yield* ask("GET", "/settlement-calendar", json)
      expect([status, headers.get("content-type")]).toEqual([422, "application/problem+json"])
      expect(text).toContain("query.symbol")
    })
  )
})
