/** Requests for changes that need a second operator, on Postgres and in memory. */
import { SettingDecisions } from "@venue/storage/settings/SettingDecisions"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const change = { VENUE_TWO_PEOPLE_ABOVE: "300000", VENUE_ADMIN_TOKEN: "0123456789abcdef" }
const request = { operator: "ann", version: 7, change, reason: "a test" }

for (const [name, services] of [
  ["Postgres", SettingDecisions.layer.pipe(Layer.provide(postgresLayer))],
  ["memory", SettingDecisions.layerMemory]
] as const) {
  it.effect(`${name}: lists the requests of a version; an operator has one, and a repeated one keeps its time`, () =>
    Effect.gen(function* () {
      const { at, forget, record } = yield* SettingDecisions
      yield* TestClock.setTime(1_000)
      yield* record(request)
      yield* TestClock.setTime(2_000)
      yield* record({ ...request, change: { ...change } })
      yield* record({ ...request, operator: "bob" })
      assert.deepStrictEqual(
        (yield* at(7)).map(({ decidedAtMillis, operator }) => [operator, decidedAtMillis]),
        [
          ["ann", 1_000],
          ["bob", 2_000]
        ]
      )
      yield* record({ ...request, version: 8 })
      assert.deepStrictEqual(
        [(yield* at(7)).map(({ operator }) => operator), (yield* at(8)).map(({ operator }) => operator)],
        [["bob"], ["ann"]]
      )
      yield* forget
      assert.deepStrictEqual([yield* at(7), yield* at(8)], [[], []])
    }).pipe(Effect.provide(services))
  )
}
