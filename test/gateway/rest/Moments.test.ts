/**
 * Tests of date-time query parameters. They follow RFC 3339, and a refusal names the parameter whose date does not
 * exist.
 */
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { rest } from "./contract/Operations.ts"
import { ask, layer, RestClient } from "./RestClient.ts"

const nonexistent = [
  "2026-02-30T00:00:00Z",
  "2026-04-31T12:00:00Z",
  "2026-11-27T24:00:00Z",
  "2026-11-27T10:30:00+24:00"
]

const isMoment = (schema: object): boolean => "format" in schema && schema.format === "date-time"

/** Paths with the names of their date-time parameters. */
const dateTimePaths = rest.operations.flatMap(({ method, parameters, path }) => {
  const moments = parameters.filter((one) => one.in === "query" && isMoment(one.schema)).map(({ name }) => name)
  return method !== "GET" || moments.length === 0
    ? []
    : [{ path: path.replace("{symbol}", "GOLD-USD"), names: moments }]
})

it.layer(layer, { excludeTestServices: true })("date-times of queries", (it) => {
  it.effect("returns 422 and names each parameter whose date-time does not exist", () =>
    Effect.gen(function* () {
      const { signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("calendar")
      expect(dateTimePaths.map(({ path }) => path)).toEqual(
        expect.arrayContaining([
          "/user/trade",
          "/user/historic-orders",
          "/pnl",
          "/candles/GOLD-USD",
          "/settlement-prices"
        ])
      )
      for (const { names, path } of dateTimePaths) {
        for (const text of nonexistent) {
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
