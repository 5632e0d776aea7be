/** Tests of the operators' reads of users, of the audit log and of nodes, and of the cancel of a user's orders. */
import { it } from "@effect/vitest"
import { Audit } from "@venue/storage/access/Audit"
import type { Node } from "@venue/storage/nodes/Nodes"
import { NodeList } from "@venue/storage/nodes/NodeList"
import { Identities } from "@venue/storage/access/Identities"
import { Profiles } from "@venue/storage/access/Profiles"
import { TestVenue } from "@venue/testing/TestVenue"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { Effect, Redacted } from "effect"
import { expect } from "vitest"
import { adminToken, call, layer, RestClient } from "../rest/RestClient.ts"

const read = (path: string, token?: string) =>
  Effect.flatMap(RestClient, ({ admin }) => admin("GET", path, undefined, token))

interface Row {
  readonly user_id: string
  readonly is_primary: boolean
  readonly balance: { readonly deposit: number }
}

const order = {
  symbol: "GOLD-USD",
  side: "BUY",
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  quantity: 2,
  price: 3_000,
  client_order_id: "resting"
}

it.layer(layer, { excludeTestServices: true })("lookups of users", (it) => {
  it.effect("finds a user by id, account, wallet address in any letter case, name and username", () =>
    Effect.gen(function* () {
      const { userId } = yield* (yield* TestVenue).user("louise")
      const address = "0x9858effd232b4033e47d90003d41ec34ecaeda94"
      yield* (yield* Identities).arrive({ address, seen: null, userId })
      yield* (yield* Profiles).change(userId, { username: "lou" })
      for (const search of [userId.toUpperCase(), address.toUpperCase().replace("0X", "0x"), "louise", "lou"]) {
        const { body, status } = yield* read(`/users?search=${search}`)
        expect([status, body.count]).toEqual([200, 1])
        expect(body.data[0]).toMatchObject({
          user_id: userId,
          name: "louise",
          username: "lou",
          wallet_addresses: [address],
          frozen: false
        })
      }
      for (const search of ["nobody", "loui", "0x", "7d444840-9dc0-41d1-b245-5ffdce74fad2"]) {
        expect((yield* read(`/users?search=${search}`)).body).toEqual({ data: [], count: 0 })
      }
    })
  )

  it.effect("reads a user's accounts, orders, deposits, withdrawals, sessions and keys, and records each read", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      yield* venue.price("GOLD-USD", 3_300)
      const user = yield* venue.user("marta", 5_000)
      const accountId = yield* venue.subaccount(user, 700)
      const trader = yield* venue.trade(user)
      yield* trader.send({ type: "add_order", params: order })
      yield* trader.take("order_response")
      const { admin } = yield* RestClient
      const viewer = (yield* admin("POST", "/operators", { name: "reader", roles: ["viewer"], reason: "support" })).body
        .token
      const at = (part: string) => read(`/users/${user.userId}${part}`, viewer)

      expect((yield* at("")).body).toMatchObject({ name: "marta", account_ids: [user.userId, accountId] })
      const accounts = (yield* at("/accounts")).body
      expect(accounts.data.map(({ balance, is_primary }: Row) => [is_primary, balance.deposit])).toEqual([
        [true, 5_000],
        [false, 700]
      ])
      expect(accounts.data[0].positions).toMatchObject([{ symbol: "GOLD-USD", position: 0, open_orders: 1 }])
      expect((yield* at("/orders")).body.data).toMatchObject([
        {
          symbol: "GOLD-USD",
          side: "BUY",
          price: 3_000,
          quantity: 2,
          quantity_remaining: 2,
          client_order_id: "resting"
        }
      ])
      expect((yield* at("/deposits")).body).toEqual({ data: [], count: 0 })
      expect((yield* at("/withdrawals?limit=5")).body).toEqual({ data: [], count: 0 })
      expect((yield* at("/sessions")).body.data).toEqual([])
      yield* venue.token(user)
      expect((yield* at("/sessions")).body.data).toMatchObject([{ assurance: "aal1", client_id: null }])
      const keys = yield* at("/api-keys")
      expect(keys.body.data).toMatchObject([{ public_key: user.publicKey, label: "marta" }])
      expect(keys.text).not.toContain(user.secretKey)
      expect((yield* read("/users/7d444840-9dc0-41d1-b245-5ffdce74fad2")).status).toBe(404)

      const deeds = (yield* (yield* Audit).about(user.userId)).filter(({ action }) => action === "user_read")
      expect(deeds.map(({ actor, facts }) => `${actor} ${facts["what"]}`).toReversed()).toEqual(
        ["user", "accounts", "orders", "deposits", "withdrawals", "sessions", "sessions", "api_keys"].map(
          (what) => `reader ${what}`
        )
      )
    })
  )

  it.effect("lists frozen users in pages", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin } = yield* RestClient
      const users = [yield* venue.user("ice"), yield* venue.user("snow")]
      for (const { userId } of users) yield* admin("POST", "/users/freeze", { user_id: userId, reason: "a test" })
      const { body } = yield* read("/users/frozen")
      const ids = users.map(({ userId }) => userId).toSorted()
      expect([body.data.map(({ user_id }: Row) => user_id), body.count]).toEqual([ids, 2])
      expect((yield* read("/users/frozen?limit=1&offset=1")).body).toMatchObject({
        data: [{ user_id: ids[1] }],
        count: 2
      })
      yield* admin("POST", "/users/unfreeze", { user_id: ids[0], reason: "a test" })
      expect((yield* read("/users/frozen")).body.count).toBe(1)
    })
  )

  it.effect("cancels a user's orders in one market or in all, through the desk, and records the reason", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const { admin } = yield* RestClient
      yield* venue.price("GOLD-USD", 3_300)
      yield* venue.price("SILVER-USD", 38)
      const user = yield* venue.user("nadia", 50_000)
      const trader = yield* venue.trade(user)
      const place = Effect.fnUntraced(function* (symbol: string, price: number) {
        yield* trader.send({ type: "add_order", params: { ...order, symbol, price, client_order_id: symbol } })
        expect((yield* trader.take("order_response")).order_response).toMatchObject({ status: "ACK" })
      })
      yield* place("GOLD-USD", 3_000)
      yield* place("SILVER-USD", 30)
      const cancel = (body: object) =>
        admin("POST", "/users/cancel-orders", { user_id: user.userId, reason: "abuse", ...body })
      const first = yield* cancel({ symbols: ["gold-usd"] })
      expect([first.status, first.body]).toEqual([
        200,
        { user_id: user.userId, account_ids: [user.userId], symbols: ["GOLD-USD"] }
      ])
      expect((yield* trader.take("order_response")).order_response).toMatchObject({
        symbol: "GOLD-USD",
        status: "CANCELLED"
      })
      expect((yield* cancel({ symbols: ["*"] })).body.symbols).toContain("SILVER-USD")
      expect((yield* trader.take("order_response")).order_response).toMatchObject({
        symbol: "SILVER-USD",
        status: "CANCELLED"
      })
      expect((yield* cancel({ symbols: ["NOPE-USD"] })).status).toBe(404)
      expect((yield* cancel({ user_id: "7d444840-9dc0-41d1-b245-5ffdce74fad2", symbols: ["*"] })).status).toBe(404)
      const [deed] = yield* (yield* Audit).about(user.userId)
      expect(deed).toMatchObject({ action: "user_orders_cancel_asked", facts: { symbols: "*", reason: "abuse" } })
    })
  )
})

