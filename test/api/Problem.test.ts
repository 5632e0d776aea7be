/** Tests of REST problems: every refusal has a problem body. */
import { afterAll, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, dispose, post } from "./rest/Answering.ts"

afterAll(() => dispose())

const about = (status: number, page: string, title: string) => ({
  $schema: "http://venue.test/schemas/ErrorModel.json",
  type: `http://venue.test/problems/${page}`,
  title,
  status
})

it.effect("returns 401 with the same text, whatever the reason for rejecting the credentials", () =>
  Effect.gen(function* () {
    const { body, status, type } = yield* call("/user/positions", {}, null)
    expect([status, type]).toEqual([401, "application/problem+json"])
    expect(body).toEqual({
      ...about(401, "credentials-not-accepted", "Unauthorized"),
      detail:
        "The credentials are unknown, wrong, expired, revoked, already used, or not allowed from this address; sign in again, or sign the request again."
    })
    expect((yield* call("/user/trade?limit=nonsense", {}, null)).status).toBe(401)
  })
)

it.effect("returns 403 with the problem's default text if the credentials do not permit an operation", () =>
  Effect.gen(function* () {
    const { body, status } = yield* call("/user/positions", {}, "some")
    expect([status, body.detail]).toEqual([
      403,
      "The credentials do not permit this operation, or do not cover this account; use credentials that do."
    ])
  })
)

it.effect("returns 422 with an entry for each fault in a query", () =>
  Effect.gen(function* () {
    const { body, status, type } = yield* call("/user/trade?limit=0&offset=-1&start=yesterday")
    expect([status, type]).toEqual([422, "application/problem+json"])
    expect(body).toMatchObject(about(422, "invalid-request", "Unprocessable Entity"))
    expect(body.errors.map(({ location }) => location).sort()).toEqual(["query.limit", "query.offset", "query.start"])
  })
)

it.effect("returns 422 for a body with a missing, a wrong and an unknown member", () =>
  Effect.gen(function* () {
    const { body, status } = yield* post(`{"leverage":"twenty","colour":"red"}`)
    expect(status).toBe(422)
    expect(body.errors.map(({ location }) => location).sort()).toEqual(["body.colour", "body.leverage", "body.symbol"])
    expect((yield* post(`{"leverage":0,"symbol":"GOLD-USD"}`)).body.errors[0]?.location).toBe("body.leverage")
    expect((yield* post("leverage=20")).status).toBe(422)
    expect((yield* post("")).status).toBe(422)
    expect((yield* post("[".repeat(10_000))).status).toBe(422)
  })
)

it.effect("refuses a leverage that is not offered, and a change of leverage during an open order or position", () =>
  Effect.gen(function* () {
    const levels = yield* post(`{"leverage":31,"symbol":"GOLD-USD"}`)
    expect(levels.body).toEqual({
      ...about(400, "leverage-not-available", "Bad Request"),
      detail: "Expected a whole number from 1 to 30, got 31; the nearest is 30."
    })
    const nowhere = yield* post(`{"leverage":1,"symbol":"NOPE"}`)
    expect(nowhere.body).toEqual({
      ...about(404, "unknown-symbol", "Not Found"),
      detail: 'No instrument is listed as "NOPE"; list the instruments with GET /refdata.'
    })
    const held = yield* post(`{"leverage":5,"symbol":"GOLD-USD"}`)
    expect(held.body).toMatchObject(about(409, "leverage-in-use", "Conflict"))
  })
)

it.effect("returns 503 from the readiness check while the venue is not ready", () =>
  Effect.gen(function* () {
    expect((yield* call("/health/live")).body).toEqual({ status: "live", release: "0.1.0" })
    expect((yield* call("/health/ready")).body).toMatchObject(about(503, "draining", "Service Unavailable"))
  })
)
