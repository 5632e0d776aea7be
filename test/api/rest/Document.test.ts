/** Tests of the REST interface's OpenAPI document. */
import { release } from "@venue/api/Release"
import { Api } from "@venue/api/rest/Api"
import { Authenticated } from "@venue/api/rest/Caller"
import { document } from "@venue/api/rest/Document"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { document as ofTreasury } from "@venue/api/treasury/Document"
import { ruleOf } from "@venue/auth/access/Permission"
import { expect, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"

const baseUrl = "http://venue.test"
const options = { brand: "acme", baseUrl, accessOf: ruleOf }
const spec = document(options)
const treasury = ofTreasury(options)
const schemas = spec.components.schemas as Record<
  string,
  {
    readonly required?: ReadonlyArray<string>
    readonly properties: Record<string, unknown>
    readonly additionalProperties: boolean
  }
>

it("the OpenAPI document states the release in addition to the interface version", () => {
  expect(spec.info).toMatchObject({ version: "0.1.0", "x-release": release })
})

it("the document is an OpenAPI 3.1 document for interface version 0.1.0, and lists every path", () => {
  expect([spec.openapi, spec.info.version, spec.servers]).toEqual(["3.1.0", "0.1.0", [{ url: baseUrl }]])
  expect(Object.keys(spec.paths)).toEqual([
    "/refdata",
    "/user/positions",
    "/user/trade",
    "/trades-csv",
    "/user/leverage",
    "/user/orders/preview",
    "/health/live",
    "/health/ready",
    "/user/onboarding",
    "/user/terms",
    "/user/verification",
    "/user/profile",
    "/user/builder-code",
    "/builder/web3/message",
    "/builder/web3/api-key",
    "/user/api-keys",
    "/user/api-keys/{public_key}",
    "/user/api-keys/{public_key}/rotate",
    "/user/subaccounts",
    "/user/subaccounts/balance",
    "/user/subaccounts/equity",
    "/user/public-accounts",
    "/user/transfer",
    "/user/invitation-codes/job",
    "/user/invitation-codes",
    "/user/referrals/notional-volume",
    "/user/invitation-codes/redeem",
    "/user/referral-rewards",
    "/candles/{symbol}",
    "/underlier/{symbol}",
    "/funding/{symbol}",
    "/open-interest/{symbol}",
    "/taker-volume/{symbol}",
    "/symbol-long-short/{symbol}",
    "/settlement-calendar",
    "/settlement-prices",
    "/symbols/metrics",
    "/md/contracts",
    "/md/orderbook/{symbol}",
    "/user/historic-orders",
    "/historic-orders-csv",
    "/user/historic-twaps",
    "/historic-twaps-csv",
    "/user/historic-pnl",
    "/pnl",
    "/user/account-equity",
    "/user/volume",
    "/user/fees",
    "/fees",
    "/public/accounts/{account_id}/positions",
    "/public/trades",
    "/public/account/{account_id}/trades",
    "/user/builder-grants",
    "/user/builder-grants/{builder_id}",
    "/defillama/metrics",
    "/public/leaderboard"
  ])
})

it("the OpenAPI document defines every schema that it refers to", () => {
  const text = JSON.stringify(spec)
  const named = [...text.matchAll(/#\/components\/schemas\/([A-Za-z]+)/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(10)
  for (const name of named) expect(Object.keys(schemas)).toContain(name)
  for (const name of Object.keys(schemas)) expect(name).not.toMatch(/Encoded/)
})

it("the OpenAPI document requires exactly the members that the reference requires", () => {
  for (const [name, { additionalProperties }] of Object.entries(schemas)) {
    expect([name, additionalProperties]).toEqual([name, false])
  }
  expect(schemas["RefdataSymbol"]?.required).toEqual([
    "clobPairId",
    "symbol",
    "underlier_price",
    "price_change_24h",
    "default_max_leverage",
    "tick_size",
    "lot_size",
    "min_price",
    "max_price",
    "min_quantity",
    "max_quantity",
    "base_asset",
    "quote_asset",
    "margin_asset",
    "order_time_in_force",
    "order_types",
    "market_hours",
    "status",
    "product_category"
  ])
  expect(schemas["BalancePublic"]?.required).toEqual([
    "deposit",
    "realised_pnl",
    "order_margin",
    "position_margin",
    "unrealised_pnl",
    "net_funding",
    "available_balance"
  ])
  expect(schemas["PositionPublic"]?.required).toHaveLength(11)
  expect(schemas["Trade"]?.required).toHaveLength(15)
  expect(schemas["ErrorModel"]?.required).toBeUndefined()
  expect(Object.keys(schemas["ErrorModel"]?.properties ?? {}).sort()).toEqual([
    "$schema",
    "detail",
    "errors",
    "instance",
    "status",
    "title",
    "type"
  ])
})

const hmac = { "public-key": [], "hmac-signature": [], nonce: [], timestamp: [] }
const bearer = { bearer: [] }

it("I38: states the credentials that each operation's permission rule requires, and none for public operations", () => {
  const expected: Record<string, unknown> = {}
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, middlewares, path } }) => {
      const action = `${method} ${path}`
      const rule = ruleOf(action)
      // Exactly the operations that require authentication have a rule.
      expect([action, [...middlewares].some(({ key }) => key === Authenticated.key)]).toEqual([
        action,
        rule !== undefined
      ])
      expected[action] = (rule?.via ?? []).map((credential) => (credential === "hmac" ? hmac : bearer))
    }
  })
  const documented: Record<string, unknown> = {}
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!("security" in operation)) continue
      documented[`${method.toUpperCase()} ${path.replaceAll("{", ":").replaceAll("}", "")}`] = operation.security
    }
  }
  expect(documented).toEqual(expected)
  // One operation of each kind, as in the reference.
  expect(documented).toMatchObject({
    "GET /refdata": [],
    "GET /user/trade": [hmac, bearer],
    "POST /user/api-keys/:public_key/rotate": [bearer],
    "GET /user/builder-code": [hmac],
    "POST /builder/web3/api-key": [hmac]
  })
})

