/** Every date-time of a query is one of RFC 3339: a day that no month has is refused by the name of its parameter. */
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { rest } from "./contract/Operations.ts"
import { ask, layer, RestClient } from "./RestClient.ts"

const odd = ["2026-02-30T00:00:00Z", "2026-04-31T12:00:00Z", "2026-11-27T24:00:00Z", "2026-11-27T10:30:00+24:00"]

const isMoment = (schema: object): boolean => "format" in schema && schema.format === "date-time"

/** Paths with the names of their date-times. */
const asked = rest.operations.flatMap(({ method, parameters, path }) => {
  const moments = parameters.filter((one) => one.in === "query" && isMoment(one.schema)).map(({ name }) => name)
  return method !== "GET" || moments.length === 0
    ? []
    : [{ path: path.replace("{symbol}", "GOLD-USD"), names: moments }]
})

it.layer(layer, { excludeTestServices: true })("date-times of queries", (it) => {
  it.effect("422 names each parameter whose date-time does not exist", () =>
    Effect.gen(function* () {
      const { signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("calendar")
      expect(asked.map(({ path }) => path)).toEqual(
        expect.arrayContaining([
          "/user/trade",
          "/user/historic-orders",
          "/pnl",
          "/candles/GOLD-USD",
          "/settlement-prices"
        ])
      )
      for (const { names, path } of asked) {
        for (const text of odd) {
          const query = names.map((name) => `${name}=${encodeURIComponent(text)}`).join("&")
          const { body, status } = yield* ask("GET", `${path}?${query}`, yield* signed(user))
          expect([path, text, status]).toEqual([path, text, 422])
          for (const name of names) {
            expect(body.errors).toContainEqual({
              location: `query.${name}`,
              message: expect.stringContaining("such as 2026-11-27T10:30:00Z"),
              value: text
            })
          }
        }
      }
    })
  )
})
