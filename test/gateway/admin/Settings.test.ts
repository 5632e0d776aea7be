/** Operator endpoints for settings, over HTTP. */
import { assert, it } from "@effect/vitest"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import type { Setting } from "@venue/api/admin/Settings"
import { SettingRules } from "@venue/gateway/admin/Settings"
import { Audit } from "@venue/storage/access/Audit"
import * as NodeList from "@venue/storage/nodes/NodeList"
import { Nodes } from "@venue/storage/nodes/Nodes"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { TestVenue } from "@venue/testing/TestVenue"
import { Effect, Layer, Redacted } from "effect"
import { adminToken, call, layer, RestClient } from "../rest/RestClient.ts"

type Row = typeof Setting.Type
const rowOf = (body: { readonly data: ReadonlyArray<Row> }, name: string): Row =>
  body.data.find((row) => row.name === name)!

/** Changes settings with the current version. */
const put = Effect.fnUntraced(function* (values: Readonly<Record<string, string>>) {
  const { admin } = yield* RestClient
  const { version } = (yield* admin("GET", "/settings")).body
  return yield* admin("PUT", "/settings", { version, values, reason: "a test" })
})

it.layer(layer, { excludeTestServices: true })("settings", (it) => {
  it.effect(
    "a new terms version is in force at once, with its author, in the list, the history and the audit log",
    () =>
      Effect.gen(function* () {
        const { admin, get, signed } = yield* RestClient
        const venue = yield* TestVenue
        const user = yield* venue.user("ann", 100)
        const status = Effect.flatMap(signed(user), (headers) => get("/user/onboarding", headers))
        assert.isTrue((yield* status).body.can_trade)
        const answer = yield* put({ VENUE_TERMS_VERSION: "2026-12", VENUE_BLOCKED_COUNTRIES: "KP, IR" })
        assert.strictEqual(answer.status, 200)
        assert.isFalse((yield* status).body.can_trade)
        assert.deepInclude(rowOf(answer.body, "VENUE_TERMS_VERSION"), {
          class: "running",
          source: "table",
          value: "2026-12",
          changed_by: "operator"
        })
        assert.deepInclude(rowOf(answer.body, "VENUE_BLOCKED_COUNTRIES"), { value: "IR,KP" })
        const history = (yield* admin("GET", "/settings/history?limit=2")).body
        assert.deepStrictEqual(
          history.data.map((row: { name: string; value: string; reason: string }) => [row.name, row.value, row.reason]),
          [
            ["VENUE_BLOCKED_COUNTRIES", "IR,KP", "a test"],
            ["VENUE_TERMS_VERSION", "2026-12", "a test"]
          ]
        )
        const [deed] = yield* (yield* Audit).about("VENUE_TERMS_VERSION")
        assert.deepInclude(deed!, {
          action: "setting_changed",
          actor: "operator",
          facts: { before: null, after: "2026-12", reason: "a test" }
        })
      })
  )

  it.effect("refuses an old version, an unknown name and an invalid value, and changes nothing", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const before = (yield* admin("GET", "/settings")).body
      const stale = yield* admin("PUT", "/settings", {
        version: before.version + 1,
        values: { VENUE_TERMS_VERSION: "9" },
        reason: "a test"
      })
      assert.deepInclude(stale, { status: 409 })
      assert.include(stale.text, `The settings are at version ${before.version}`)
      for (const [name, value, expected] of [
        ["VENUE_DESKS", "8", "Expected the name of a setting of the class running"],
        ["VENUE_TWO_PEOPLE_ABOVE", "-1", "Expected a whole number, 0 to 1000000000"],
        ["VENUE_BLOCKED_COUNTRIES", "Iran", "Expected country codes of two capital letters"],
        ["VENUE_SECOND_FACTOR_TO_FUND", "yes", "Expected"],
        ["VENUE_ADMIN_TOKEN", "", "Expected a token"],
        ["VENUE_PRICE_SOURCES", "{}", "Expected valid price sources"],
        ["VENUE_PRICE_SOURCES", JSON.stringify(pricesOf("BA-USD")), "BA-USD is not a listed symbol"]
      ] as const) {
        const refused = yield* put({ VENUE_TERMS_VERSION: "9", [name]: value })
        assert.strictEqual(refused.status, 422, name)
        assert.include(refused.text, expected)
      }
      assert.strictEqual((yield* admin("GET", "/settings")).body.version, before.version)
    })
  )

  it.effect("returns a secret only as set, with a fingerprint", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const secret = "the key of the provider"
      const sources = JSON.stringify(pricesOf("AAPL-USD"))
      const answer = yield* put({ VENUE_IDENTITY_KEY: secret, VENUE_PRICE_SOURCES: sources })
      const row = rowOf(answer.body, "VENUE_IDENTITY_KEY")
      assert.deepInclude(row, { value: null, is_secret: true, is_set: true })
      assert.match(row.fingerprint!, /^[0-9a-f]{16}$/)
      assert.strictEqual(Redacted.value((yield* RunningSettings).now().identityKey), secret)
      const texts = [answer.text, (yield* admin("GET", "/settings/history")).text]
      for (const text of texts) {
        assert.notInclude(text, secret)
        assert.notInclude(text, "prices.test")
      }
      const unset = yield* put({ VENUE_IDENTITY_KEY: "" })
      assert.deepInclude(rowOf(unset.body, "VENUE_IDENTITY_KEY"), { is_set: false, fingerprint: null })
    })
  )

  it.effect("applies the rules of this venue, and waits for nodes of a release that reads settings at its start", () =>
    Effect.gen(function* () {
      const nodes = yield* Layer.build(Nodes.layerMemory)
      yield* Effect.gen(function* () {
        const { url } = yield* AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) })
        const send = Effect.fnUntraced(function* (values: Readonly<Record<string, string>>) {
          const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
          const { version } = (yield* call(`${url}/settings`, { headers })).body
          const body = JSON.stringify({ version, values, reason: "a test" })
          return yield* call(`${url}/settings`, { method: "PUT", headers, body })
        })
        const short = yield* send({ VENUE_ADMIN_TOKEN: "short" })
        assert.deepInclude(short, { status: 422 })
        assert.include(short.text, "Expected a longer token")
        const { join, leave } = yield* Nodes
        yield* join({
          nodeId: "1",
          name: "gateway-7",
          kind: "gateway",
          address: "",
          release: "0.1.0",
          settings: { VENUE_MAX_OPEN_ORDERS_PER_SYMBOL: "hash" }
        })
        const behind = yield* send({ VENUE_TERMS_VERSION: "9" })
        assert.deepInclude(behind, { status: 409 })
        assert.include(behind.text, "gateway-7 run a release that reads settings only at its start")
        yield* leave("1")
        assert.strictEqual((yield* send({ VENUE_TERMS_VERSION: "9" })).status, 200)
      }).pipe(
        Effect.provideService(SettingRules, (field, text) =>
          field === "adminToken" && text.length < 32 ? "a longer token" : undefined
        ),
        Effect.provide(Layer.provideMerge(NodeList.layer, Layer.succeedContext(nodes)))
      )
    })
  )

  it.effect("a change that weakens withdrawals needs the same request by two admins who were appointed before it", () =>
    Effect.gen(function* () {
      const { admin } = yield* RestClient
      const { now } = yield* RunningSettings
      const appoint = (name: string, role: string) =>
        Effect.map(
          admin("POST", "/operators", { name, roles: [role], reason: "a test" }),
          ({ body }): string => body.token
        )
      const [ann, bob, carol] = [
        yield* appoint("ann", "admin"),
        yield* appoint("bob", "admin"),
        yield* appoint("carol", "treasurer")
      ]
      const { version } = (yield* admin("GET", "/settings")).body
      const values = { VENUE_TWO_PEOPLE_ABOVE: "300000", VENUE_ADMIN_TOKEN: `drawn_${"4".repeat(40)}` }
      const send = (token: string, above = "300000") =>
        admin(
          "PUT",
          "/settings",
          { version, values: { ...values, VENUE_TWO_PEOPLE_ABOVE: above }, reason: "a test" },
          token
        )

      for (const times of [1, 2]) {
        const { body } = yield* send(ann)
        assert.deepInclude(body, { version, is_decided: false, people: ["ann"], people_needed: 2 }, String(times))
      }
      assert.deepInclude((yield* send(bob, "9000000")).body, { is_decided: false, people: ["bob"] })
      assert.strictEqual((yield* send(carol)).status, 403)
      const late = yield* send(yield* appoint("dave", "admin"))
      assert.deepInclude(late, { status: 409 })
      assert.include(
        late.text,
        "dave was appointed, or received a token from another operator, after the change was requested"
      )
      assert.strictEqual(now().twoPeopleAbove, 250_000)

      const { requested } = (yield* admin("GET", "/settings")).body
      assert.deepStrictEqual(
        requested.map(({ operator, values }: { operator: string; values: Record<string, string> }) => [
          operator,
          values["VENUE_TWO_PEOPLE_ABOVE"]
        ]),
        [
          ["ann", "300000"],
          ["bob", "9000000"]
        ]
      )
      assert.match(requested[0].values.VENUE_ADMIN_TOKEN, /^[0-9a-f]{16}$/)
      const decided = yield* send(bob)
      assert.deepInclude(decided.body, { is_decided: true, people: ["ann", "bob"], requested: [] })
      assert.strictEqual(now().twoPeopleAbove, 300_000)
      assert.deepInclude(rowOf(decided.body, "VENUE_TWO_PEOPLE_ABOVE"), { value: "300000", changed_by: "ann, bob" })
      const deeds = yield* (yield* Audit).about("VENUE_TWO_PEOPLE_ABOVE")
      assert.deepStrictEqual(
        deeds.map(({ action, actor }) => `${action} ${actor}`),
        [
          "setting_changed bob",
          "setting_change_requested bob",
          "setting_change_requested ann",
          "setting_change_requested ann"
        ]
      )
      const lower = yield* admin(
        "PUT",
        "/settings",
        { version: decided.body.version, values: { VENUE_TWO_PEOPLE_ABOVE: "250000" }, reason: "a test" },
        ann
      )
      assert.deepInclude(lower.body, { is_decided: true, people: ["ann"], people_needed: 1 })
    })
  )

  it.effect("a new limit of open orders applies to the next order", () =>
    Effect.gen(function* () {
      const venue = yield* TestVenue
      yield* put({ VENUE_TERMS_VERSION: "1", VENUE_BLOCKED_COUNTRIES: "KP" })
      yield* venue.price("AAPL-USD", 200)
      const bot = yield* venue.trade(yield* venue.user("bot", 10_000))
      const order = {
        symbol: "AAPL-USD",
        side: "BUY",
        order_type: "LIMIT",
        order_time_in_force: "GTC",
        quantity: 1,
        price: 199.5
      }
      const place = bot.send({ type: "add_order", params: order }).pipe(
        Effect.andThen(bot.take("order_response")),
        Effect.map(({ order_response }) => (order_response as { status: string }).status)
      )
      assert.strictEqual(yield* place, "ACK")
      yield* put({ VENUE_MAX_OPEN_ORDERS_PER_ACCOUNT: "1" })
      assert.include(yield* place, "REJECTED")
      yield* put({ VENUE_MAX_OPEN_ORDERS_PER_ACCOUNT: "1000", VENUE_MAX_OPEN_ORDERS_PER_SYMBOL: "1" })
      assert.include(yield* place, "REJECTED")
      yield* put({ VENUE_MAX_OPEN_ORDERS_PER_SYMBOL: "200" })
      assert.strictEqual(yield* place, "ACK")
    })
  )
})

const pricesOf = (symbol: string) => ({
  sources: [
    {
      name: "vendor",
      kind: "http",
      url: "https://prices.test/",
      fields: { contract: "c", price: "p" },
      symbols: { [symbol]: "X" }
    }
  ]
})