it("the OpenAPI document requires a body exactly for operations with body members", () => {
  const bodies = Object.values(spec.paths).flatMap((item) =>
    Object.values(item).flatMap((operation) =>
      "requestBody" in operation ? [[operation.operationId, operation.requestBody.required] as const] : []
    )
  )
  const free = bodies.filter(([, required]) => !required).map(([operation]) => operation)
  expect(free.toSorted()).toEqual([
    "invitations.issueCodes",
    "onboarding.beginVerification",
    "subaccounts.createSubaccount"
  ])
  expect(bodies.length).toBeGreaterThan(2 * free.length)
})

it("the OpenAPI document describes the account header exactly for operations whose authentication reads the header", () => {
  const documents = { main: [Api, spec], funding: [TreasuryApi, treasury] } as const
  for (const [name, [api, { paths }]] of Object.entries(documents)) {
    const read: Array<string> = []
    HttpApi.reflect(api as typeof Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint: { method, middlewares, path } }) => {
        if ([...middlewares].some(({ key }) => key === Authenticated.key)) read.push(`${method} ${path}`)
      }
    })
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) => {
        if (!("parameters" in operation)) return []
        const header = operation.parameters.find((parameter) => parameter.name === "x-acme-requested-account-id")
        if (header === undefined) return []
        expect([path, header.description]).toEqual([path, expect.stringMatching(/^Account /)])
        return [`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`]
      })
    )
    expect([name, described.toSorted()]).toEqual([name, read.toSorted()])
    expect(read.length).toBeGreaterThan(10)
  }
  expect(JSON.stringify(spec.paths["/user/subaccounts/balance"])).toContain("x-acme-requested-account-id")
})

it("the OpenAPI document accepts decimal text for numbers only in requests", () => {
  const text = { type: "string", pattern: "^-?[0-9]+([.][0-9]+)?$", maxLength: 32 }
  expect(schemas["SetUserLeverageRequestBody"]?.properties["leverage"]).toMatchObject({
    anyOf: [{ type: "number", exclusiveMinimum: 0 }, text]
  })
  expect(schemas["CreateBuilderCodeRequestBody"]?.properties["builder_fee_share_bps"]).toMatchObject({
    anyOf: [{ type: "integer", minimum: 0, maximum: 5000 }, text]
  })
  expect(schemas["SetUserLeverageResponseBody"]?.properties["leverage"]).toMatchObject({ type: "number" })
})

it("the OpenAPI document describes credential headers with the operator's prefix", () => {
  expect(spec.components.securitySchemes["public-key"]).toEqual({
    type: "apiKey",
    in: "header",
    name: "x-acme-public-key"
  })
  const trades = spec.paths["/user/trade"]?.get
  expect(trades?.security).toEqual([
    { "public-key": [], "hmac-signature": [], nonce: [], timestamp: [] },
    { bearer: [] }
  ])
  expect(trades?.parameters).toContainEqual(
    expect.objectContaining({
      name: "limit",
      in: "query",
      required: false,
      schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 }
    })
  )
  expect(trades?.parameters.map(({ name }) => name)).toContain("x-acme-requested-account-id")
  expect(spec.paths["/refdata"]?.get?.security).toEqual([])
  expect(Object.keys(trades?.responses["422"]?.content ?? {})).toEqual(["application/problem+json"])
})

it("the OpenAPI document describes a file's content type and name, and a list's maximum offset", () => {
  for (const path of ["/trades-csv", "/historic-orders-csv", "/historic-twaps-csv"]) {
    const answer = spec.paths[path]?.get?.responses["200"]
    expect([path, Object.keys(answer?.content ?? {})]).toEqual([path, ["text/csv; charset=utf-8"]])
    expect(JSON.stringify(answer)).toContain("content-disposition")
  }
  const offset = { type: "integer", minimum: 0, maximum: 100_000, default: 0 }
  for (const path of ["/user/trade", "/user/historic-orders"]) {
    expect(spec.paths[path]?.get?.parameters).toContainEqual(
      expect.objectContaining({ name: "offset", in: "query", required: false, schema: offset })
    )
  }
})
