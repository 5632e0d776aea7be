/** Tests of operator alarms. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import type { LeftPosition } from "@venue/cluster/protocol/Desk"
import { Unavailable } from "@venue/cluster/protocol/Market"
import { AccountId } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { DatabaseOutage } from "@venue/postgres/DatabaseOutage"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Outage from "@venue/postgres/Outage"
import { DeadPriceSources } from "@venue/storage/alarms/DeadPriceSources"
import { LostNodes } from "@venue/storage/nodes/LostNodes"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { aapl, gold, limit } from "../../venue/Story.ts"
import { adminToken, call, layer, RestClient } from "../rest/RestClient.ts"

interface Alarm {
  readonly id: string
  readonly kind: string
  readonly symbol: string | null
  readonly since: string | null
}
const alarms = Effect.gen(function* () {
  const { body } = yield* (yield* RestClient).admin("GET", "/alarms")
  expect(body.count).toBe(body.data.length)
  return body as { readonly data: ReadonlyArray<Alarm>; readonly at: string }
})
const natgas = "NATGAS-USD"

/** Most markets of the test have no price. */
const isOther = ({ kind }: Alarm) => kind !== "NO_PRICE"
const kinds = Effect.map(alarms, ({ data }) => data.filter(isOther).map(({ kind, symbol }) => `${symbol} ${kind}`))
const set = (state: string) =>
  Effect.flatMap(RestClient, ({ admin }) =>
    admin("POST", "/trading-state", { symbols: [gold], state, reason: "a bad hour" })
  )

const id = expect.stringMatching(/^alarm_[0-9a-f]{32}$/)

/** Returns the alarms of a gateway whose clients of desks and markets are replaced by stubs. */
const listedBy = Effect.fnUntraced(function* (desks: DeskClient["Service"], markets?: MarketClient["Service"]) {
  const { url } = yield* AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) }).pipe(
    Effect.provideService(DeskClient, desks),
    Effect.provideService(MarketClient, markets ?? (yield* MarketClient))
  )
  const { body } = yield* call(`${url}/alarms`, { headers: { authorization: `Bearer ${adminToken}` } })
  return { data: (body.data as ReadonlyArray<Alarm>).filter(isOther) }
})

