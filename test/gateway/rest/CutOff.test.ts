/** Tests of REST on a gateway whose desks or database do not respond. */
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerCutOff, RestClient } from "./RestClient.ts"

it.live("returns 503 to a read and 504 to a change while the desk does not respond", () =>
  Effect.gen(function* () {
    const { admin, get, post, signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("cut off")
    const credit = { account_id: user.userId, amount: 1, reason: "a test" }
    const change = { symbol: "GOLD-USD", leverage: 2 }
    const answers = [
      yield* get("/user/positions", yield* signed(user)),
      yield* post("/user/leverage", change, yield* signed(user)),
      yield* admin("POST", "/credits", credit)
    ]
    expect(answers.map(({ body, status }) => [status, body.status])).toEqual([
      [503, 503],
      [504, 504],
      [504, 504]
    ])
  }).pipe(Effect.provide(layerCutOff("there")))
)

it.live("returns 503 to a request with credentials while the database is unavailable", () =>
  Effect.gen(function* () {
    const { get, signed } = yield* RestClient
    const credentials = yield* signed(yield* (yield* TestVenue).user("unlucky"))
    const { body, headers, status } = yield* get("/user/positions", credentials)
    expect([status, body.type, headers.get("retry-after")]).toEqual([503, expect.stringMatching(/draining$/), "1"])
  }).pipe(Effect.provide(layerCutOff("gone")))
)
