/** REST of a gateway whose desks or whose database do not answer. */
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerCutOff, RestClient } from "./RestClient.ts"

it.live("a desk that does not answer is 503 to a reader, and to who changes something an outcome that is unknown", () =>
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

it.live("without a database nobody's credentials are wrong: they cannot be checked", () =>
  Effect.gen(function* () {
    const { get, signed } = yield* RestClient
    const asked = yield* signed(yield* (yield* TestVenue).user("unlucky"))
    const { body, headers, status } = yield* get("/user/positions", asked)
    expect([status, body.type, headers.get("retry-after")]).toEqual([503, expect.stringMatching(/draining$/), "1"])
  }).pipe(Effect.provide(layerCutOff("gone")))
)