it.layer(layer, { excludeTestServices: true })("the audit log", (it) => {
  it.effect("is filtered by action, actor, subject and time, and read in pages", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const { userId } = yield* (yield* TestVenue).user("olga")
      for (const path of ["/users/freeze", "/users/unfreeze", "/users/freeze"]) {
        yield* admin("POST", path, { user_id: userId, reason: "a test" })
      }
      const about = (query: string) => Effect.map(read(`/audit?subject=${userId}&${query}`), ({ body }) => body)
      const froze = yield* about("action=user_frozen&actor=operator")
      expect([froze.count, froze.data.length]).toEqual([2, 2])
      expect(froze.data[0]).toMatchObject({ action: "user_frozen", actor: "operator", facts: { reason: "a test" } })
      expect((yield* about("actor=somebody")).count).toBe(0)
      const page = yield* about("action=user_frozen&limit=1&offset=1")
      expect([page.data, page.count]).toEqual([[froze.data[1]], 2])
      const [after, before] = [froze.data[1].at, froze.data[0].at].map(encodeURIComponent)
      expect((yield* about(`action=user_frozen&start=${after}&end=2999-01-01T00:00:00Z`)).count).toBe(2)
      expect((yield* about(`action=user_frozen&end=${after}`)).count).toBe(0)
      expect((yield* read(`/audit?start=2999-01-01T00:00:00Z&end=${before}`)).status).toBe(400)
      expect((yield* read("/audit?offset=100001")).status).toBe(400)
      expect((yield* read("/audit?action=audit_read")).body.count).toBeGreaterThan(5)
    })
  )

  it.effect("shows the nodes with the time since each was last seen", () =>
    Effect.gen(function* () {
      expect((yield* read("/nodes")).body).toEqual({ data: [], count: 0 })
      const seen = { startedAtMillis: 1_000, lastSeenAtMillis: Date.parse("2026-01-01T00:00:00Z"), leftAtMillis: null }
      const node: Node = {
        nodeId: "id",
        name: "runner-1",
        kind: "runner",
        address: "10.0.0.3:4100",
        release: "0.2.0",
        settings: {},
        wanted: "serving",
        isReady: true,
        shards: 12,
        isLiving: true,
        contractsKnown: 0,
        contractsInForce: 0,
        ...seen
      }
      const { url } = yield* AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) }).pipe(
        Effect.provideService(NodeList, Effect.succeed([node]))
      )
      const { body } = yield* call(`${url}/nodes`, { headers: { authorization: `Bearer ${adminToken}` } })
      expect(body.data).toMatchObject([
        { name: "runner-1", shards: 12, is_living: true, release: "0.2.0", last_seen_at: "2026-01-01T00:00:00.000Z" }
      ])
      expect(body.data[0].silent_seconds).toBeGreaterThan(0)
    })
  )
})
