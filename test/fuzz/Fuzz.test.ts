/** A small run of `npm run fuzz` with a fixed seed. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Random from "../chaos/Random.ts"
import * as Fuzz from "./Fuzz.ts"
import { request } from "./Requests.ts"

const known = { accounts: ["00000000-0000-4000-8000-000000000001"], publicKeys: ["key"] }

it("derives the same fuzz request from the same seed and number", () => {
  const made = (seed: number) => Array.from({ length: 50 }, (_, at) => request(Random.make(seed, String(at)), known))
  expect(made(7)).toEqual(made(7))
  expect(made(8)).not.toEqual(made(7))
})

it.live(
  "I50: responds to random requests as the REST description states, without server errors",
  () =>
    Effect.gen(function* () {
      const { faults, statuses } = yield* Fuzz.run({ requests: 2_000, seed: 7 })
      expect(faults).toEqual([])
      expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(2_000)
      // The requests must reach the endpoints, so every one of these statuses must occur.
      for (const status of [200, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422]) {
        expect([status, statuses.get(status) ?? 0]).toEqual([status, expect.toSatisfy((count: number) => count > 0)])
      }
    }).pipe(Effect.provide(Fuzz.layer)),
  900_000
)
