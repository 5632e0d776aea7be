/** Tests of the alarms about operators' tokens. */
import * as CurrentAlarms from "@venue/gateway/alarms/CurrentAlarms"
import * as TokenAlarms from "@venue/gateway/alarms/TokenAlarms"
import { Operators } from "@venue/storage/access/Operators"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

const dayMillis = 86_400_000

it.effect(
  "raises an alarm 7 days before a token expires, until the token is renewed or the operator is dismissed",
  () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const alarms = Effect.map(yield* TokenAlarms.make, (readings) =>
        CurrentAlarms.alarmsOf(readings).map(({ operator, reason }) => `${operator}: ${reason}`)
      )
      const add = (name: string, expiresAtMillis: number | null) =>
        operators.add(
          { name, roles: ["viewer"], expiresAtMillis, needsFactor: false },
          Redacted.make(`token of ${name}`)
        )
      yield* add("ann", 20 * dayMillis)
      yield* add("ben", null)
      yield* TestClock.setTime(13 * dayMillis - 1)
      assert.deepStrictEqual(yield* alarms, [])
      yield* TestClock.setTime(13 * dayMillis)
      assert.deepStrictEqual(yield* alarms, [
        "ann: The token of ann expires at 1970-01-21T00:00:00.000Z. Renew it before then."
      ])
      yield* TestClock.setTime(20 * dayMillis)
      assert.deepStrictEqual(yield* alarms, [
        "ann: The token of ann expired at 1970-01-21T00:00:00.000Z. Renew it, or dismiss the operator."
      ])
      yield* operators.renew("ann", Redacted.make("another token"), {
        expiresAtMillis: 90 * dayMillis,
        isOwn: true
      })
      assert.deepStrictEqual(yield* alarms, [])
      yield* TestClock.setTime(89 * dayMillis)
      assert.lengthOf(yield* alarms, 1)
      yield* operators.remove("ann")
      assert.deepStrictEqual(yield* alarms, [])
    }).pipe(Effect.provide(Layer.fresh(Operators.layerMemory)))
)
