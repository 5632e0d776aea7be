/** Tests of the OpenAPI documents with external programs: a validator and a generated client. */
import { Validator } from "@seriousme/openapi-schema-validator"
import ofRest from "@venue/api/rest/Examples.json" with { type: "json" }
import ofTreasury from "@venue/api/treasury/Examples.json" with { type: "json" }
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import SwaggerClient from "swagger-client"
import { RestClient } from "../RestClient.ts"
import { rest, treasury } from "./Operations.ts"
import { Scene } from "./Scene.ts"

for (const [what, { operations, spec, validatorOf }, examples] of [
  ["REST", rest, ofRest],
  ["funding", treasury, ofTreasury]
] as const) {
  it(`publishes a valid OpenAPI 3.1 document of the ${what} interface`, async () => {
    const { errors, valid } = await new Validator().validate(JSON.parse(JSON.stringify(spec)))
    expect([valid, errors ?? []]).toEqual([true, []])
  })

  it(`publishes examples of the ${what} interface that match their schemas`, () => {
    const shown = Object.entries(spec.components.schemas).flatMap(([name, schema]) =>
      ((schema as { readonly examples?: ReadonlyArray<unknown> }).examples ?? []).map(
        (example) => [name, example] as const
      )
    )
    for (const [name, example] of shown) {
      const validate = validatorOf({ $ref: `#/components/schemas/${name}` })
      expect([name, validate(example), validate.errors ?? []]).toEqual([name, true, []])
    }
  })

  it(`has no example of a removed schema for the ${what} interface`, () => {
    expect(Object.keys(examples).filter((name) => !(name in spec.components.schemas))).toEqual([])
  })

  it(`has an example for every request and response body of the ${what} interface`, () => {
    const shown = (schema: object | undefined): boolean => {
      if (schema === undefined) return true
      const { $ref, anyOf } = schema as { readonly $ref?: string; readonly anyOf?: ReadonlyArray<object> }
      if (anyOf !== undefined) return anyOf.every(shown)
      const named = spec.components.schemas[$ref?.split("/").at(-1) ?? ""]
      return "examples" in (named ?? schema)
    }
    const bare = operations.flatMap(({ body, name, responses }) =>
      [body, ...Object.values(responses).map(({ content }) => content?.["application/json"]?.schema)].every(shown)
        ? []
        : [name]
    )
    expect(bare).toEqual([])
  })
}

it.layer(Scene.layer, { excludeTestServices: true, timeout: "60 seconds" })("generated client", (it) => {
  const made = Effect.gen(function* () {
    const { restUrl, signed } = yield* RestClient
    const { trader } = yield* Scene
    const venue = yield* TestVenue
    const client = yield* Effect.promise(() => SwaggerClient({ url: `${restUrl}/openapi.json` }))
    expect(client.errors).toEqual([])
    type Sent = Omit<Parameters<typeof client.execute>[0], "operationId" | "securities">
    const execute = (operationId: string, sent: Sent, authorized?: Readonly<Record<string, unknown>>) =>
      Effect.promise(() =>
        client
          .execute({ operationId, ...sent, ...(authorized === undefined ? {} : { securities: { authorized } }) })
          .catch((error: { readonly response: { readonly status: number } }) => error.response)
      ) as Effect.Effect<Awaited<ReturnType<typeof client.execute>>>
    return {
      open: (id: string, sent: Sent = {}) => execute(id, sent),
      /** Signs with the four headers that the document names. */
      byKey: (id: string, sent: Sent = {}) =>
        Effect.flatMap(signed(trader), (headers) =>
          execute(
            id,
            sent,
            Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.slice("x-svc-".length), value]))
          )
        ),
      inPerson: (id: string, sent: Sent = {}) =>
        Effect.flatMap(venue.token(trader), (bearer) => execute(id, sent, { bearer }))
    }
  })

  it.effect("reads markets, trades and positions, changes leverage and manages keys with a generated client", () =>
    Effect.gen(function* () {
      const { byKey, inPerson, open } = yield* made
      expect((yield* open("refdata_refdata", { parameters: { ticker: "GOLD-USD" } })).body.data).toMatchObject([
        { symbol: "GOLD-USD", underlier_price: "3400" }
      ])
      const chart = {
        symbol: "GOLD-USD",
        resolution: "1HOUR",
        fromISO: "2026-01-01T00:00:00Z",
        toISO: "2100-01-01T00:00:00Z"
      }
      expect((yield* open("candles_candles", { parameters: chart })).body.candles.length).toBeGreaterThan(0)
      expect((yield* byKey("positions_positions")).body.positions).toMatchObject([{ symbol: "GOLD-USD", position: -2 }])
      expect((yield* byKey("trade_trades", { parameters: { symbol: "GOLD-USD", limit: 1 } })).body.count).toBe(1)
      const leverage = { requestBody: { symbol: "EUR-USD", leverage: 7 } }
      expect(yield* byKey("leverage_setLeverage", leverage)).toMatchObject({ status: 200, body: { leverage: 7 } })
      const preview = { symbol: "GOLD-USD", side: "BUY", order_type: "MARKET", order_time_in_force: "IOC", quantity: 1 }
      expect((yield* byKey("orderPreview_previewOrder", { requestBody: preview })).status).toBe(200)
      const key = { label: "generated", permissions: ["view_orders"], scope: "all_accounts" }
      const { public_key } = (yield* inPerson("apiKeys_create", { requestBody: key })).body
      const kept = (yield* inPerson("apiKeys_list")).body.data.map((one: typeof key) => one.label)
      expect(kept).toContain("generated")
      expect((yield* inPerson("apiKeys_revoke", { parameters: { public_key } })).status).toBe(204)
    })
  )

  it.effect("reports a faulty request to a generated client", () =>
    Effect.gen(function* () {
      const { byKey, inPerson, open } = yield* made
      expect((yield* open("positions_positions")).status).toBe(401)
      // The client sends only the kinds of credentials that the document lists for the operation.
      expect((yield* inPerson("builderCode_builderCode")).status).toBe(401)
      expect((yield* byKey("leverage_setLeverage", { requestBody: { symbol: "EUR-USD", leverage: 0 } })).status).toBe(
        422
      )
    })
  )
})