it.layer(layer, { excludeTestServices: true })("alarms", (it) => {
  it.effect("lists no alarm in normal operation, and removes each alarm when its cause has ended", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin } = yield* RestClient
      yield* venue.price(gold, 3_400)
      expect(yield* kinds).toEqual([])

      yield* admin("POST", "/prices/pause", { symbol: gold, reason: "wrong prices" })
      yield* set("HALTED")
      const { at, data } = yield* alarms
      expect(data.filter(isOther).map(({ kind, symbol }) => [kind, symbol])).toEqual([
        ["HALTED", gold],
        ["SOURCES_PAUSED", gold]
      ])
      for (const { since } of data.filter(isOther))
        expect([since! <= at, Date.parse(at) - Date.parse(since!) < 60_000]).toEqual([true, true])

      yield* set("CANCEL_ONLY")
      expect(yield* kinds).toEqual([`${gold} CANCEL_ONLY`, `${gold} SOURCES_PAUSED`])
      yield* set("TRADING")
      yield* admin("POST", "/prices/resume", { symbol: gold, reason: "right again" })
      expect(yield* kinds).toEqual([])
    })
  )

  it.effect("lists the FUND_SHORT alarm while the reserve fund covers only 150 of a debt of 400", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin } = yield* RestClient
      const topUp = { symbol: aapl, amount: 150, reason: "for a bad day" }
      const id = "5b1f0a52-7c2e-4f0e-9a51-0d2f6c9be00"
      yield* venue.price(aapl, 200)
      const [buyer, seller] = [yield* venue.user("long", 1_110), yield* venue.user("short", 1_500)]
      const [long, short] = [yield* venue.trade(buyer), yield* venue.trade(seller)]
      yield* short.send(limit("SELL", 50, 200))
      yield* short.take("order_response")
      yield* long.send(limit("BUY", 50, 200))
      yield* long.take("fill_response")
      yield* admin("POST", "/reserve-fund", { ...topUp, top_up_id: `${id}1` })

      yield* admin("POST", "/prices", { symbol: aapl, price: 170, confirm: true })
      const closed = (yield* long.take("fill_response")).fill_response
      expect([closed.execution_type, closed.quantity, closed.price]).toEqual(["ADL", 50, 178])
      expect(yield* kinds).toEqual([`${aapl} FUND_SHORT`])
      const { body } = yield* admin("GET", "/proof")
      expect(body.balanced).toBe(true)
      expect(body.reserve_funds).toContainEqual({ symbol: aapl, amount: 150, topped_up: 150 })
      yield* admin("POST", "/reserve-fund", { ...topUp, top_up_id: `${id}2`, amount: 400 })
      expect(yield* kinds).toEqual([])
    })
  )

  it.effect(
    "lists alarms for positions without a counterparty, and for silent markets with the time of their last message",
    () =>
      Effect.gen(function* () {
        const desks = yield* DeskClient
        const markets = yield* MarketClient
        const left: LeftPosition = {
          userId: UserId.make("5b1f0a52-7c2e-4f0e-9a51-0d2f6c9be001"),
          accountId: AccountId.make("5b1f0a52-7c2e-4f0e-9a51-0d2f6c9be002"),
          symbol: gold,
          quantityLots: -2_500,
          sinceMillis: 1_790_503_244_118
        }
        const listed = yield* listedBy(
          {
            ...desks,
            askDesk: (deskId, ask) =>
              desks.askDesk(deskId, (desk) =>
                ask(deskId === "3" ? { ...desk, LeftPositions: () => Effect.succeed([left]) as never } : desk)
              )
          },
          {
            ...markets,
            alarms: (symbol) =>
              symbol === gold ? Effect.fail(new Unavailable({ what: gold })) : markets.alarms(symbol)
          }
        )
        expect(listed.data).toEqual([
          { id, kind: "UNREACHABLE", symbol: gold, since: expect.stringMatching(/^20\d\d-/) },
          {
            id,
            kind: "POSITION_LEFT",
            symbol: gold,
            since: "2026-09-27T10:00:44.118Z",
            account_id: left.accountId,
            quantity: -2.5
          }
        ])
      })
  )

  it.effect("lists silent desks in addition to the alarms that markets report", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      yield* venue.price(gold, 3_400)
      yield* set("HALTED")
      const { data } = yield* listedBy({
        ...(yield* DeskClient),
        askDesk: (deskId) => Effect.fail(new Unavailable({ what: deskId })) as never
      })
      expect(data[0]).toMatchObject({ kind: "HALTED", symbol: gold })
      expect(data.slice(1)).toEqual(
        Array.from({ length: 16 }, (_, desk) => ({
          id,
          kind: "UNREACHABLE",
          symbol: null,
          since: null,
          reason: `Desk ${desk}, which serves some of the users, does not answer.`
        }))
      )
      expect(new Set(data.map((alarm) => alarm.id)).size).toBe(data.length)
    })
  )

  it.effect("lists NO_PRICE for a market that trades without any price, under the same id, until its first price", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const missing = Effect.map(alarms, ({ data }) => data.filter(({ kind }) => kind === "NO_PRICE"))
      const before = yield* missing
      expect(before.map(({ symbol }) => symbol)).toContain(natgas)
      expect(yield* missing).toEqual(before)
      yield* venue.price(natgas, 3)
      expect((yield* missing).map(({ symbol }) => symbol)).toEqual(
        before.map(({ symbol }) => symbol).filter((symbol) => symbol !== natgas)
      )
    })
  )

  it.effect("lists DATABASE_OUT, the kinds that are unknown, and the alarms of markets while tables fail", () =>
    Effect.gen(function* () {
      yield* set("HALTED")
      const gone = Effect.fail(new DatabaseUnavailable({ cause: new Error("gone") }))
      const { url } = yield* AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) }).pipe(
        Effect.provideService(LostNodes, { ...(yield* LostNodes), list: gone }),
        Effect.provideService(DeadPriceSources, { ...(yield* DeadPriceSources), list: gone }),
        // Another file of this worker can have begun an outage that has not ended.
        Effect.provideService(DatabaseOutage, Outage.make({ begun: () => Effect.void, over: () => Effect.void }))
      )
      const { body, status } = yield* call(`${url}/alarms`, { headers: { authorization: `Bearer ${adminToken}` } })
      expect([status, body.unknown_kinds]).toEqual([200, ["NODE_LOST", "PRICE_SOURCE_DEAD"]])
      expect(body.data[0]).toEqual({
        id,
        kind: "DATABASE_OUT",
        symbol: null,
        since: expect.stringMatching(/^20\d\d-/),
        reason: "The database does not answer this node. Unknown until it answers: NODE_LOST, PRICE_SOURCE_DEAD."
      })
      expect(body.data).toContainEqual(expect.objectContaining({ kind: "HALTED", symbol: gold }))
      expect((yield* alarms) as object).toMatchObject({ unknown_kinds: [] })
    })
  )
})
